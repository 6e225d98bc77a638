import type { Family } from '../../base/exposition.ts'
import { MetricSet } from '../../base/metrics.ts'

/** The result of one call of an admission webhook. */
export interface WebhookCall {
  readonly name: string
  readonly mutating: boolean
  readonly operation: string
  readonly seconds: number
  /** `failed`: the call failed, or its response was invalid. */
  readonly ended: 'allowed' | 'denied' | 'failed'
  /** The code of a denial. */
  readonly code: number
  /** A failure that `failurePolicy: Ignore` permits. */
  readonly open: boolean
}

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25]

/** Counts of admission webhook calls, by the webhooks' names. */
export class WebhookCounts {
  readonly #metrics = new MetricSet()
  readonly #durations = this.#metrics.histogram({
    name: 'apiserver_admission_webhook_admission_duration_seconds',
    help: 'Time until an admission webhook answered.',
    labels: ['name', 'operation', 'rejected', 'type'],
    bounds: SECONDS,
    stability: 'STABLE',
  })
  readonly #rejections = this.#metrics.counter({
    name: 'apiserver_admission_webhook_rejection_count',
    help: 'Requests that an admission webhook refused, or that failed with it.',
    labels: ['error_type', 'name', 'operation', 'rejection_code', 'type'],
  })
  readonly #open = this.#metrics.counter({
    name: 'apiserver_admission_webhook_fail_open_count',
    help: 'Failures of admission webhooks that were passed over.',
    labels: ['name', 'type'],
  })

  note(call: WebhookCall): void {
    const { name, operation } = call
    const type = call.mutating ? 'admit' : 'validating'
    const failed = call.ended === 'failed'
    const rejected = call.ended === 'denied' || (failed && !call.open)
    this.#durations.observe(call.seconds, [name, operation, String(rejected), type])
    if (failed && call.open) this.#open.add([name, type])
    if (rejected)
      this.#rejections.add([failed ? 'calling_webhook_error' : 'no_error', name, operation, String(failed ? 0 : call.code), type])
  }

  families(): Family[] {
    return this.#metrics.families()
  }
}
