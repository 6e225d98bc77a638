import { ignoring } from '../../machinery/ignoring.ts'
import { NODES } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { targetOf } from '../frame/objects.ts'
import { stepSequence, TTL, wantedTtl } from './plan.ts'

/** Annotates each node with how long its kubelet may cache secrets and config maps: the more nodes, the longer. */
export const createController = defineController({
  name: 'node-ttl',
  for: NODES,
  deps: ({ client, informers }) => ({ client, nodes: informers.of(NODES), stepFor: stepSequence() }),
  when: (node, { nodes, stepFor }) => wantedTtl(node, stepFor(nodes.size)) !== undefined,
  async reconcile({ client, nodes, stepFor }, node) {
    const ttl = wantedTtl(node, stepFor(nodes.size))
    if (ttl === undefined) return
    await client.patch(targetOf(NODES, node), 'merge', { metadata: { annotations: { [TTL]: ttl } } }).catch(ignoring('NotFound'))
  },
})
