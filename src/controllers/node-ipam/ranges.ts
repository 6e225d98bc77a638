import { type Cidr, isIpv4, networkOf, parseCidr } from '../../machinery/ip-address.ts'

/** A range of which each node gets a block of this size. */
export interface NodeRange {
  readonly range: Cidr
  readonly maskSize: number
}

/** What nodes' addresses are taken from. */
export interface NodeRanges {
  /** One, or one of each family. */
  readonly ranges: readonly NodeRange[]
  /** Ranges of which no node gets any: those of services. */
  readonly except: readonly Cidr[]
}

export interface NodeRangesInput {
  /** `10.244.0.0/16`, or `10.244.0.0/16,fd00:10:244::/56`. */
  readonly clusterCidr: string
  /** The same of services. Default: there are none to keep clear of. */
  readonly serviceCidr?: string | undefined
  readonly maskSizeIpv4?: number | undefined
  readonly maskSizeIpv6?: number | undefined
}

/** Why ranges cannot be used; the message names the option. */
export class NodeRangesError extends Error {
  override readonly name = 'NodeRangesError'
}

/** Of an IPv6 range, as kube-controller-manager has it. */
const MOST_BITS_IPV6 = 16
/** A counter for each block is kept. */
const MOST_BITS = 22

/** Parses the options of kube-controller-manager for the pod ranges of nodes. Pure. */
export function readNodeRanges({ clusterCidr, serviceCidr = '', maskSizeIpv4 = 24, maskSizeIpv6 = 64 }: NodeRangesInput): NodeRanges {
  const ranges = cidrsOf('--cluster-cidr', clusterCidr).map((range): NodeRange => {
    const four = isIpv4(range.address)
    const [option, maskSize, width] = four
      ? ['--node-cidr-mask-size-ipv4', maskSizeIpv4, 32]
      : ['--node-cidr-mask-size-ipv6', maskSizeIpv6, 128]
    if (!Number.isInteger(maskSize) || maskSize < 1 || maskSize > width)
      throw new NodeRangesError(`${option}: give a whole number from 1 to ${width}`)
    const bits = maskSize - range.prefixLength
    if (bits < 0) throw new NodeRangesError(`--cluster-cidr: a /${range.prefixLength} has no room for a node's /${maskSize} (${option})`)
    const most = four ? MOST_BITS : MOST_BITS_IPV6
    if (bits > most)
      throw new NodeRangesError(
        `--cluster-cidr: blocks of /${maskSize} (${option}) are too small for a /${range.prefixLength}: at most ${most} bits between them`,
      )
    return { range, maskSize }
  })
  return { ranges, except: serviceCidr === '' ? [] : cidrsOf('--service-cluster-ip-range', serviceCidr) }
}

function cidrsOf(option: string, text: string): readonly Cidr[] {
  const cidrs = text.split(',').map((one) => {
    const cidr = parseCidr(one.trim())
    if (cidr === undefined)
      throw new NodeRangesError(`${option}: ${JSON.stringify(one)} is not a range such as 10.244.0.0/16 or fd00:10:244::/56`)
    return { address: networkOf(cidr), prefixLength: cidr.prefixLength }
  })
  const [first, second] = cidrs
  if (cidrs.length > 2 || (first && second && isIpv4(first.address) === isIpv4(second.address)))
    throw new NodeRangesError(`${option}: give one range, or one of IPv4 and one of IPv6`)
  return cidrs
}
