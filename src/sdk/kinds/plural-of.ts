/** The English plural of a kind, in small letters, as in paths: `Proxy` → `proxies`. */
export function pluralOf(kind: string): string {
  const small = kind.toLowerCase()
  if (/(s|x|z|ch|sh)$/.test(small)) return `${small}es`
  return /[^aeiou]y$/.test(small) ? `${small.slice(0, -1)}ies` : `${small}s`
}
