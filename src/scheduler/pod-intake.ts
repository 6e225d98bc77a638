import type { PodInfo } from './cache/pod-info.ts'
import type { WaitingPods } from './framework/waiting-pods.ts'
import type { Nominations } from './nominations.ts'
import { asksTheSame } from './pod-facts.ts'
import type { SchedulingQueue } from './queue/scheduling-queue.ts'

export interface PodIntakeDeps {
  readonly queue: SchedulingQueue
  readonly nominations: Nominations
  readonly waitingPods: WaitingPods
  /** Whether the pod names one of this scheduler's profiles. */
  readonly serves: (info: PodInfo) => boolean
}

/** Puts pods without a node into the queue, and takes them out when they are deleted or bound. */
export class PodIntake {
  readonly #deps: PodIntakeDeps

  constructor(deps: PodIntakeDeps) {
    this.#deps = deps
  }

  /** `old`: the state of the pod before, or of another pod that had its name. */
  waiting(info: PodInfo, old: PodInfo | undefined): void {
    const { queue, serves } = this.#deps
    if (!serves(info)) return
    if (old !== undefined && old.uid !== info.uid) this.gone(old)
    this.#updateNomination(info, old)
    if (info.terminating) queue.remove(info.key)
    else if (old === undefined || old.uid !== info.uid) queue.add(info)
    // Only the status changed, usually by this scheduler: that is no reason to try the pod again.
    else if (asksTheSame(info.pod, old.pod)) queue.refresh(info)
    else queue.update(info, old)
  }

  gone({ key, uid }: PodInfo): void {
    const { queue, nominations, waitingPods } = this.#deps
    queue.remove(key)
    nominations.delete(key)
    for (const plugin of waitingPods.get(uid)?.pending ?? []) waitingPods.reject(uid, plugin, 'the pod was deleted')
  }

  #updateNomination(info: PodInfo, old: PodInfo | undefined): void {
    const { nominations } = this.#deps
    const node = info.pod.status?.nominatedNodeName
    const before = old?.pod.status?.nominatedNodeName
    if (node) nominations.set(info, node)
    else if (before && nominations.nodeOf(info.key) === before) nominations.delete(info.key)
  }
}
