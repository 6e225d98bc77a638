import type { Later } from '../../base/steps.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'

/** Whose authority has issued a certificate; `both`: clients and front proxies have the same one. */
export type CertificateAuthority = 'client' | 'front-proxy' | 'both'

/** A verified TLS client certificate: its subject and its authority. */
export interface PeerCertificate {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly uid?: string
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string
  /** In milliseconds since 1970. */
  readonly validTo?: number
  /** Default `client`. A certificate of the authority of front proxies alone identifies no user. */
  readonly authority?: CertificateAuthority
}

/** Whether the certificate may be that of a front proxy. */
export const mayBeFrontProxy = ({ authority }: Pick<PeerCertificate, 'authority'>): boolean =>
  authority === 'front-proxy' || authority === 'both'

/** The credentials of a request. */
export interface Credentials {
  /** The requested path: anonymous access may be limited to some paths. */
  readonly path: string
  /** Adds a warning to the response. */
  readonly warn?: (text: string) => void
  readonly certificate?: PeerCertificate
  /** A certificate was sent that proves nothing (another authority or purpose, or not valid now). Such a client is not anonymous. */
  readonly wrongCertificate?: boolean
  /** The Authorization header as received. */
  readonly authorization?: string
  /** A bearer token from a WebSocket subprotocol. */
  readonly webSocketToken?: string
  /** Lower-case header name → value, for front proxies. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Returns a user, or `undefined` if the credentials are of another kind; throws `StatusError` 401 for invalid ones of its kind. */
export interface Authenticator {
  authenticate(credentials: Credentials): Later<UserInfo | undefined>
}

/** The user of a bearer token, and the requested audiences for which the token is valid. */
export interface TokenUser {
  readonly user: UserInfo
  readonly audiences: readonly string[]
  /** The token can be revoked, so this result must not be cached. */
  readonly revocable?: boolean
}

/** Authenticates bearer tokens. Returns `undefined` for tokens of another kind; throws `TokenError` for invalid ones of its kind. */
export interface TokenAuthenticator {
  authenticateToken(token: string, audiences: readonly string[]): Later<TokenUser | undefined>
}

/** Why a token is invalid, in the words of a TokenReview. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code = 'bad-token'
}
