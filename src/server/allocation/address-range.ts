import { type Cidr, ipText, isIpv4, networkOf, parseIp } from '../../machinery/ip-address.ts'

/** The addresses of a network that can be lent: all but its first and, in IPv4, its last. Offsets count from the first that can. */
export interface AddressRange {
  readonly size: bigint
  /** How many addresses at the start are left to those who ask for one by name. */
  readonly reserved: bigint
  at(offset: bigint): string
  /** Where an address stands; undefined outside. */
  offsetOf(ip: string): bigint | undefined
}

export function addressRange(cidr: Cidr): AddressRange {
  const bytes = networkOf(cidr).bytes
  const bits = BigInt(bytes.length * 8)
  const v4 = isIpv4(cidr.address)
  const total = 1n << (bits - BigInt(cidr.prefixLength))
  const first = toNumber(bytes) + 1n
  const size = v4 ? total - 2n : total - 1n
  return {
    size: size < 0n ? 0n : size,
    reserved: reservedOf(total),
    at: (offset) => ipText({ bytes: toBytes(first + offset, bytes.length), standard: true }),
    offsetOf(ip) {
      const parsed = parseIp(ip)
      if (parsed?.bytes.length !== bytes.length) return undefined
      const offset = toNumber(parsed.bytes) - first
      return offset >= 0n && offset < size ? offset : undefined
    },
  }
}

/** KEP-3070: a sixteenth of the range, at least 16 and at most 256; nothing of a very small one. */
function reservedOf(total: bigint): bigint {
  if (total < 16n) return 0n
  const part = total / 16n
  return part < 16n ? 16n : part > 256n ? 256n : part
}

const toNumber = (bytes: readonly number[]): bigint => bytes.reduce((n, b) => (n << 8n) | BigInt(b), 0n)

function toBytes(value: bigint, length: number): number[] {
  const bytes: number[] = []
  for (let i = length - 1; i >= 0; i--) bytes.push(Number((value >> BigInt(i * 8)) & 0xffn))
  return bytes
}
