import { type Family, labels } from '../../../base/exposition.ts'
import { gauge, MetricSet } from '../../../base/metrics.ts'

const [HOUR, DAY] = [3600, 86_400]
/** Kube-apiserver's, in seconds: from expired to a year. */
const LIFETIMES = [
  0,
  HOUR / 2,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  4 * DAY,
  7 * DAY,
  30 * DAY,
  90 * DAY,
  180 * DAY,
  360 * DAY,
]

const RELOAD = 'apiserver_authentication_config_controller_automatic_reload'

/** The metrics of authentication, with kube-apiserver's names. */
export class AuthenticationCounts {
  readonly #metrics = new MetricSet()
  readonly #lifetimes = this.#metrics.histogram({
    name: 'apiserver_client_certificate_expiration_seconds',
    help: 'For how long the client certificates of requests were still valid.',
    bounds: LIFETIMES,
  })
  readonly #tokens = this.#metrics.counter({
    name: 'authentication_token_cache_request_total',
    help: 'Looks for tokens whose result may be known.',
    labels: ['status'],
  })
  readonly #fetches = this.#metrics.counter({
    name: 'authentication_token_cache_fetch_total',
    help: 'Tokens for which authenticators were asked.',
    labels: ['status'],
  })
  readonly #reloads = this.#metrics.counter({
    name: `${RELOAD}s_total`,
    help: 'New authentication configurations.',
    labels: ['apiserver_id_hash', 'status'],
  })
  readonly #reloadedAt = new Map<string, number>()
  readonly #server: string

  /** `serverHash` is the server's id in these metrics: `sha256:…`. */
  constructor(serverHash: string) {
    this.#server = serverHash
  }

  reloaded(status: 'success' | 'failure', nowMs: number): void {
    this.#reloads.add([this.#server, status])
    this.#reloadedAt.set(labels({ apiserver_id_hash: this.#server, status }), nowMs / 1000)
  }

  /** A request was authenticated by a certificate that is valid until then. */
  certificate(validTo: number | undefined, nowMs: number): void {
    if (validTo !== undefined) this.#lifetimes.observe((validTo - nowMs) / 1000)
  }

  tokenLookedUp(status: 'hit' | 'miss'): void {
    this.#tokens.add([status])
  }

  tokenFetched(status: 'ok' | 'error'): void {
    this.#fetches.add([status])
  }

  families(): Family[] {
    const help = 'When the authentication configuration was read again last.'
    return [...this.#metrics.families(), gauge({ name: `${RELOAD}_last_timestamp_seconds`, help }, this.#reloadedAt)]
  }
}
