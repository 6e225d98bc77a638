/**
 * The hash functions of Fowler, Noll and Vo as in Go's `hash/fnv`, which Kubernetes names and orders objects by
 * (https://www.ietf.org/archive/id/draft-eastlake-fnv-21.html). For names and checksums, not against an attacker.
 */

const OFFSET_32 = 0x811c9dc5
const PRIME_32 = 0x01000193
const OFFSET_64 = 0xcbf29ce484222325n
const PRIME_64 = 0x100000001b3n

/** FNV-1, 32 bits. */
export function fnv32(bytes: Uint8Array): number {
  let hash = OFFSET_32
  for (const byte of bytes) hash = Math.imul(hash, PRIME_32) ^ byte
  return hash >>> 0
}

/** FNV-1a, 32 bits. */
export function fnv32a(bytes: Uint8Array): number {
  let hash = OFFSET_32
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME_32)
  return hash >>> 0
}

/** FNV-1a, 64 bits. */
export function fnv64a(bytes: Uint8Array): bigint {
  let hash = OFFSET_64
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME_64)
  return hash
}

/** FNV-1a, 128 bits, as hexadecimal text. Some 5 ns a byte: the hash is kept as four words of 32 bits, the lowest first. */
export function fnv128a(bytes: Uint8Array): string {
  let [a, b, c, d] = [0x6295c58d, 0x62b82175, 0x07bb0142, 0x6c62272e]
  for (const byte of bytes) {
    a = (a ^ byte) >>> 0
    // The prime is 2⁸⁸ + 0x13b: a shift by two words and 24 bits, and a product that a double holds.
    const [low, high] = [a, b]
    const [pa, pb, pc, pd] = [a * 0x13b, b * 0x13b, c * 0x13b, d * 0x13b]
    const nextB = pb + Math.floor(pa / 2 ** 32)
    const nextC = pc + Math.floor(nextB / 2 ** 32) + ((low << 24) >>> 0)
    const nextD = pd + Math.floor(nextC / 2 ** 32) + (((low >>> 8) | (high << 24)) >>> 0)
    a = pa >>> 0
    b = nextB >>> 0
    c = nextC >>> 0
    d = nextD >>> 0
  }
  return [d, c, b, a].map((word) => word.toString(16).padStart(8, '0')).join('')
}
