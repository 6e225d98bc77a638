import type { Cancel, Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { CounterMetric, HistogramMetric } from '../../base/metrics.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { PODS } from '../../resources/refs.ts'
import type { Node, Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { ControllerMetrics } from '../frame/controller-metrics.ts'
import { podsOnNode } from '../frame/indexes.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { deleteObject, targetOf } from '../frame/objects.ts'
import { disruptionTarget, isMarked } from '../pods/disruption-target.ts'
import { stayMs } from './taints.ts'

export interface TaintEvictionDeps {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly events: ObjectEvents
  readonly nodes: Informer<Node>
  readonly pods: Informer<Pod>
  readonly metrics: ControllerMetrics
}

const REASON = 'TaintManagerEviction'

/** Deletes pods when their tolerations of the node's taints `NoExecute` run out. */
export class TaintEviction {
  readonly #deps: TaintEvictionDeps
  /** Cancels the planned deletion of a pod, by its uid. */
  readonly #planned = new Map<string, Cancel>()
  readonly #deletions: CounterMetric
  readonly #delays: HistogramMetric

  constructor(deps: TaintEvictionDeps) {
    this.#deps = deps
    const name = 'taint_eviction_controller_pod_deletion'
    this.#deletions = deps.metrics.counter({ name: `${name}s_total`, help: 'Pods that were deleted for a taint.' })
    this.#delays = deps.metrics.histogram({
      name: `${name}_duration_seconds`,
      help: 'From when their tolerations had run out until they were deleted.',
      bounds: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
    })
  }

  /** Plans the deletion of all pods of a node again. */
  scheduleNode(node: string): void {
    for (const pod of podsOnNode(this.#deps.pods, node)) this.schedule(pod)
  }

  /** Plans the deletion of a pod under taints; also of one that is being deleted already, which gets the condition all the same. */
  schedule(pod: Pod): void {
    const { clock, events, nodes } = this.#deps
    if (!pod.spec.nodeName) return
    const taints = nodes.get(pod.spec.nodeName)?.spec?.taints ?? []
    const waitMs = stayMs(pod, taints)
    const uid = pod.metadata.uid ?? ''
    if (this.#planned.has(uid)) {
      // The plan of the first taint stays: later taints change it only if the pod may now stay for ever, or not at all.
      if (waitMs !== undefined && waitMs > 0) return
      this.cancel(pod)
      events.normal(pod, REASON, `Cancelling deletion of Pod ${objectKey(pod)}`)
    }
    if (waitMs === undefined) return
    if (waitMs === 0) this.#evictNow(pod)
    else
      this.#planned.set(
        uid,
        clock.after(waitMs, () => this.#evictNow(pod)),
      )
  }

  cancel({ metadata: { uid = '' } }: Pod): void {
    this.#planned.get(uid)?.()
    this.#planned.delete(uid)
  }

  close(): void {
    for (const cancel of this.#planned.values()) cancel()
  }

  #evictNow(pod: Pod): void {
    const { log, clock } = this.#deps
    const dueMs = clock.monotonic()
    this.#planned.delete(pod.metadata.uid ?? '')
    const evicted = this.#evict(pod).then(() => {
      this.#deletions.add()
      this.#delays.observe((clock.monotonic() - dueMs) / 1000)
    })
    void evicted.catch((error) => log.warn('a pod could not be evicted', { pod: pod.metadata.name, error }))
  }

  async #evict(planned: Pod): Promise<void> {
    const { client, clock, events, pods } = this.#deps
    const { uid } = planned.metadata
    // The pod may have changed since its deletion was planned.
    const latest = pods.get(objectKey(planned))
    const pod = latest?.metadata.uid === uid && latest !== undefined ? latest : planned
    events.normal(pod, REASON, `Marking for deletion Pod ${objectKey(pod)}`)
    const why = { reason: 'DeletionByTaintManager', message: 'Taint manager: deleting due to NoExecute taint' }
    if (!isMarked(pod, why)) {
      const status = { conditions: [disruptionTarget(pod, why, clock.now())] }
      const patch = { ...(uid === undefined ? {} : { metadata: { uid } }), status }
      await client.patch({ ...targetOf(PODS, pod), subresource: 'status' }, 'strategic', patch).catch(ignoring('NotFound', 'Conflict'))
    }
    await deleteObject(client, PODS, pod).catch(ignoring('NotFound', 'Conflict'))
  }
}
