import {
  type Authenticator,
  type Credentials,
  type TokenAuthenticator,
  TokenError,
  type TokenUser,
} from '../../apiserver/identity/authenticator.ts'
import type { Later } from '../../base/steps.ts'
import { ANONYMOUS, SYSTEM_AUTHENTICATED, SYSTEM_UNAUTHENTICATED, type UserInfo } from '../../machinery/resource/user.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { cachedTokens, type TokenCacheDeps, TokensError, unionTokens } from './authenticators/cached-tokens.ts'

/** All kinds of tokens, for TokenReviews: authenticated as in an Authorization header. */
export interface TokenUnion {
  /** Throws `TokenError` with the errors of all authenticators. */
  authenticateToken(token: string, audiences?: readonly string[]): Promise<TokenUser>
}

export interface AuthenticatorInit {
  /** In order; the first that finds a user decides. */
  readonly requests: readonly Authenticator[]
  readonly tokens: readonly TokenAuthenticator[]
  /** The required audiences if a request has none: the server's own. */
  readonly audiences: readonly string[]
  /** Whether a request without credentials is `system:anonymous`. */
  readonly anonymous: AnonymousRules
}

export interface AnonymousRules {
  readonly enabled: boolean
  /** The allowed paths; empty: all. */
  readonly paths: ReadonlySet<string>
}

/** How long an accepted token is cached, whichever authenticator accepted it; tokens of service accounts end with their account at once. */
const TOKEN_TTL_MS = 10_000

const SPACE_WARNING = 'the provided Authorization header contains extra space before the bearer token, and is ignored'
const UNKNOWN_TOKEN = 'invalid bearer token'

/**
 * The complete authenticator: certificates, front proxy, bearer tokens (header or WebSocket), anonymous. An invalid token is 401; an
 * Authorization header of another scheme is anonymous. All other users get the group `system:authenticated`.
 */
export function createAuthenticator(init: AuthenticatorInit, deps: TokenCacheDeps): Authenticator & { readonly tokens: TokenUnion } {
  const complete = new WeakMap<UserInfo, UserInfo>()
  const known = (user: UserInfo): UserInfo => {
    let full = complete.get(user)
    if (full === undefined) {
      full = withAuthenticatedGroup(user)
      complete.set(user, full)
    }
    return full
  }
  const tokens = cachedTokens(unionTokens(init.tokens), { successMs: TOKEN_TTL_MS, failureMs: 0 }, deps)
  const byToken = (token: string): Later<UserInfo> => {
    try {
      const found = tokens.authenticateToken(token, init.audiences)
      if (found instanceof Promise) return found.then((late) => known(taken(late).user)).catch(refuse)
      return known(taken(found).user)
    } catch (error) {
      return refuse(error)
    }
  }
  return {
    tokens: {
      async authenticateToken(given, audiences = init.audiences) {
        const token = bearerToken(`Bearer ${given}`)
        if (token === undefined && init.anonymous.enabled) return { user: ANONYMOUS, audiences }
        try {
          const found = taken(token === undefined ? undefined : await tokens.authenticateToken(token, audiences))
          return { audiences: found.audiences, user: known(found.user) }
        } catch (error) {
          if (!(error instanceof TokensError)) throw error
          throw new TokensError([UNKNOWN_TOKEN, ...error.faults])
        }
      },
    },
    authenticate(credentials: Credentials) {
      for (const one of init.requests) {
        const user = one.authenticate(credentials)
        if (user instanceof Promise)
          throw new Error('invariant: authenticators of requests decide at once; only tokens may take their time')
        if (user !== undefined) return known(user)
      }
      const token =
        bearerToken(credentials.authorization, credentials.warn) ??
        credentials.webSocketToken ??
        (isWebSocket(credentials) ? webSocketToken(credentials.headers['sec-websocket-protocol']) : undefined)
      if (token !== undefined) return byToken(token)
      const { enabled, paths } = init.anonymous
      if (!enabled || (paths.size > 0 && !paths.has(credentials.path))) throw unauthorized()
      // An unknown certificate is refused rather than treated as anonymous.
      if (credentials.wrongCertificate === true || credentials.certificate !== undefined) throw unauthorized()
      return ANONYMOUS
    },
  }
}

function taken(found: TokenUser | undefined): TokenUser {
  if (found === undefined) throw new TokenError(UNKNOWN_TOKEN)
  return found
}

function refuse(error: unknown): never {
  throw error instanceof TokenError ? unauthorized(error) : error
}

/** `Bearer x` → `x`; undefined for other schemes and for an empty token. Text after the token is ignored. */
export function bearerToken(authorization: string | undefined, warn?: (text: string) => void): string | undefined {
  if (authorization === undefined) return undefined
  const [scheme = '', token, rest] = authorization.trim().split(' ', 3)
  if (token === undefined || scheme.toLowerCase() !== 'bearer') return undefined
  if (token === '' && rest !== undefined) warn?.(SPACE_WARNING)
  return token === '' ? undefined : token
}

const isWebSocket = ({ headers }: Credentials) => String(headers.upgrade ?? headers[':protocol'] ?? '').toLowerCase() === 'websocket'

const WEB_SOCKET_BEARER = 'base64url.bearer.authorization.k8s.io.'

/** The token that a browser passes as a WebSocket subprotocol, because it cannot set headers. It must offer another protocol too. */
export function webSocketToken(protocols: string | readonly string[] | undefined): string | undefined {
  if (protocols === undefined) return undefined
  const offered = (typeof protocols === 'string' ? protocols : protocols.join(',')).split(',').map((p) => p.trim())
  const found = offered.filter((p) => p.startsWith(WEB_SOCKET_BEARER))
  if (found.length === 0) return undefined
  const encoded = (found[0] ?? '').slice(WEB_SOCKET_BEARER.length)
  const bytes = Buffer.from(encoded, 'base64url')
  const isSound = found.length === 1 && offered.length > 1 && bytes.toString('base64url') === encoded
  if (!isSound) throw unauthorized(new TokenError('invalid base64.bearer.authorization token encoding'))
  return encoded === '' ? undefined : bytes.toString()
}

/** Adds `system:authenticated`, unless the user is anonymous. */
function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.name === ANONYMOUS.name || user.groups.includes(SYSTEM_AUTHENTICATED) || user.groups.includes(SYSTEM_UNAUTHENTICATED))
    return user
  return { ...user, groups: [...user.groups, SYSTEM_AUTHENTICATED] }
}

const unauthorized = (cause?: unknown): StatusError =>
  new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized', cause })
