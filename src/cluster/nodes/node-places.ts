import { nodeAddress } from './simulated-addresses.ts'

/** Where a simulated node and its pods are in the network. */
export interface NodePlacing {
  readonly name: string
  readonly ip: string
  /** The ranges of its pods. */
  readonly podCidrs: readonly string[]
  /** The first three bytes of its pods' addresses: `10.210.0`. */
  readonly podSubnet: string
}

/** The places of these nodes. `podCidrs`: the ranges of their pods by their names; default: of 10.210.0.0/15 and on. */
export const nodePlaces = (names: readonly string[], podCidrs?: ReadonlyMap<string, readonly string[]>): readonly NodePlacing[] =>
  names.map((name, i) => {
    const usual = `10.${210 + (i >> 8)}.${i & 255}`
    const ranges = podCidrs?.get(name) ?? [`${usual}.0/24`]
    // Simulated pods have an address of IPv4, of a /24.
    const podSubnet = ranges.map((cidr) => /^(\d+\.\d+\.\d+)\.0\/24$/.exec(cidr)?.[1]).find((found) => found !== undefined) ?? usual
    return { name, ip: nodeAddress(i), podCidrs: ranges, podSubnet }
  })
