import { type Clock, timestamp } from '../../base/clock.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { NODES, PODS } from '../../resources/refs.ts'
import type { Node, Pod, Taint } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { podsOnNode } from '../frame/indexes.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { targetOf } from '../frame/objects.ts'
import { isReady } from '../pods/pod-state.ts'
import type { Disruption } from './disruption.ts'
import type { NodeMetrics } from './node-metrics.ts'
import type { Patrol } from './patrol.ts'
import { changesNothing, isHeard, type NodePlan, planNode, zoneKey } from './plan.ts'
import type { SignsOfLife } from './signs-of-life.ts'

export interface NodeLifecycleDeps {
  readonly client: Client
  readonly clock: Clock
  readonly events: ObjectEvents
  readonly pods: Informer<Pod>
  readonly signs: SignsOfLife
  readonly disruption: Disruption
  readonly patrol: Pick<Patrol, 'steady'>
  readonly metrics: Pick<NodeMetrics, 'evicted'>
}

export async function reconcileNode(deps: NodeLifecycleDeps, node: Node): Promise<void> {
  const { clock, signs, disruption, patrol } = deps
  const pace = { allLost: disruption.total, mayGiveUp: () => disruption.mayGiveUp(zoneKey(node)) }
  const [seenMs, nowMs] = [signs.ofNode(node), clock.now()]
  const plan = planNode(node, seenMs, { nowMs, pace })
  if (changesNothing(plan)) {
    if (isHeard(node, seenMs, nowMs)) patrol.steady(node)
    return
  }
  await carryOut(deps, node, plan)
}

async function carryOut(deps: NodeLifecycleDeps, node: Node, { conditions, labels, taints, lost }: NodePlan): Promise<void> {
  const { client } = deps
  const target = targetOf(NODES, node)
  if (conditions !== undefined) {
    const status = { conditions: conditions.map((c) => ({ ...c })) }
    await client.patch({ ...target, subresource: 'status' }, 'merge', { status })
  }
  if (lost) await reportLost(deps, node)
  if (labels !== undefined) await client.patch(target, 'merge', { metadata: { labels: { ...labels } } })
  if (taints === undefined) return
  if (isEvicted(taints) && !isEvicted(node.spec?.taints)) deps.metrics.evicted(zoneKey(node))
  const { resourceVersion } = node.metadata
  const unchanged = conditions === undefined && labels === undefined && resourceVersion !== undefined
  const spec = { taints: taints.map((t) => ({ ...t })) }
  await client.patch(target, 'merge', { ...(unchanged ? { metadata: { resourceVersion } } : {}), spec })
}

/** Whether pods have to leave the node because it is not ready or silent. */
const isEvicted = (taints: readonly Taint[] = []) =>
  taints.some(
    ({ key, effect }) => effect === 'NoExecute' && (key === 'node.kubernetes.io/not-ready' || key === 'node.kubernetes.io/unreachable'),
  )

/** The kubelet cannot report any more that its pods are not ready. */
async function reportLost({ client, clock, events, pods }: NodeLifecycleDeps, node: Node): Promise<void> {
  const { name = '' } = node.metadata
  events.normal(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`)
  const status = { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: timestamp(clock.now()) }] }
  for (const pod of podsOnNode(pods, name)) {
    if (!isReady(pod)) continue
    events.warning(pod, 'NodeNotReady', 'Node is not ready')
    const { uid } = pod.metadata
    const patch = { ...(uid === undefined ? {} : { metadata: { uid } }), status }
    await client.patch({ ...targetOf(PODS, pod), subresource: 'status' }, 'strategic', patch).catch(ignoring('NotFound', 'Conflict'))
  }
}
