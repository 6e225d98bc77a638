import { NODES } from '../../resources/refs.ts'
import type { Node } from '../../resources/types/core.ts'
import type { CreateController } from '../frame/controller.ts'
import { defineController } from '../frame/define-controller.ts'
import { createRangeAllocator } from './range-allocator.ts'
import type { NodeRanges } from './ranges.ts'
import { freeNode, keepCidrs, podCidrsOf, reconcileNode } from './reconcile.ts'

/** Gives each node that has none a block of the cluster's addresses for its pods. */
export const createNodeIpam = (ranges: NodeRanges): CreateController =>
  defineController({
    name: 'node-ipam',
    for: NODES,
    workers: 30,
    deps: ({ client, events, log }) => ({
      client,
      log,
      events: events('cidrAllocator'),
      allocator: createRangeAllocator(ranges),
      waiting: new Set<string>(),
      foreign: new Set<string>(),
    }),
    when: (node) => podCidrsOf(node).length === 0,
    watch(deps, _keys, nodes) {
      // At once: what a node has must not be given to another node whose turn comes first.
      const seen = (node: Node) => keepCidrs(deps, node)
      nodes.addHandler({ added: seen, updated: seen })
    },
    reconcile: reconcileNode,
    gone: freeNode,
  })
