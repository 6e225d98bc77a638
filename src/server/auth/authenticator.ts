import type { UserInfo } from '../../machinery/resource/user.ts'

/** What a request brings to prove who sends it. */
export interface Credentials {
  /** The TLS client certificate, already verified against the client CA: its subject and issuer, or undefined. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[]; readonly uid?: string; readonly fingerprint: string }
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
