import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { NODES } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { createRangeAllocator } from './range-allocator.ts'
import type { NodeRanges } from './ranges.ts'

const podCidrsOf = (node: KubeObject): readonly string[] => node.spec?.podCIDRs ?? []

/** Gives each node that has none a block of the cluster's addresses for its pods; what nodes say of themselves is theirs. */
export function createNodeIpamController({ client, clock, informers, log, recorder }: ControllerDeps, ranges: NodeRanges): Controller {
  const queue = new WorkQueue({ clock })
  const nodes = informers.of(NODES)
  const events = recorder('cidrAllocator')
  const allocator = createRangeAllocator(ranges)
  /** Nodes for which nothing was left. */
  const waiting = new Set<string>()
  /** Of which it was said that their addresses are foreign. */
  const foreign = new Set<string>()
  const seen = (node: KubeObject) => {
    const cidrs = podCidrsOf(node)
    // At once: nobody whose turn comes before it may be given what it has.
    if (cidrs.length > 0) keep(node, cidrs)
    else queue.add(node.metadata.name ?? '')
  }
  nodes.addHandler({ added: seen, updated: seen, deleted: (node) => queue.add(node.metadata.name ?? '') })

  function keep(node: KubeObject, cidrs: readonly string[]): void {
    const { name = '' } = node.metadata
    waiting.delete(name)
    const outside = allocator.keep(name, cidrs)
    if (outside.length === 0 || foreign.has(name)) return
    foreign.add(name)
    log.warn('a node has addresses that are not of the ranges of --cluster-cidr', { node: name, outside })
  }

  async function reconcile(name: string): Promise<void> {
    const node = nodes.get(name)
    if (node === undefined) return free(name)
    if (podCidrsOf(node).length > 0 || node.metadata.deletionTimestamp !== undefined) return
    const cidrs = allocator.allocate(name)
    if (cidrs === undefined) return tellNone(node)
    waiting.delete(name)
    const { uid } = node.metadata
    // What it was given stays its own if this fails: nobody knows then whether it was written.
    await client
      .patch({ ...NODES, name }, 'merge', { metadata: { uid }, spec: { podCIDR: cidrs[0], podCIDRs: [...cidrs] } })
      .catch((error) => {
        // Another node of that name, or none: an event says so.
        if (!isStatus(error, 'NotFound', 'Conflict')) throw error
      })
  }

  function free(name: string): void {
    waiting.delete(name)
    foreign.delete(name)
    if (!allocator.free(name)) return
    for (const other of waiting) queue.add(other)
  }

  function tellNone(node: KubeObject): void {
    const { name = '', uid = '' } = node.metadata
    waiting.add(name)
    const regarding = { apiVersion: 'v1', kind: 'Node', name, uid }
    const reason = 'CIDRNotAvailable'
    events.record({ regarding, type: 'Normal', reason, message: `Node ${name} status is now: ${reason}` })
  }

  return queueController({ name: 'node-ipam', queue, workers: 30, copies: [nodes], reconcile, log })
}
