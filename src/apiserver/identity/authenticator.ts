import type { UserInfo } from '../../machinery/resource/user.ts'

/** The TLS client certificate, already verified: its subject, and which authority vouches for it. */
export interface PeerCertificate {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly uid?: string
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string
  /** `client` when absent. A front proxy's certificate proves no user of its own. */
  readonly authority?: 'client' | 'front-proxy'
}

/** What a request brings to prove who sends it. */
export interface Credentials {
  /** The path that is asked for: nobody may be welcome at some alone. */
  readonly path: string
  /** Tells the client, besides the answer. */
  readonly warn?: (text: string) => void
  readonly certificate?: PeerCertificate
  /** A certificate was brought that proves nothing (another authority, another use, not valid now): whoever does that is not nobody. */
  readonly wrongCertificate?: boolean
  /** The Authorization header as it came. */
  readonly authorization?: string
  /** Bearer token offered by a WebSocket subprotocol. */
  readonly webSocketToken?: string
  /** Lower-case header name → value: for front proxies. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** A user, `undefined` when this authenticator has no opinion; throws `StatusError` 401 for credentials that are its own and wrong. */
export interface Authenticator {
  authenticate(credentials: Credentials): Promise<UserInfo | undefined> | UserInfo | undefined
}

/** A user that a bearer token proves, and those of the wanted audiences that the token is meant for. */
export interface TokenUser {
  readonly user: UserInfo
  readonly audiences: readonly string[]
  /** That the token was withdrawn is seen by asking again: nobody is to remember this answer. */
  readonly revocable?: boolean
}

/** Reads bearer tokens. `undefined`: not a token of this kind. Throws `TokenError` for one that is, and is wrong. */
export interface TokenAuthenticator {
  authenticateToken(token: string, audiences: readonly string[]): TokenUser | undefined | Promise<TokenUser | undefined>
}

/** Why a token is refused, in the words that a TokenReview shows. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code = 'bad-token'
}
