import { type Family, labels } from '../../../base/exposition.ts'

/** The metrics of authentication, with kube-apiserver's names. */
export class AuthenticationCounts {
  readonly #reloads = new Map<string, number>()
  readonly #reloadTimes = new Map<string, number>()
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

  families(): Family[] {
    const name = 'apiserver_authentication_config_controller_automatic_reload'
    return [
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
