import { createRangeAllocator } from '../../controllers/node-ipam/range-allocator.ts'
import { type NodeRanges, NodeRangesError, readNodeRanges } from '../../controllers/node-ipam/ranges.ts'
import { parseCidr } from '../../machinery/ip-address.ts'
import type { Node } from '../../resources/types/core.ts'
import { type ClusterConfig, ConfigError } from '../config.ts'

/** The ranges of pod addresses, from `--cluster-cidr`. */
export interface PodRanges {
  /** The ranges of the nodes. Planned once, from the nodes that exist before the controller assigns any. */
  plan(names: readonly string[], present: () => Promise<readonly Node[]>): Promise<PodRangePlan>
}

export interface PodRangePlan {
  /** The ranges that simulated nodes report as their own. */
  readonly simulated: ReadonlyMap<string, readonly string[]>
  /** The ranges without that: a simulated node may come later than others, and again when it was deleted. */
  readonly others: NodeRanges
}

/** Throws when they cannot be used, or have no room for all simulated nodes. */
export function readPodRanges({ clusterCidr = '', serviceCidr, parts, nodes }: ClusterConfig): PodRanges {
  const ranges = rangesOf(clusterCidr, serviceCidr)
  const names = parts.has('nodes') ? Array.from({ length: nodes }, (_, i) => String(i)) : []
  const room = simulatedPodCidrs(names, ranges, []).size
  if (room < names.length)
    throw new ConfigError(`--cluster-cidr: ${clusterCidr} has room for ${room} nodes, --nodes asks for ${names.length}`)
  let made: PodRangePlan | undefined
  return {
    async plan(own, present) {
      const objects = made === undefined ? await present() : []
      made ??= planPodRanges(own, ranges, objects)
      return made
    },
  }
}

function rangesOf(clusterCidr: string, serviceCidr: string): NodeRanges {
  try {
    return readNodeRanges({ clusterCidr, serviceCidr })
  } catch (error) {
    if (!(error instanceof NodeRangesError)) throw error
    throw new ConfigError(error.message)
  }
}

function planPodRanges(names: readonly string[], ranges: NodeRanges, present: readonly Node[]): PodRangePlan {
  const simulated = simulatedPodCidrs(names, ranges, present)
  const taken = [...simulated.values()].flat().flatMap((text) => parseCidr(text) ?? [])
  return { simulated, others: { ...ranges, except: [...ranges.except, ...taken] } }
}

/** The ranges that nodes have already, and free ones for new nodes. */
function simulatedPodCidrs(names: readonly string[], ranges: NodeRanges, present: readonly Node[]): Map<string, readonly string[]> {
  const allocator = createRangeAllocator(ranges)
  const own = new Set(names)
  const found = new Map<string, readonly string[]>()
  for (const { metadata, spec } of present) {
    const { name = '' } = metadata
    const cidrs = spec?.podCIDRs ?? []
    if (cidrs.length === 0) continue
    if (own.has(name)) found.set(name, cidrs)
    allocator.keep(name, cidrs)
  }
  for (const name of names) {
    const cidrs = found.get(name) ?? allocator.allocate(name)
    if (cidrs !== undefined) found.set(name, cidrs)
  }
  return found
}
