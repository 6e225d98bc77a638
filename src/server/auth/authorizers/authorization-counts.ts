import { Counts, type Family, familiesOf, Histograms, labels } from '../../../base/exposition.ts'

/** The metrics of authorizers, with kube-apiserver's names. */
export class AuthorizationCounts {
  readonly #decisions = new Counts()
  readonly #questions = new Counts()
  readonly #seconds = new Histograms(SECONDS)
  readonly #failedOpen = new Counts()
  readonly #excluded = new Counts()
  readonly #conditionErrors = new Counts()
  readonly #reloads = new Counts()
  readonly #reloadTimes = new Map<string, number>()
  readonly #server: string

  /** `serverHash` is the server's id in these metrics: `sha256:…`. */
  constructor(serverHash: string) {
    this.#server = serverHash
  }

  /** Counts the decisions of an authorizer. */
  decisionsOf({ type, name }: { readonly type: string; readonly name: string }): (decision: 'allowed' | 'denied') => void {
    // Computed once, because this runs for every request.
    const keys = { allowed: labels({ type, name, decision: 'allowed' }), denied: labels({ type, name, decision: 'denied' }) }
    return (decision) => this.#decisions.bump(keys[decision])
  }

  condition(name: string, kind: 'excluded' | 'failed'): void {
    const counts = kind === 'excluded' ? this.#excluded : this.#conditionErrors
    counts.bump(labels({ type: 'Webhook', name }))
  }

  requested(name: string, call: { readonly result: string; readonly seconds: number; readonly failedOpen: boolean }): void {
    const key = labels({ name, result: call.result })
    this.#questions.bump(key)
    this.#seconds.observe(key, call.seconds)
    if (call.failedOpen) this.#failedOpen.bump(key)
  }

  reloaded(status: 'success' | 'failure', nowMs: number): void {
    const key = labels({ apiserver_id_hash: this.#server, status })
    this.#reloads.bump(key)
    this.#reloadTimes.set(key, nowMs / 1000)
  }

  families(): Family[] {
    const of = familiesOf('apiserver_authorization_')
    return [
      of('decisions_total', 'counter', 'Last words of authorizers.', this.#decisions),
      of('webhook_evaluations_total', 'counter', 'Questions to authorization webhooks.', this.#questions),
      of('webhook_duration_seconds', 'histogram', 'Time until an authorization webhook answered.', this.#seconds),
      of('webhook_evaluations_fail_open_total', 'counter', 'Failures of authorization webhooks that were passed over.', this.#failedOpen),
      of('match_condition_exclusions_total', 'counter', 'Requests about which conditions kept a webhook from being asked.', this.#excluded),
      of('match_condition_evaluation_errors_total', 'counter', 'Conditions that could not be evaluated.', this.#conditionErrors),
      of('config_controller_automatic_reloads_total', 'counter', 'New authorization configurations.', this.#reloads),
      of(
        'config_controller_automatic_reload_last_timestamp_seconds',
        'gauge',
        'When the authorization configuration was read again last.',
        this.#reloadTimes,
      ),
    ]
  }
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
