import { type Cidr, ipNumber, ipOfNumber, ipText, isIpv4, networkOf, parseIp } from '../../machinery/ip-address.ts'

/** The allocatable addresses of a network: all but its first and, for IPv4, its last. Offsets count from the first allocatable one. */
export interface AddressRange {
  readonly size: bigint
  /** The number of addresses at the start that are only allocated when requested explicitly. */
  readonly reserved: bigint
  at(offset: bigint): string
  /** The offset of an address; undefined outside the range. */
  offsetOf(ip: string): bigint | undefined
}

export function addressRange(cidr: Cidr): AddressRange {
  const network = networkOf(cidr)
  const { length } = network.bytes
  const bits = BigInt(length * 8)
  const v4 = isIpv4(cidr.address)
  const total = 1n << (bits - BigInt(cidr.prefixLength))
  const first = ipNumber(network) + 1n
  const size = v4 ? total - 2n : total - 1n
  return {
    size: size < 0n ? 0n : size,
    reserved: reservedOf(total),
    at: (offset) => ipText(ipOfNumber(first + offset, length)),
    offsetOf(ip) {
      const parsed = parseIp(ip)
      if (parsed?.bytes.length !== length) return undefined
      const offset = ipNumber(parsed) - first
      return offset >= 0n && offset < size ? offset : undefined
    },
  }
}

/**
 * KEP-3070: a sixteenth of the range, at least 16 and at most 256. Nothing for 16 addresses or fewer: at least one of them cannot be
 * allocated, so 16 reserved ones would exceed the range.
 */
function reservedOf(total: bigint): bigint {
  if (total <= 16n) return 0n
  const part = total / 16n
  return part < 16n ? 16n : part > 256n ? 256n : part
}
