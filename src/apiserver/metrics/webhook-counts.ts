import { Counts, type Family, familiesOf, Histograms, labels } from '../../base/exposition.ts'

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
  readonly #durations = new Histograms(SECONDS)
  readonly #rejections = new Counts()
  readonly #open = new Counts()

  note(call: WebhookCall): void {
    const { name, operation } = call
    const type = call.mutating ? 'admit' : 'validating'
    const rejected = call.ended === 'denied' || (call.ended === 'failed' && !call.open)
    this.#durations.observe(labels({ name, operation, rejected: String(rejected), type }), call.seconds)
    if (call.ended === 'failed' && call.open) this.#open.bump(labels({ name, type }))
    if (!rejected) return
    const error_type = call.ended === 'failed' ? 'calling_webhook_error' : 'no_error'
    const rejection_code = String(call.ended === 'failed' ? 0 : call.code)
    this.#rejections.bump(labels({ error_type, name, operation, rejection_code, type }))
  }

  families(): Family[] {
    const of = familiesOf('apiserver_admission_webhook_')
    return [
      of('admission_duration_seconds', 'histogram', 'Time until an admission webhook answered.', this.#durations),
      of('rejection_count', 'counter', 'Requests that an admission webhook refused, or that failed with it.', this.#rejections),
      of('fail_open_count', 'counter', 'Failures of admission webhooks that were passed over.', this.#open),
    ]
  }
}
