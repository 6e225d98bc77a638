import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { Answer } from './answer.ts'

/** A request as handlers see it: who asks was found, and may. */
export interface ApiRequest {
  readonly method: string
  /** Path and query as they came. */
  readonly url: string
  /** Decoded. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** What the route's template names: `{podID}`. */
  readonly parameters: Readonly<Record<string, string>>
  /** Of the client. */
  readonly remoteAddress: string
  /** The whole body. Rejects when it is longer than any that is expected. */
  body(): Promise<string>
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
  /** Set when the client asks to upgrade: the socket below, and what it had sent already. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer }
}

/** Undefined: the connection was taken over, and is over. */
export type Handler = (request: ApiRequest) => Answer | undefined | Promise<Answer | undefined>

/** What is known of who asks before it is asked for. */
export interface Caller {
  /** The verified certificate of the client. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[]; readonly fingerprint: string }
  /** It brought a certificate that proves nothing: it is not nobody, and not anybody. */
  readonly wrongCertificate?: boolean
  readonly authorization?: string
  /** A connection from inside the process was opened in this user's name: it may do everything. */
  readonly trusted?: UserInfo
}
