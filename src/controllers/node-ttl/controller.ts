import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { NODES } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { nextStep, TTL, wantedTtl } from './plan.ts'

/** Tells each node, when it is heard of, how long it may keep secrets and config maps: the longer the more nodes there are. */
export function createNodeTtlController({ client, clock, informers, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const nodes = informers.of(NODES)
  let step = 0
  const seen = (node: KubeObject) => {
    step = nextStep(step, nodes.size)
    if (wantedTtl(node, step) !== undefined) queue.add(node.metadata.name ?? '')
  }
  nodes.addHandler({ added: seen, updated: seen })

  async function reconcile(name: string): Promise<void> {
    const node = nodes.get(name)
    const ttl = node && wantedTtl(node, step)
    if (ttl === undefined) return
    await client.patch({ ...NODES, name }, 'merge', { metadata: { annotations: { [TTL]: ttl } } }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  }

  return queueController({ name: 'node-ttl', queue, copies: [nodes], reconcile, log })
}
