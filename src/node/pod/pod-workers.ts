import type { PodWorker } from './pod-worker.ts'

/** The first call of a worker. */
type Tell = (worker: PodWorker) => void

interface Working {
  readonly worker: PodWorker
  readonly done: Promise<void>
}

/** The workers of a node's pods, by uid. A pod that needs nothing has none: it rests, and gets a worker when something changes. */
export class PodWorkers {
  readonly #working = new Map<string, Working>()
  readonly #resting = new Set<string>()
  readonly #wake: (uid: string, tell: Tell) => void

  /** `wake` starts a worker for a pod that has rested; it begins where the last one stopped. */
  constructor(wake: (uid: string, tell: Tell) => void) {
    this.#wake = wake
  }

  /** How many pods are worked on at the moment. */
  get count(): number {
    return this.#working.size
  }

  /** Whether the pod has a worker, or rests. */
  has(uid: string): boolean {
    return this.#working.has(uid) || this.#resting.has(uid)
  }

  rests(uid: string): boolean {
    return this.#resting.has(uid)
  }

  /** The worker of the pod; undefined while it rests. */
  working(uid: string): PodWorker | undefined {
    return this.#working.get(uid)?.worker
  }

  /** The worker of the pod, with `tell` as its first call; a pod that rests gets one. */
  of(uid: string, tell: Tell = () => {}): PodWorker | undefined {
    const known = this.working(uid)
    if (known !== undefined) tell(known)
    else if (this.#resting.delete(uid)) this.#wake(uid, tell)
    return this.working(uid)
  }

  /** Has it work on the pod; `ended` is called when it has come to its end, or was left, but not when the pod only rests. */
  start(uid: string, worker: PodWorker, ended: () => void): void {
    const done = worker.run().then((rests) => {
      if (rests) return
      this.#working.delete(uid)
      ended()
    })
    this.#working.set(uid, { worker, done })
  }

  /** The pod rests from now on. True when it had a worker. */
  rest(uid: string): boolean {
    this.#resting.add(uid)
    return this.#working.delete(uid)
  }

  lookAtAll(): void {
    for (const uid of [...this.#working.keys(), ...this.#resting]) this.of(uid)?.look()
  }

  /** There may be room for pods that wait for a resize; none of them rests. */
  roomAgain(): void {
    for (const { worker } of this.#working.values()) worker.roomAgain()
  }

  /** All workers stop, and what runs goes on. */
  leave(reason: unknown): void {
    for (const { worker } of this.#working.values()) worker.leave(reason)
  }

  /** Resolves when all present workers have ended. */
  async done(): Promise<void> {
    await Promise.all([...this.#working.values()].map((w) => w.done))
  }
}
