import { exponentialBounds, type Family, Histogram, Histograms, labels, type Sample } from '../base/exposition.ts'

/** How an attempt ended, in kube-scheduler's words. */
export type AttemptResult = 'scheduled' | 'unschedulable' | 'error'

/** Pods by where they wait. */
export interface PendingPods {
  readonly active: number
  readonly backoff: number
  readonly unschedulable: number
}

/** From 1 ms to 16 s. */
const SECONDS = exponentialBounds(0.001, 2, 15)
const ATTEMPTS = exponentialBounds(1, 2, 5)

/** Counts attempts, for `scheduler_*`. */
export class SchedulerMetrics {
  /** By profile and result. */
  readonly #attempts = new Histograms(SECONDS)
  readonly #untilScheduled = new Histogram(ATTEMPTS)

  /** `number`: how many attempts the pod has had, this one included. */
  attempted(one: { readonly profile: string; readonly result: AttemptResult; readonly seconds: number; readonly number: number }): void {
    this.#attempts.observe(labels({ profile: one.profile, result: one.result }), one.seconds)
    if (one.result === 'scheduled') this.#untilScheduled.observe(one.number)
  }

  families(pending: PendingPods): Family[] {
    const attempts = [...this.#attempts]
    const counts = attempts.map(([key, { counts: each }]): Sample => [key, each.reduce((sum, n) => sum + n, 0)])
    return [
      { name: 'scheduler_schedule_attempts_total', type: 'counter', help: 'Attempts by how they ended.', samples: counts },
      {
        name: 'scheduler_scheduling_attempt_duration_seconds',
        type: 'histogram',
        help: 'How long attempts took, with binding.',
        samples: attempts,
      },
      {
        name: 'scheduler_pod_scheduling_attempts',
        type: 'histogram',
        help: 'Attempts until a pod had a node.',
        samples: [['', this.#untilScheduled]],
      },
      {
        name: 'scheduler_pending_pods',
        type: 'gauge',
        help: 'Pods that wait, by queue.',
        samples: Object.entries(pending).map(([queue, pods]): Sample => [labels({ queue }), pods]),
      },
    ]
  }
}
