import { type Family, labels } from '../../../base/exposition.ts'
import { type CounterMetric, gauge, MetricSet } from '../../../base/metrics.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const PREFIX = 'apiserver_authorization_'

/** The metrics of authorizers, with kube-apiserver's names. */
export class AuthorizationCounts {
  readonly #metrics = new MetricSet()
  readonly #decisions = this.#counter('decisions_total', ['type', 'name', 'decision'], 'Last words of authorizers.')
  readonly #calls = this.#counter('webhook_evaluations_total', ['name', 'result'], 'Calls of authorization webhooks.')
  readonly #seconds = this.#metrics.histogram({
    name: `${PREFIX}webhook_duration_seconds`,
    help: 'Time until an authorization webhook answered.',
    labels: ['name', 'result'],
    bounds: SECONDS,
  })
  readonly #failedOpen = this.#counter(
    'webhook_evaluations_fail_open_total',
    ['name', 'result'],
    'Failures of authorization webhooks that were passed over.',
  )
  readonly #excluded = this.#counter(
    'match_condition_exclusions_total',
    ['type', 'name'],
    'Requests about which conditions kept a webhook from being asked.',
  )
  readonly #conditionErrors = this.#counter(
    'match_condition_evaluation_errors_total',
    ['type', 'name'],
    'Conditions that could not be evaluated.',
  )
  readonly #reloads = this.#counter(
    'config_controller_automatic_reloads_total',
    ['apiserver_id_hash', 'status'],
    'New authorization configurations.',
  )
  readonly #reloadedAt = new Map<string, number>()
  readonly #server: string

  /** `serverHash` is the server's id in these metrics: `sha256:…`. */
  constructor(serverHash: string) {
    this.#server = serverHash
  }

  /** Counts the decisions of an authorizer. */
  decisionsOf({ type, name }: { readonly type: string; readonly name: string }): (decision: 'allowed' | 'denied') => void {
    // Made once, because this runs for every request.
    const values = { allowed: [type, name, 'allowed'], denied: [type, name, 'denied'] }
    return (decision) => this.#decisions.add(values[decision])
  }

  condition(name: string, kind: 'excluded' | 'failed'): void {
    const counter = kind === 'excluded' ? this.#excluded : this.#conditionErrors
    counter.add(['Webhook', name])
  }

  requested(name: string, call: { readonly result: string; readonly seconds: number; readonly failedOpen: boolean }): void {
    const values = [name, call.result]
    this.#calls.add(values)
    this.#seconds.observe(call.seconds, values)
    if (call.failedOpen) this.#failedOpen.add(values)
  }

  reloaded(status: 'success' | 'failure', nowMs: number): void {
    this.#reloads.add([this.#server, status])
    this.#reloadedAt.set(labels({ apiserver_id_hash: this.#server, status }), nowMs / 1000)
  }

  families(): Family[] {
    const name = `${PREFIX}config_controller_automatic_reload_last_timestamp_seconds`
    const help = 'When the authorization configuration was read again last.'
    return [...this.#metrics.families(), gauge({ name, help }, this.#reloadedAt)]
  }

  #counter(name: string, labels: readonly string[], help: string): CounterMetric {
    return this.#metrics.counter({ name: `${PREFIX}${name}`, help, labels })
  }
}
