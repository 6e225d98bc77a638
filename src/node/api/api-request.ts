import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Later } from '../../base/steps.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { KubeletResponse } from './kubelet-response.ts'

/** A request that is authenticated and authorized, as handlers get it. */
export interface ApiRequest {
  readonly method: string
  /** Path and query, as received. */
  readonly url: string
  /** The decoded path. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** The parameters of the route's template: `{podID}`. */
  readonly parameters: Readonly<Record<string, string>>
  /** The client's address. */
  readonly remoteAddress: string
  /** The whole body. Rejects if it exceeds the size limit. */
  body(): Promise<string>
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Set for an upgrade request: the socket, and the bytes that the client has sent already. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer }
}

/** Undefined: the handler has taken over the connection and is done with it. */
export type Handler = (request: ApiRequest) => Later<KubeletResponse | undefined>

/** The credentials of a connection. */
export interface Caller {
  /** The client's verified certificate. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[]; readonly fingerprint: string }
  /** The client's certificate is not trusted: the request is rejected rather than treated as anonymous. */
  readonly wrongCertificate?: boolean
  readonly authorization?: string
  /** The user of a connection inside the process: it is authorized for everything. */
  readonly trusted?: UserInfo
}
