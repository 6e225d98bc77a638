import type { Clock } from '../../base/clock.ts'
import type { TokenSource } from './volume-types.ts'

/** A token and its lifetime. */
export interface IssuedToken {
  readonly token: string
  readonly expiresAtMs: number
}

/** Requests a token of the pod's service account, bound to the pod. */
export type IssueToken = (request: { readonly audience: string | undefined; readonly expirationSeconds: number }) => Promise<IssuedToken>

interface CachedToken extends IssuedToken {
  readonly issuedAtMs: number
}

const DEFAULT_SECONDS = 3600
const DAY_MS = 24 * 60 * 60 * 1000

/** The tokens of one pod, renewed after four fifths of their lifetime, or after a day, as in the kubelet. */
export class ServiceAccountTokens {
  readonly #issue: IssueToken
  readonly #clock: Clock
  readonly #held = new Map<string, CachedToken>()

  constructor(issue: IssueToken, clock: Clock) {
    this.#issue = issue
    this.#clock = clock
  }

  /** Loads or renews the tokens. One that cannot be renewed is kept while it is valid. */
  async renew(sources: readonly TokenSource[]): Promise<void> {
    await Promise.all(sources.map((source) => this.#renew(source)))
  }

  of(source: TokenSource): string {
    return this.#held.get(keyOf(source))?.token ?? ''
  }

  async #renew(source: TokenSource): Promise<void> {
    const held = this.#held.get(keyOf(source))
    const now = this.#clock.now()
    if (held !== undefined && now < dueAt(held)) return
    const { audience, expirationSeconds = DEFAULT_SECONDS } = source
    try {
      const issued = await this.#issue({ audience: audience === '' ? undefined : audience, expirationSeconds })
      this.#held.set(keyOf(source), { ...issued, issuedAtMs: now })
    } catch (error) {
      if (held === undefined || held.expiresAtMs <= now) throw error
    }
  }
}

const dueAt = ({ issuedAtMs, expiresAtMs }: CachedToken) => issuedAtMs + Math.min((expiresAtMs - issuedAtMs) * 0.8, DAY_MS)
const keyOf = ({ audience = '', expirationSeconds = DEFAULT_SECONDS }: TokenSource) => `${expirationSeconds} ${audience}`
