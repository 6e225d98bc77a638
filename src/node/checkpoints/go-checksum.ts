/** FNV-1a, 32 bits, over the bytes of a text. The kubelet computes a checkpoint's checksum over the text that Go's `spew` makes of it. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

/** A map as `spew` prints it, its keys sorted by their bytes (or as numbers). */
export function goMap<T>(map: Readonly<Record<string, T>>, one: (value: T) => string, keys: 'texts' | 'numbers' = 'texts'): string {
  const order = keys === 'numbers' ? byNumber : byBytes
  const pairs = Object.entries(map).sort(([a], [b]) => order(a, b))
  return `map[${pairs.map(([key, value]) => `${key}:${one(value)}`).join(' ')}]`
}

const byNumber = (a: string, b: string) => Number(a) - Number(b)
export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
