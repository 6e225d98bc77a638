import { randomBytes, randomUUID } from 'node:crypto'

/** The only source of chance. The same seed gives the same run. */
export interface Random {
  /** A float in [0, 1). */
  next(): number
  /** An integer in [0, below). */
  int(below: number): number
  /** A version 4 UUID. */
  uuid(): string
  /** `length` characters of the alphabet that Kubernetes uses for generated names (no vowels, no look-alikes). */
  suffix(length: number): string
}

/** Bytes for nonces and keys, which cannot be guessed. */
export type RandomBytes = (length: number) => Uint8Array

/** Bytes from the operating system. */
export const systemRandomBytes: RandomBytes = (length) => randomBytes(length)

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

function randomFrom(next32: () => number): Random {
  const hex = (n: number) => (next32() >>> 0).toString(16).padStart(8, '0').slice(0, n)
  const random: Random = {
    next: () => (next32() >>> 0) / 0x1_0000_0000,
    int: (below) => Math.floor(random.next() * below),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'.charAt(random.int(4))}${hex(3)}-${hex(8)}${hex(4)}`,
    suffix(length) {
      let s = ''
      for (let i = 0; i < length; i++) s += ALPHABET.charAt(random.int(ALPHABET.length))
      return s
    },
  }
  return random
}

/** Chance from the operating system, drawn in blocks so that a UUID costs well under a microsecond. */
export function systemRandom(): Random {
  let pool = randomBytes(0)
  let at = 0
  const random = randomFrom(() => {
    if (at + 4 > pool.length) {
      pool = randomBytes(4096)
      at = 0
    }
    at += 4
    return pool.readUInt32LE(at - 4)
  })
  return { ...random, uuid: () => randomUUID() }
}

/** Repeatable chance (a Weyl sequence through a 32-bit mixer). Never use it for secrets. */
export function seededRandom(seed: number): Random {
  let s = seed | 0 || 0x9e3779b9
  const mix = () => {
    s = (s + 0x9e3779b9) | 0
    let z = s
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b)
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
    return z ^ (z >>> 16)
  }
  return randomFrom(mix)
}
