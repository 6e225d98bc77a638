import { onAbort } from '../../base/on-abort.ts'
import { Signal } from '../../base/signal.ts'
import { hasRunning, type RuntimePod, type RuntimeView, runtimePod } from '../runtime/runtime.ts'
import type { AdmitHandler, Refusal } from '../types/admit-handler.ts'
import type { Pod } from '../types/pod.ts'

export interface AdmissionQueueDeps {
  readonly handlers: readonly AdmitHandler[]
  readonly runtime: RuntimeView
  /** The pods that wait for admission, in order of arrival. */
  readonly arrivals: () => Iterable<Pod>
  /** The runtime's state when the agent started, by pod UID. */
  readonly recovered: () => ReadonlyMap<string, RuntimePod>
}

interface Preparation {
  readonly stop: AbortController
  done: boolean
  refusal: Refusal | undefined
}

async function firstRefusal(all: readonly Promise<Refusal | undefined>[]): Promise<Refusal | undefined> {
  return (await Promise.all(all)).find((r) => r !== undefined)
}

/** Decides which pod is admitted next, and starts the handlers' preparations before it is. */
export class AdmissionQueue {
  readonly #deps: AdmissionQueueDeps
  readonly #preparations = new Map<string, Preparation>()
  readonly #changed = new Signal()

  constructor(deps: AdmissionQueueDeps) {
    this.#deps = deps
  }

  /** Handles a new pod or a new version of one. The preparation of a pod that is being deleted is cancelled. */
  arrived({ metadata: { uid = '', deletionTimestamp } }: Pod): void {
    const preparation = this.#preparations.get(uid)
    if (deletionTimestamp !== undefined && preparation?.done === false) preparation.stop.abort(new Error('the pod is being deleted'))
    this.lookAgain()
  }

  lookAgain(): void {
    this.#changed.raise()
  }

  /** Resolves when `next` may return something else, or the signal is aborted. */
  async changed(signal: AbortSignal): Promise<void> {
    await this.#changed.wait({ signal })
  }

  /** Removes a pod that does not wait any more. */
  left(uid: string): void {
    this.#preparations.get(uid)?.stop.abort(new Error('the pod has gone'))
    this.#preparations.delete(uid)
  }

  /** Removes a pod that has been admitted or refused. */
  taken(uid: string): void {
    this.#preparations.delete(uid)
  }

  /** The error with which the preparation of a pod failed, if it did. */
  refusal(uid: string): Refusal | undefined {
    return this.#preparations.get(uid)?.refusal
  }

  /** The next pod to admit. Pods that ran before the agent started come first, because they hold resources already. */
  next(signal: AbortSignal): Pod | undefined {
    const { arrivals } = this.#deps
    const recovered = this.#deps.recovered()
    if (recovered.size > 0)
      for (const pod of arrivals()) if (recovered.has(pod.metadata.uid ?? '') && this.#prepared(pod, signal)) return pod
    for (const pod of arrivals()) if (this.#prepared(pod, signal)) return pod
    return undefined
  }

  /** Whether the preparation of the pod is complete. Starts the preparations that are missing. */
  #prepared(pod: Pod, signal: AbortSignal): boolean {
    const { handlers, recovered } = this.#deps
    const uid = pod.metadata.uid ?? ''
    const known = this.#preparations.get(uid)
    if (known !== undefined) return known.done
    if (pod.metadata.deletionTimestamp !== undefined) return true
    const stop = new AbortController()
    const prepare = (runs: boolean) => handlers.flatMap((h) => h.prepare?.({ pod, runs }, stop.signal) ?? [])
    const ran = hasRunning(recovered().get(uid))
    // The status has containers but the runtime had none when this agent started: a simulated runtime may have restored them since.
    const doubtful = !ran && pod.status.containerStatuses !== undefined && handlers.some((h) => h.prepare !== undefined)
    const begun = doubtful ? [this.#runsNow(uid, stop.signal).then((runs) => firstRefusal(prepare(runs)))] : prepare(ran)
    if (begun.length === 0) return true
    const preparation: Preparation = { stop, done: false, refusal: undefined }
    this.#preparations.set(uid, preparation)
    const listening = onAbort(signal, () => stop.abort(signal.reason))
    const finish = (refusal?: Refusal) => {
      listening[Symbol.dispose]()
      preparation.done = true
      preparation.refusal = refusal
      this.lookAgain()
      // The pod was removed meanwhile, so its resources have to be released here.
      if (this.#preparations.get(uid) !== preparation && !signal.aborted) for (const handler of handlers) handler.release(pod)
    }
    firstRefusal(begun).then(finish, () => finish())
    return false
  }

  async #runsNow(uid: string, signal: AbortSignal): Promise<boolean> {
    return hasRunning(await runtimePod(this.#deps.runtime, uid, signal))
  }
}
