import { type TokenAuthenticator, TokenError, type TokenUser } from '../../../apiserver/identity/authenticator.ts'
import type { Clock } from '../../../base/clock.ts'
import { ExpiringCache } from '../../../base/collections/expiring-cache.ts'

/** How long an answer is remembered. */
export interface TokenCacheTimes {
  /** Of a token that was taken. */
  readonly successMs: number
  /** Of one that nobody knows; errors are never remembered. */
  readonly failureMs: number
}

/** Tokens that are remembered; those that were not shown for the longest leave first. */
const MOST_TOKENS = 16_384

/**
 * Remembers what became of a token (and of whom it was meant for), unless it may be withdrawn, and asks once for those that come together.
 * A remembered token costs a look into a map, in this turn.
 */
export function cachedTokens(inner: TokenAuthenticator, times: TokenCacheTimes, { clock }: { readonly clock: Clock }): TokenAuthenticator {
  const known = new ExpiringCache<TokenUser | 'unknown'>(MOST_TOKENS, clock)
  const asking = new Map<string, Promise<TokenUser | undefined>>()
  const keep = (key: string, found: TokenUser | undefined) => {
    if (found?.revocable !== true) known.set(key, found ?? 'unknown', found === undefined ? times.failureMs : times.successMs)
    return found
  }
  return {
    authenticateToken(token, audiences) {
      // A line feed stands in no token.
      const key = `${token}\n${audiences.join('\n')}`
      const remembered = known.get(key)
      if (remembered !== undefined) return remembered === 'unknown' ? undefined : remembered
      const underWay = asking.get(key)
      if (underWay !== undefined) return underWay
      const answer = inner.authenticateToken(token, audiences)
      if (!(answer instanceof Promise)) return keep(key, answer)
      const asked = answer.then((found) => keep(key, found)).finally(() => asking.delete(key))
      asking.set(key, asked)
      return asked
    },
  }
}

/** Asks one after the other; the first that knows the token decides. What went wrong with those before is told when nobody knows it. */
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

/** What every authenticator found wrong with a token. */
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
