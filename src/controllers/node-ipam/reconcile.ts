import type { Logger } from '../../base/logger.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { NODES } from '../../resources/refs.ts'
import type { Node } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Keys } from '../frame/define-controller.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { targetOf } from '../frame/objects.ts'
import type { RangeAllocator } from './range-allocator.ts'

export interface NodeIpamDeps {
  readonly client: Client
  readonly log: Logger
  readonly events: ObjectEvents
  readonly allocator: RangeAllocator
  /** Nodes for which no block was left. */
  readonly waiting: Set<string>
  /** Nodes whose addresses outside of the ranges were logged. */
  readonly foreign: Set<string>
}

export const podCidrsOf = ({ spec }: Node): readonly string[] => spec?.podCIDRs ?? []

/** Records the blocks in the spec of a node. */
export function keepCidrs({ allocator, log, waiting, foreign }: NodeIpamDeps, node: Node): void {
  const { name = '' } = node.metadata
  const cidrs = podCidrsOf(node)
  if (cidrs.length === 0) return
  waiting.delete(name)
  const outside = allocator.keep(name, cidrs)
  if (outside.length === 0 || foreign.has(name)) return
  foreign.add(name)
  log.warn('a node has addresses that are not of the ranges of --cluster-cidr', { node: name, outside })
}

export async function reconcileNode({ client, events, allocator, waiting }: NodeIpamDeps, node: Node): Promise<void> {
  const { name = '', uid = '', deletionTimestamp } = node.metadata
  if (podCidrsOf(node).length > 0 || deletionTimestamp !== undefined) return
  const cidrs = allocator.allocate(name)
  if (cidrs === undefined) {
    waiting.add(name)
    const reason = 'CIDRNotAvailable'
    const regarding = { apiVersion: 'v1', kind: 'Node', name, uid }
    return events.record({ regarding, type: 'Normal', reason, message: `Node ${name} status is now: ${reason}` })
  }
  waiting.delete(name)
  // If this fails the node keeps its blocks here: they may have been written. Conflict: another node has the name now; its event leads here
  // again.
  const patch = { metadata: { uid }, spec: { podCIDR: cidrs[0], podCIDRs: [...cidrs] } }
  await client.patch(targetOf(NODES, node), 'merge', patch).catch(ignoring('NotFound', 'Conflict'))
}

/** Frees the blocks of a deleted node, and tries the waiting nodes again. */
export function freeNode({ allocator, waiting, foreign }: NodeIpamDeps, name: string, keys: Keys): void {
  waiting.delete(name)
  foreign.delete(name)
  if (!allocator.free(name)) return
  for (const other of waiting) keys.add(other)
}
