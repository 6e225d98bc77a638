import { type Family, Histogram, label, labels, type Sample } from '../../../base/exposition.ts'

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

/** The metrics of authentication, with kube-apiserver's names. */
export class AuthenticationCounts {
  readonly #reloads = new Map<string, number>()
  readonly #reloadTimes = new Map<string, number>()
  readonly #lifetimes = new Histogram(LIFETIMES)
  readonly #tokens = { hit: 0, miss: 0 }
  readonly #fetches = { ok: 0, error: 0 }
  readonly #server: string

  /** `serverHash` is the server's id in these metrics: `sha256:…`. */
  constructor(serverHash: string) {
    this.#server = serverHash
  }

  reloaded(status: 'success' | 'failure', nowMs: number): void {
    const key = labels({ apiserver_id_hash: this.#server, status })
    this.#reloads.set(key, (this.#reloads.get(key) ?? 0) + 1)
    this.#reloadTimes.set(key, nowMs / 1000)
  }

  /** A request was authenticated by a certificate that is valid until then. */
  certificate(validTo: number | undefined, nowMs: number): void {
    if (validTo !== undefined) this.#lifetimes.observe((validTo - nowMs) / 1000)
  }

  tokenLookedUp(status: 'hit' | 'miss'): void {
    this.#tokens[status]++
  }

  tokenFetched(status: 'ok' | 'error'): void {
    this.#fetches[status]++
  }

  families(): Family[] {
    const byStatus = (counts: Readonly<Record<string, number>>): Sample[] =>
      Object.entries(counts).flatMap(([status, n]): Sample[] => (n === 0 ? [] : [[label('status', status), n]]))
    const name = 'apiserver_authentication_config_controller_automatic_reload'
    return [
      {
        name: 'apiserver_client_certificate_expiration_seconds',
        type: 'histogram',
        help: 'For how long the client certificates of requests were still valid.',
        samples: [['', this.#lifetimes]],
      },
      {
        name: 'authentication_token_cache_request_total',
        type: 'counter',
        help: 'Looks for tokens whose result may be known.',
        samples: byStatus(this.#tokens),
      },
      {
        name: 'authentication_token_cache_fetch_total',
        type: 'counter',
        help: 'Tokens for which authenticators were asked.',
        samples: byStatus(this.#fetches),
      },
      { name: `${name}s_total`, type: 'counter', help: 'New authentication configurations.', samples: this.#reloads },
      {
        name: `${name}_last_timestamp_seconds`,
        type: 'gauge',
        help: 'When the authentication configuration was read again last.',
        samples: this.#reloadTimes,
      },
    ]
  }
}
