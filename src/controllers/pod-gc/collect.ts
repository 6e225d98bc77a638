import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { PODS } from '../../resources/refs.ts'
import type { Node, Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { podsOnNode } from '../frame/indexes.ts'
import { sameObject, targetOf } from '../frame/objects.ts'
import { disruptionTarget } from '../pods/disruption-target.ts'
import { isFinished } from '../pods/pod-state.ts'
import { isOutOfService, type PodGcView, planPodGc, type StrandedPod } from './plan.ts'
import type { PodsInQuestion } from './pods-in-question.ts'

/** A node has to be missing for this long before its pods are deleted. As upstream. */
const QUARANTINE_MS = 40_000

export interface PodGcDeps {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly pods: Informer<Pod>
  readonly nodes: Informer<Node>
  readonly question: PodsInQuestion
  /** Since when each node with pods has been missing. */
  readonly missingSinceMs: Map<string, number>
}

export async function collectPods(deps: PodGcDeps): Promise<void> {
  for (const stranded of planPodGc(view(deps))) await remove(deps, stranded)
}

/** Only pods that may be stranded: a hundred thousand pods that run on existing nodes cost nothing. */
function view({ clock, pods, nodes, question, missingSinceMs }: PodGcDeps): PodGcView {
  const names = new Set(nodes.list().map((n) => n.metadata.name ?? ''))
  const orphans = new Map<string, readonly Pod[]>()
  for (const name of question.nodesWithout(names)) {
    const left = podsOnNode(pods, name)
    if (left.length > 0) orphans.set(name, left)
    else question.leave(name)
  }
  for (const name of [...missingSinceMs.keys()]) if (!orphans.has(name)) missingSinceMs.delete(name)
  for (const name of orphans.keys()) {
    const sinceMs = missingSinceMs.get(name) ?? clock.now()
    missingSinceMs.set(name, sinceMs)
    if (clock.now() - sinceMs < QUARANTINE_MS) names.add(name)
  }
  const requested = question.keys().flatMap((key) => pods.get(key) ?? [])
  const outOfService = nodes.list().filter(isOutOfService)
  return {
    pods: [...new Set([...requested, ...[...orphans.values()].flat()])],
    nodes: names,
    outOfService: new Set(outOfService.map((n) => n.metadata.name ?? '')),
  }
}

async function remove({ client, clock, log }: PodGcDeps, { pod, why }: StrandedPod): Promise<void> {
  const logged = (what: string) => (error: unknown) => {
    if (!isStatus(error, 'NotFound', 'Conflict')) log.warn(what, { pod: pod.metadata.name, error })
    return 'failed' as const
  }
  if (!isFinished(pod)) {
    // Watchers see the pod end before it is gone.
    const patch = failedPatch(pod, why, clock.now())
    const target = { ...targetOf(PODS, pod), subresource: 'status' }
    const marked = await client.patch(target, 'strategic', patch).catch(logged('a stranded pod could not be marked as failed'))
    if (marked === 'failed') return
  }
  const options = { gracePeriodSeconds: 0, ...sameObject(pod) }
  await client.delete(targetOf(PODS, pod), options).catch(logged('a stranded pod could not be deleted'))
}

function failedPatch(pod: Pod, why: StrandedPod['why'], nowMs: number) {
  const { uid } = pod.metadata
  const condition = disruptionTarget(pod, { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' }, nowMs)
  const status = { phase: 'Failed', ...(why === 'orphaned' ? { conditions: [condition] } : {}) }
  return { ...(uid === undefined ? {} : { metadata: { uid } }), status }
}
