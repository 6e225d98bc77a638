import { compareResizes } from './plan/resize-order.ts'
import type { PodWorker } from './pod-worker.ts'

/** The first call to a worker. */
type Tell = (worker: PodWorker) => void

interface Working {
  readonly worker: PodWorker
  readonly done: Promise<void>
}

/** The workers of a node's pods, by UID. An idle pod has none; it gets one when something changes. */
export class PodWorkers {
  readonly #working = new Map<string, Working>()
  readonly #resting = new Set<string>()
  readonly #wake: (uid: string, notify: Tell) => void

  /** `wake` starts a worker for an idle pod; it continues where the last one stopped. */
  constructor(wake: (uid: string, notify: Tell) => void) {
    this.#wake = wake
  }

  /** The number of pods that have a worker. */
  get count(): number {
    return this.#working.size
  }

  /** Whether the pod has a worker, or is idle. */
  has(uid: string): boolean {
    return this.#working.has(uid) || this.#resting.has(uid)
  }

  rests(uid: string): boolean {
    return this.#resting.has(uid)
  }

  /** The worker of the pod; undefined while it is idle. */
  working(uid: string): PodWorker | undefined {
    return this.#working.get(uid)?.worker
  }

  /** The worker of the pod, with `tell` as its first call; an idle pod gets one. */
  of(uid: string, notify: Tell = () => {}): PodWorker | undefined {
    const known = this.working(uid)
    if (known !== undefined) notify(known)
    else if (this.#resting.delete(uid)) this.#wake(uid, notify)
    return this.working(uid)
  }

  /** Runs a worker; `ended` is called when it has ended or was left, but not when the pod becomes idle. */
  start(uid: string, worker: PodWorker, ended: () => void): void {
    const done = worker.run().then((rests) => {
      if (rests) return
      this.#working.delete(uid)
      ended()
    })
    this.#working.set(uid, { worker, done })
  }

  /** Marks the pod idle. True if it had a worker. */
  rest(uid: string): boolean {
    this.#resting.add(uid)
    return this.#working.delete(uid)
  }

  lookAtAll(): void {
    for (const uid of [...this.#working.keys(), ...this.#resting]) this.of(uid)?.look()
  }

  /** Wakes the pods that wait for a resize, in the kubelet's order; none of them is idle. */
  resourcesFreed(): void {
    const pending = [...this.#working.values()].flatMap(({ worker }) => {
      const resize = worker.pendingResize
      return resize === undefined ? [] : [{ worker, resize }]
    })
    pending.sort((a, b) => compareResizes(a.resize, b.resize))
    for (const { worker } of pending) worker.look()
  }

  /** All workers stop; containers keep running. */
  leave(reason: unknown): void {
    for (const { worker } of this.#working.values()) worker.leave(reason)
  }

  /** Resolves when all current workers have ended. */
  async done(): Promise<void> {
    await Promise.all([...this.#working.values()].map((w) => w.done))
  }
}
