import { fnv32a } from '../../base/fnv.ts'

/** The checksum of a checkpoint: over the text that Go's `spew` makes of it. */
export const goChecksum = (text: string): number => fnv32a(Buffer.from(text))

/** A map as `spew` prints it, its keys sorted by their bytes (or as numbers). */
export function goMap<T>(map: Readonly<Record<string, T>>, one: (value: T) => string, keys: 'texts' | 'numbers' = 'texts'): string {
  const order = keys === 'numbers' ? byNumber : byBytes
  const pairs = Object.entries(map).sort(([a], [b]) => order(a, b))
  return `map[${pairs.map(([key, value]) => `${key}:${one(value)}`).join(' ')}]`
}

const byNumber = (a: string, b: string) => Number(a) - Number(b)
export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
