import type { ProbeOutcome } from './run-probe.ts'

/** The counts of one kind of probe of a container. */
export interface ProbeCount {
  readonly kind: 'liveness' | 'readiness' | 'startup'
  readonly pod: { readonly name: string; readonly namespace: string; readonly uid: string }
  readonly container: string
  readonly results: { successful: number; failed: number; unknown: number }
  /** Counts by the smallest bound of `DURATION_BOUNDS` that is not exceeded; the last one has no bound. */
  readonly durations: number[]
  sumSeconds: number
}

/** Prometheus' default buckets, in seconds. */
export const DURATION_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** The results of a node's probes. Those of deleted pods are dropped. */
export class ProbeCounts {
  readonly #byPod = new Map<string, Map<string, ProbeCount>>()

  count(about: Pick<ProbeCount, 'kind' | 'pod' | 'container'>, outcome: ProbeOutcome, seconds: number): void {
    const { kind, pod, container } = about
    const counts = this.#byPod.get(pod.uid) ?? new Map<string, ProbeCount>()
    this.#byPod.set(pod.uid, counts)
    const key = `${kind} ${container}`
    const known = counts.get(key) ?? {
      kind,
      pod,
      container,
      results: { successful: 0, failed: 0, unknown: 0 },
      durations: new Array<number>(DURATION_BOUNDS.length + 1).fill(0),
      sumSeconds: 0,
    }
    counts.set(key, known)
    known.results[outcome.kind === 'failure' ? 'failed' : outcome.kind === 'error' ? 'unknown' : 'successful']++
    const above = DURATION_BOUNDS.findIndex((bound) => seconds <= bound)
    const at = above < 0 ? DURATION_BOUNDS.length : above
    known.durations[at] = (known.durations[at] ?? 0) + 1
    known.sumSeconds += seconds
  }

  forget(podUid: string): void {
    this.#byPod.delete(podUid)
  }

  all(): readonly ProbeCount[] {
    return [...this.#byPod.values()].flatMap((counts) => [...counts.values()])
  }
}
