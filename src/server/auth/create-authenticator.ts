import {
  type Authenticator,
  type Credentials,
  type TokenAuthenticator,
  TokenError,
  type TokenUser,
} from '../../apiserver/identity/authenticator.ts'
import { ANONYMOUS, SYSTEM_AUTHENTICATED, SYSTEM_UNAUTHENTICATED, type UserInfo } from '../../machinery/resource/user.ts'
import { StatusError } from '../../machinery/status-error.ts'

/** Tokens of all kinds, as TokenReview and the border read them. */
export interface TokenUnion {
  /** Throws `TokenError` with all that was found wrong. */
  authenticateToken(token: string, audiences?: readonly string[]): Promise<TokenUser>
}

export interface AuthenticatorInit {
  /** In order; the first that knows the user decides. */
  readonly requests: readonly Authenticator[]
  readonly tokens: readonly TokenAuthenticator[]
  /** Audiences that a token must be meant for when nobody says which: the server's own. */
  readonly audiences: readonly string[]
  readonly anonymous: boolean
}

/**
 * The whole of authentication: certificates, front proxy, bearer tokens (header or WebSocket), and nobody. A wrong token is 401; an Authorization
 * header of another scheme is nobody. Everyone who is somebody is in `system:authenticated`.
 */
export function createAuthenticator(init: AuthenticatorInit): Authenticator & { readonly tokens: TokenUnion } {
  const complete = new WeakMap<UserInfo, UserInfo>()
  const known = (user: UserInfo): UserInfo => {
    let full = complete.get(user)
    if (full === undefined) {
      full = withAuthenticatedGroup(user)
      complete.set(user, full)
    }
    return full
  }
  const tokens: TokenUnion = {
    async authenticateToken(token, audiences = init.audiences) {
      const wrong: string[] = ['invalid bearer token']
      for (const reader of init.tokens) {
        try {
          const found = await reader.authenticateToken(token, audiences)
          if (found !== undefined) return { ...found, user: known(found.user) }
        } catch (error) {
          if (!(error instanceof TokenError)) throw error
          wrong.push(error.message)
        }
      }
      throw new TokenError(wrong.length === 1 ? (wrong[0] ?? '') : `[${wrong.join(', ')}]`)
    },
  }
  const byToken = async (token: string): Promise<UserInfo> => {
    try {
      return (await tokens.authenticateToken(token)).user
    } catch (error) {
      if (error instanceof TokenError) throw unauthorized(error)
      throw error
    }
  }
  return {
    tokens,
    authenticate(credentials: Credentials) {
      for (const one of init.requests) {
        const user = one.authenticate(credentials)
        if (user instanceof Promise)
          throw new Error('invariant: authenticators of requests decide at once; only tokens may take their time')
        if (user !== undefined) return known(user)
      }
      const token =
        bearerToken(credentials.authorization) ??
        credentials.webSocketToken ??
        webSocketToken(credentials.headers['sec-websocket-protocol'])
      if (token !== undefined) return byToken(token)
      // Who brings a certificate and is not known by it is wrong, and not nobody.
      if (!init.anonymous || credentials.wrongCertificate === true || credentials.certificate !== undefined) throw unauthorized()
      return ANONYMOUS
    },
  }
}

/** `Bearer x` → `x`; undefined for other schemes and for an empty token. What follows the token is not looked at. */
function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const [scheme = '', token] = authorization.trim().split(' ')
  return scheme.toLowerCase() === 'bearer' && token !== undefined && token !== '' ? token : undefined
}

const WEB_SOCKET_BEARER = 'base64url.bearer.authorization.k8s.io.'

/** The token that a browser offers as a WebSocket subprotocol, for it can set no header. */
function webSocketToken(protocols: string | readonly string[] | undefined): string | undefined {
  if (protocols === undefined) return undefined
  const offered = (typeof protocols === 'string' ? protocols : protocols.join(',')).split(',').map((p) => p.trim())
  const found = offered.find((p) => p.startsWith(WEB_SOCKET_BEARER))?.slice(WEB_SOCKET_BEARER.length)
  return found === undefined || !/^[A-Za-z0-9_-]+$/.test(found) ? undefined : Buffer.from(found, 'base64url').toString()
}

/** Adds `system:authenticated`, unless the user is nobody. */
function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.name === ANONYMOUS.name || user.groups.includes(SYSTEM_AUTHENTICATED) || user.groups.includes(SYSTEM_UNAUTHENTICATED))
    return user
  return { ...user, groups: [...user.groups, SYSTEM_AUTHENTICATED] }
}

const unauthorized = (cause?: unknown): StatusError =>
  new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized', cause })
