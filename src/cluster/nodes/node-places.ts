import { nodeAddress } from './simulated-addresses.ts'

/** Where a simulated node and its pods are in the network. */
export interface NodePlacing {
  readonly name: string
  readonly ip: string
  /** The ranges of its pods. */
  readonly podCidrs: readonly string[]
  /** What its pods' addresses begin with, for each family: `10.210.0.`, `fd00:10:210::`. */
  readonly podSubnets: readonly string[]
}

/** The places of these nodes. `podCidrs`: the ranges of their pods by their names; default: of 10.210.0.0/15 and on. */
export const nodePlaces = (names: readonly string[], podCidrs?: ReadonlyMap<string, readonly string[]>): readonly NodePlacing[] =>
  names.map((name, i) => nodePlace(name, i, podCidrs?.get(name)))

/** The place of the node with this index, from 0. */
export function nodePlace(name: string, index: number, ranges: readonly string[] = [`${usualSubnet(index)}.0/24`]): NodePlacing {
  const podSubnets = ranges.flatMap(subnetOf)
  return { name, ip: nodeAddress(index), podCidrs: ranges, podSubnets: podSubnets.length > 0 ? podSubnets : [`${usualSubnet(index)}.`] }
}

/** The place of a node elsewhere, by its address and ranges. */
export const placeAt = (name: string, ip: string, podCidrs: readonly string[]): NodePlacing => ({
  name,
  ip,
  podCidrs,
  podSubnets: podCidrs.flatMap(subnetOf),
})

/** `10.210.0.` of `10.210.0.0/24`, `fd00:10:210::` of `fd00:10:210::/64`. Simulated pods have addresses of no other ranges. */
const subnetOf = (cidr: string): string[] => /^(\d+\.\d+\.\d+\.)0\/24$|^([\da-f:]+::)\/64$/.exec(cidr)?.slice(1).filter(Boolean) ?? []

const FIRST_BYTE = 210
const usualSubnet = (index: number) => `10.${FIRST_BYTE + (index >> 8)}.${index & 255}`

/** The indexes of nodes that are added while the cluster runs come after all of those that it may be started with: 10.250.0.0/24 and on. */
export const FIRST_ADDED = (250 - FIRST_BYTE) << 8
/** After that the second byte is at its end. */
export const LAST_ADDED = (255 - FIRST_BYTE) * 256 + 255

/** The index of a node whose pods have the usual range of it. */
export function indexOfRange(cidr: string | undefined): number | undefined {
  const [, second, third] = /^10\.(\d+)\.(\d+)\.0\/24$/.exec(cidr ?? '') ?? []
  return second === undefined ? undefined : ((Number(second) - FIRST_BYTE) << 8) + Number(third)
}
