import { ipNumber, ipOfNumber, ipText, networkOf, parseCidr } from '../../machinery/ip-address.ts'

/** An address of the first of these ranges, counted from its network address: the API server has 1, a name server 10. */
export function serviceAddress(ranges: string, offset: number): string {
  const [first = ''] = ranges.split(',')
  const cidr = parseCidr(first)
  if (cidr === undefined) throw new TypeError(`${first} is not a range of addresses`)
  const network = networkOf(cidr)
  return ipText(ipOfNumber(ipNumber(network) + BigInt(offset), network.bytes.length))
}

/** `10.0.0.0/24` → `10.0.0.1`: the address of the service `kubernetes`. */
export const firstServiceAddress = (ranges: string): string => serviceAddress(ranges, 1)
