import { createHash } from 'node:crypto'

/** The kernel takes 127 characters; the hash keeps cut names apart. */
const MOST_CHARACTERS = 100

/** The name of a chain or a set: readable, and one for each `id`. Pure. */
export function chainName(kind: string, id: string): string {
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8)
  return `${kind}-${hash}-${id.replace(/[^\w/.-]/g, '.').slice(0, MOST_CHARACTERS)}`
}
