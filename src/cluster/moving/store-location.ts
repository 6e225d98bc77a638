/** Where objects are kept. */
export type StoreLocation =
  | { readonly kind: 'sqlite' | 'file'; readonly folder: string }
  | { readonly kind: 'snapshot' | 'etcd-snapshot'; readonly file: string }
  | { readonly kind: 'etcd'; readonly servers: readonly string[] }

export const LOCATIONS = 'sqlite=FOLDER, file=FOLDER, snapshot=FILE, etcd=URL,…, etcd-snapshot=FILE'

/** `sqlite=FOLDER` (the data folder of a cluster), … Undefined: it names no store. */
export function parsePlace(text: string): StoreLocation | undefined {
  const at = text.indexOf('=')
  const [kind, rest] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)]
  if (rest !== '') {
    if (kind === 'sqlite' || kind === 'file') return { kind, folder: rest }
    if (kind === 'snapshot' || kind === 'etcd-snapshot') return { kind, file: rest }
    if (kind === 'etcd') return { kind, servers: rest.split(',') }
  }
  return undefined
}
