import type { Node } from '../../resources/types/core.ts'
import type { AdmitRequest, Refusal } from '../types/admit-handler.ts'
import type { Pod } from '../types/pod.ts'
import type { AdmissionQueue } from './admission-queue.ts'
import type { AdmitHandlers } from './admit-handlers.ts'
import type { PodTable } from './pod-table.ts'

export interface AdmissionLoopDeps {
  readonly pods: PodTable
  readonly queue: AdmissionQueue
  readonly handlers: AdmitHandlers
  /** The node as the API has it; undefined until it is known. */
  readonly node: () => Node | undefined
  /** Whether containers of the pod ran before this agent began. */
  readonly recovered: (pod: Pod) => boolean
  /** Ends a pod whose resources a critical pod needs. Resolves when none of its containers runs any more. */
  readonly preempt: (victim: Pod) => Promise<void>
  /** The pod may start. */
  readonly admit: (pod: Pod) => void
  readonly refuse: (pod: Pod, refusal: Refusal) => void
}

/** Admits pods one after the other until the signal is aborted. Pods wait until the Node object is known. */
export async function runAdmission(deps: AdmissionLoopDeps, signal: AbortSignal): Promise<void> {
  const { pods, queue, handlers } = deps
  while (!signal.aborted) {
    const node = deps.node()
    const pod = node && queue.next(signal)
    if (node === undefined || pod === undefined) {
      await queue.changed(signal)
      continue
    }
    const uid = pod.metadata.uid ?? ''
    const refusal = queue.refusal(uid) ?? (await handlers.admit(requestFor(deps, pod, node), signal))
    if (signal.aborted) return
    queue.taken(uid)
    // The pod may have changed, ended or gone while the handlers decided. A handler that refuses has released everything already.
    const latest = pods.arriving(uid)
    if (refusal !== undefined) {
      if (latest !== undefined) deps.refuse(latest, refusal)
    } else if (latest === undefined) handlers.release(pod)
    else deps.admit(latest)
  }
}

function requestFor({ pods, handlers, preempt, recovered }: AdmissionLoopDeps, pod: Pod, node: Node): AdmitRequest {
  return {
    pod,
    node,
    get taken() {
      return pods.counted()
    },
    count: pods.count,
    held: (resource) => pods.requested(resource),
    recovered: recovered(pod),
    isAccounted: (resource) => handlers.accountsFor(pod, resource),
    preempt,
  }
}
