import { isIpv4, parseCidr } from '../machinery/ip-address.ts'
import { hasFewAddresses } from '../server/options/network.ts'

/** Why a cluster cannot have these ranges of service addresses (`10.0.0.0/24`, `10.0.0.0/24,fd00::/108`); undefined: it can. */
export function serviceRangesFault(ranges: string, { nodes }: { readonly nodes: boolean }): string | undefined {
  const cidrs = ranges.split(',').map(parseCidr)
  const [first, second] = cidrs
  if (cidrs.length > 2 || first === undefined || (cidrs.length === 2 && second === undefined))
    return `${JSON.stringify(ranges)} is neither a range such as 10.0.0.0/24 nor two, such as 10.0.0.0/24,fd00::/108`
  if (second !== undefined && isIpv4(first.address) === isIpv4(second.address))
    return `the ranges ${ranges} are of the same family; give one of IPv4 and one of IPv6`
  if (hasFewAddresses(first)) return `the range ${ranges.split(',')[0]} has fewer than 8 addresses`
  // The API server has an IPv4 address in the network of the nodes.
  if (nodes && !isIpv4(first.address)) return `the first range is ${ranges.split(',')[0]}; in a cluster with nodes it is one of IPv4`
  return undefined
}
