import { type TokenAuthenticator, TokenError, type TokenUser } from '../../../apiserver/identity/authenticator.ts'
import type { Clock } from '../../../base/clock.ts'
import { ExpiringCache, jsonLength } from '../../../base/collections/expiring-cache.ts'
import { whenEnded } from '../../../base/steps.ts'

/** How long results are cached. */
export interface TokenCacheTimes {
  /** For an accepted token. */
  readonly successMs: number
  /** For an unknown token; errors are never cached. */
  readonly failureMs: number
}

/** Counts what becomes of tokens. */
export interface TokenCacheCounts {
  /** Whether the result of a token was known. */
  tokenLookedUp(status: 'hit' | 'miss'): void
  /** An authenticator was asked for a token. */
  tokenFetched(status: 'ok' | 'error'): void
}

/** The most cached tokens; the least recently used ones are dropped first. */
const MOST_TOKENS = 16_384
/** The size of a cache, in characters of tokens and of their users' JSON: a user may have thousands of groups. */
const MOST_CACHED = 16 * 1024 * 1024

export interface TokenCacheDeps {
  readonly clock: Clock
  readonly counts?: TokenCacheCounts | undefined
}

/**
 * Caches the result of a token (and audiences) unless it may be revoked, and shares one authentication among concurrent requests. A cached
 * token costs one map lookup, synchronously.
 */
export function cachedTokens(inner: TokenAuthenticator, times: TokenCacheTimes, { clock, counts }: TokenCacheDeps): TokenAuthenticator {
  const bounds = { entries: MOST_TOKENS, size: MOST_CACHED, sizeOf: jsonLength }
  const known = new ExpiringCache<TokenUser | 'unknown'>(bounds, clock)
  const asking = new Map<string, Promise<TokenUser | undefined>>()
  const keep = (key: string, found: TokenUser | undefined) => {
    if (found?.revocable !== true) known.set(key, found ?? 'unknown', found === undefined ? times.failureMs : times.successMs)
    return found
  }
  return {
    authenticateToken(token, audiences) {
      // Tokens contain no line feed.
      const key = `${token}\n${audiences.join('\n')}`
      const remembered = known.get(key)
      counts?.tokenLookedUp(remembered === undefined ? 'miss' : 'hit')
      if (remembered !== undefined) return remembered === 'unknown' ? undefined : remembered
      const underWay = asking.get(key)
      if (underWay !== undefined) return underWay
      const answer = whenEnded(
        () => inner.authenticateToken(token, audiences),
        (error) => counts?.tokenFetched(error === undefined ? 'ok' : 'error'),
      )
      if (!(answer instanceof Promise)) return keep(key, answer)
      const requested = answer.then((found) => keep(key, found)).finally(() => asking.delete(key))
      asking.set(key, requested)
      return requested
    },
  }
}

/** Tries one authenticator after the other; the first that knows the token decides. Errors are reported if none knows it. */
export function unionTokens(readers: readonly TokenAuthenticator[]): TokenAuthenticator {
  const ask = (
    from: number,
    token: string,
    audiences: readonly string[],
    wrong: readonly string[],
  ): ReturnType<TokenAuthenticator['authenticateToken']> => {
    for (let i = from; i < readers.length; i++) {
      try {
        const found = readers[i]?.authenticateToken(token, audiences)
        if (found instanceof Promise) {
          return found.then(
            (user) => user ?? ask(i + 1, token, audiences, wrong),
            (error) => ask(i + 1, token, audiences, [...wrong, wordsOf(error)]),
          )
        }
        if (found !== undefined) return found
      } catch (error) {
        wrong = [...wrong, wordsOf(error)]
      }
    }
    if (wrong.length > 0) throw new TokensError(wrong)
    return undefined
  }
  return { authenticateToken: (token, audiences) => ask(0, token, audiences, []) }
}

/** The errors of all authenticators for a token. */
export class TokensError extends TokenError {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(faults.length === 1 ? (faults[0] ?? '') : `[${faults.join(', ')}]`)
    this.faults = faults
  }
}

function wordsOf(error: unknown): string {
  if (!(error instanceof TokenError)) throw error
  return error.message
}
