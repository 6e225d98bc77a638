import { Signal } from '../../base/signal.ts'
import type { Pod } from '../pod/pod-types.ts'
import { hasRunning, type Runtime, type RuntimePod, runtimePod } from '../runtime/runtime.ts'
import type { AdmitHandler, Refusal } from './admit-handler.ts'

export interface ArrivalsDeps {
  readonly handlers: readonly AdmitHandler[]
  readonly runtime: Runtime
  /** What the runtime had when the agent began, by pod uid. */
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

/** The pods that wait for admission, as they were last seen, and what is done for them before their turn. First come, first asked. */
export class Arrivals {
  readonly #deps: ArrivalsDeps
  readonly #pods = new Map<string, Pod>()
  readonly #preparations = new Map<string, Preparation>()
  readonly #changed = new Signal()

  constructor(deps: ArrivalsDeps) {
    this.#deps = deps
  }

  has(uid: string): boolean {
    return this.#pods.has(uid)
  }

  uids(): Iterable<string> {
    return this.#pods.keys()
  }

  /** A pod has come, or is another than before. */
  add(pod: Pod): void {
    const uid = pod.metadata.uid ?? ''
    this.#pods.set(uid, pod)
    if (pod.metadata.deletionTimestamp !== undefined) this.#skipPreparation(uid)
    this.lookAgain()
  }

  lookAgain(): void {
    this.#changed.raise()
  }

  /** Resolves when `next` may have another answer. */
  async changed(signal: AbortSignal): Promise<void> {
    await this.#changed.wait({ signal })
  }

  /** The pod waits for admission no more. */
  leave(uid: string): void {
    this.#pods.delete(uid)
    this.#preparations.get(uid)?.stop.abort(new Error('the pod has gone'))
    this.#preparations.delete(uid)
  }

  /** Its turn is over: the pod as it stands now, if it is still there. */
  take(uid: string): Pod | undefined {
    const pod = this.#pods.get(uid)
    this.#pods.delete(uid)
    this.#preparations.delete(uid)
    return pod
  }

  /** Why what was done for it before its turn has failed. */
  refusal(uid: string): Refusal | undefined {
    return this.#preparations.get(uid)?.refusal
  }

  /** Whose turn it is. Pods that ran before are asked about first: what they hold is theirs. */
  next(signal: AbortSignal): Pod | undefined {
    const recovered = this.#deps.recovered()
    if (recovered.size > 0) for (const [uid, pod] of this.#pods) if (recovered.has(uid) && this.#prepared(pod, signal)) return pod
    for (const pod of this.#pods.values()) if (this.#prepared(pod, signal)) return pod
    return undefined
  }

  /** Nothing is taken any more for what is being deleted: it is only led to its end. */
  #skipPreparation(uid: string): void {
    const preparation = this.#preparations.get(uid)
    if (preparation?.done === false) preparation.stop.abort(new Error('the pod is being deleted'))
  }

  /** Whether nothing has to be done any more before this pod's turn; begins with what has to be. */
  #prepared(pod: Pod, signal: AbortSignal): boolean {
    const { handlers, recovered } = this.#deps
    const uid = pod.metadata.uid ?? ''
    const known = this.#preparations.get(uid)
    if (known !== undefined) return known.done
    if (pod.metadata.deletionTimestamp !== undefined) return true
    const stop = new AbortController()
    const ask = (runs: boolean) => handlers.flatMap((h) => h.prepare?.({ pod, runs }, stop.signal) ?? [])
    const ran = hasRunning(recovered().get(uid))
    // Its status says that it ran, and nothing of it was there when this agent began: a runtime may have remembered it since.
    const doubtful = !ran && pod.status.containerStatuses !== undefined && handlers.some((h) => h.prepare !== undefined)
    const begun = doubtful ? [this.#runsNow(uid, stop.signal).then((runs) => firstRefusal(ask(runs)))] : ask(ran)
    if (begun.length === 0) return true
    const preparation: Preparation = { stop, done: false, refusal: undefined }
    this.#preparations.set(uid, preparation)
    const end = () => stop.abort(signal.reason)
    signal.addEventListener('abort', end, { once: true })
    const settle = (refusal?: Refusal) => {
      signal.removeEventListener('abort', end)
      preparation.done = true
      preparation.refusal = refusal
      this.lookAgain()
      // It left while this was under way: nobody else will give back what was taken.
      if (this.#preparations.get(uid) !== preparation && !signal.aborted) for (const handler of handlers) handler.release(pod)
    }
    firstRefusal(begun).then(settle, () => settle())
    return false
  }

  async #runsNow(uid: string, signal: AbortSignal): Promise<boolean> {
    return hasRunning(await runtimePod(this.#deps.runtime, uid, signal))
  }
}
