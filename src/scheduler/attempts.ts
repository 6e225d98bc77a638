import type { Decision } from './framework/decision.ts'

/** One attempt to schedule a pod, kept for explanations. */
export interface Attempt {
  readonly pod: string
  readonly uid: string
  readonly schedulerName: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** How many attempts there were, this one included. */
  readonly number: number
  readonly decision: Decision
}

const MAX_KEPT = 512

/** The last attempt of each pod, for the pods tried most lately. */
export class Attempts {
  readonly #byPod = new Map<string, Attempt>()

  keep(attempt: Attempt): void {
    this.#byPod.delete(attempt.pod)
    this.#byPod.set(attempt.pod, attempt)
    if (this.#byPod.size > MAX_KEPT) for (const oldest of this.#byPod.keys()) if (this.#byPod.delete(oldest)) break
  }

  /** By `namespace/name`. */
  of(pod: string): Attempt | undefined {
    return this.#byPod.get(pod)
  }
}
