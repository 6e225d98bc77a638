import { createHash } from 'node:crypto'

const PROGRAM = 'kube-apiserver'
const HASH_BYTES = 16

/** `apiserver-` and a hash of the host's name, as kube-apiserver names itself: two servers of one host have the same identity. */
export function serverIdentity(hostname: string): string {
  const hash = createHash('sha256').update(withLength(hostname)).update(withLength(PROGRAM)).digest()
  return `apiserver-${base32(hash.subarray(0, HASH_BYTES))}`
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** RFC 4648, in lower case, without padding. */
function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET.charAt(Number.parseInt(five.padEnd(5, '0'), 2))).join('')
}
