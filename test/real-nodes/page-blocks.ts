import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The blocks of a page of `docs/` that are marked as `sh` or `yaml`, in order. */
export function blocksOf(page: string, kind: string): readonly string[] {
  const text = readFileSync(path.join(import.meta.dirname, '../../docs', page), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${kind}\\n([^]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block)
}

/** The one block that has this text. */
export function blockWith(page: string, kind: string, text: string): string {
  const [block, ...others] = blocksOf(page, kind).filter((one) => one.includes(text))
  if (block === undefined || others.length > 0) throw new Error(`docs/${page} has not one block of ${kind} with ${JSON.stringify(text)}`)
  return block
}
