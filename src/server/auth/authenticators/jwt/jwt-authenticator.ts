import { type TokenAuthenticator, TokenError } from '../../../../apiserver/identity/authenticator.ts'
import type { Clock } from '../../../../base/clock.ts'
import { LruMap } from '../../../../base/collections/lru-map.ts'
import type { Logger } from '../../../../base/logger.ts'
import { messageOf } from '../../../../base/message-of.ts'
import { pause } from '../../../../base/pause.ts'
import type { JwtConfig } from '../../configuration/authentication-configuration.ts'
import type { JwtPrograms } from '../../configuration/claim-programs.ts'
import { expandGroups } from './distributed-claims.ts'
import { verifyIdToken } from './id-token.ts'
import { createIssuerClient } from './issuer-client.ts'
import { untrustedClaims } from './jws.ts'
import { discover, type Provider } from './key-set.ts'
import { mapClaims } from './map-claims.ts'

/** Retry delay of the discovery. */
const AGAIN_MS = 10_000

/** Authenticates the tokens of one issuer. Until the issuer is discovered its tokens are refused; tokens of others are ignored. */
export interface JwtAuthenticator extends TokenAuthenticator, Disposable {
  /** Why the issuer's tokens cannot be verified yet; undefined if they can. */
  fault(): string | undefined
}

/** The most cached issuers of distributed claims. */
const MAX_OTHER_ISSUERS = 64

export interface JwtAuthenticatorInit {
  readonly jwt: JwtConfig
  readonly programs: JwtPrograms
  readonly algorithms: readonly string[]
  /** The server's audiences, for which an accepted token is valid. */
  readonly own: readonly string[]
}

export function createJwtAuthenticator(
  init: JwtAuthenticatorInit,
  deps: { readonly clock: Clock; readonly log: Logger },
): JwtAuthenticator {
  const { jwt, programs, own } = init
  const { clock, log } = deps
  const { issuer } = jwt
  const client = createIssuerClient(issuer.certificateAuthority, { clock })
  const stopped = new AbortController()
  let provider: Provider | undefined
  let fault: string | undefined = `oidc: authenticator for issuer ${JSON.stringify(issuer.url)} is not initialized`
  const look = async () => {
    while (provider === undefined && !stopped.signal.aborted) {
      try {
        provider = await discover(issuer.url, issuer.discoveryURL, client)
        fault = undefined
      } catch (error) {
        if (stopped.signal.aborted) return
        fault = messageOf(error)
        log.warn('an issuer of tokens cannot be found: its tokens are refused meanwhile', { issuer: issuer.url, error: fault })
        await pause(clock, AGAIN_MS, stopped.signal)
      }
    }
  }
  look().catch((error) => log.error('looking for an issuer of tokens has failed', { issuer: issuer.url, error: String(error) }))
  const others = new LruMap<string, Promise<Provider>>(MAX_OTHER_ISSUERS)
  const providerOf = (name: string): Promise<Provider> => {
    const known = others.get(name)
    if (known !== undefined) return known
    const requested = discover(name, '', client)
    others.set(name, requested)
    requested.catch(() => others.delete(name))
    return requested
  }
  const rules = { issuer: issuer.url, audiences: issuer.audiences, algorithms: init.algorithms }
  return {
    fault: () => fault,
    async authenticateToken(token, audiences) {
      const said = untrustedClaims(token)?.iss
      if (said !== issuer.url && !(said === 'accounts.google.com' && issuer.url === 'https://accounts.google.com')) return undefined
      if (provider === undefined) throw new TokenError('oidc: authenticator not initialized')
      const good = audiences.filter((a) => own.includes(a))
      if (good.length === 0) return undefined
      const { keys } = provider
      const claims = await verifyIdToken(token, rules, { keys, nowMs: clock.now() }).catch((error) => {
        throw new TokenError(`oidc: verify token: ${error.message}`)
      })
      try {
        const all = await expandGroups(claims, { claim: jwt.claimMappings.groups.claim, client, providerOf, rules, nowMs: clock.now() })
        return { user: mapClaims(all, jwt, programs), audiences: good }
      } catch (error) {
        throw new TokenError(messageOf(error))
      }
    },
    [Symbol.dispose]() {
      stopped.abort()
      client[Symbol.dispose]()
    },
  }
}
