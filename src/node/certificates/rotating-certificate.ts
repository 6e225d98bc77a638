import type { Clock } from '../../base/clock.ts'
import type { Family } from '../../base/exposition.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { counter, gauge } from '../../base/metrics.ts'
import { pause } from '../../base/pause.ts'
import type { Random } from '../../base/random.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { MetricSource } from '../metrics/metric-source.ts'
import type { CertificateStore } from './certificate-store.ts'
import { type CertificateWish, type KeyedCertificate, lifetimeOf, requestCertificate, SERVING_SIGNER } from './signed-certificate.ts'

export interface RotatingCertificateConfig {
  readonly wish: CertificateWish
  readonly store: CertificateStore
  /** Used until there is one in the store. Undefined: there is none. */
  readonly first?: KeyedCertificate | undefined
}

export interface RotatingCertificateDeps {
  /** Who asks for the next one. */
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Called with each new certificate. */
  readonly changed: (certificate: KeyedCertificate) => void
}

/** Kubelet's values: when in its life a certificate is replaced, and how long it waits between attempts. */
const REPLACED_AFTER = { least: 0.7, spread: 0.2 }
const RETRY = { firstMs: 2000, mostMs: 128_000 }

/** A certificate of a node, which is asked for again before it ends. */
export class RotatingCertificate implements MetricSource {
  readonly #config: RotatingCertificateConfig
  readonly #deps: RotatingCertificateDeps
  #current: KeyedCertificate | undefined
  /** Attempts to replace it that failed. */
  #errors = 0

  constructor(config: RotatingCertificateConfig, deps: RotatingCertificateDeps) {
    this.#config = config
    this.#deps = deps
    const stored = config.store.read()
    this.#current = stored !== undefined && lifetimeOf(stored).untilMs > deps.clock.now() ? stored : config.first
  }

  /** Undefined: there is none that is still valid. */
  get current(): KeyedCertificate | undefined {
    return this.#current
  }

  /** How long it is valid, and how often it could not be replaced, in the kubelet's words. */
  families(): readonly Family[] {
    const role = this.#config.wish.signerName === SERVING_SIGNER ? 'server' : 'client'
    const manager = 'kubelet_certificate_manager'
    const left = this.#current === undefined ? [] : [(lifetimeOf(this.#current).untilMs - this.#deps.clock.now()) / 1000]
    const errors = role === 'server' ? 'kubelet_server_expiration_renew_errors' : `${manager}_client_expiration_renew_errors`
    return [
      gauge(
        { name: `${manager}_${role}_ttl_seconds`, help: 'How long the certificate is still valid.' },
        left.map((seconds) => ['', seconds] as const),
      ),
      counter({ name: errors, help: 'Attempts to replace the certificate that failed.' }, [['', this.#errors]]),
    ]
  }

  /** Asks for a new one at its time, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    let retryMs = RETRY.firstMs
    while (!signal.aborted) {
      await pause(clock, Math.max(0, this.#dueMs() - clock.now()), signal)
      if (signal.aborted) return
      try {
        await this.#renew(signal)
        retryMs = RETRY.firstMs
      } catch (error) {
        if (signal.aborted) return
        this.#errors++
        log.warn(`no new certificate of ${this.#config.wish.signerName}, trying again`, { error: messageOf(error) })
        await pause(clock, retryMs, signal)
        retryMs = Math.min(retryMs * 2, RETRY.mostMs)
      }
    }
  }

  #dueMs(): number {
    if (this.#current === undefined) return Number.NEGATIVE_INFINITY
    const { fromMs, untilMs } = lifetimeOf(this.#current)
    return fromMs + (untilMs - fromMs) * (REPLACED_AFTER.least + REPLACED_AFTER.spread * this.#deps.random.next())
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { clock, changed } = this.#deps
    const { wish, store } = this.#config
    const made = await requestCertificate(wish, this.#deps, signal)
    store.write(made, clock.now())
    this.#current = made
    changed(made)
  }
}
