import type { IncomingHttpHeaders } from 'node:http'
import type { DelegateServer } from '../delegate-server.ts'
import type { ConnectResponse } from '../extension-points.ts'
import type { Call, HandlerResult } from '../handlers/call.ts'
import type { ConnectionSource } from '../handlers/connect.ts'
import type { PlainResponse } from '../request/plain-paths.ts'
import { Request } from '../request/request.ts'

/** The result of the pipeline; its entrance sends it to the client. */
export type PipelineResult =
  | { readonly kind: 'delegated'; readonly to: DelegateServer }
  /** A non-resource path; undefined if there is no such path. */
  | { readonly kind: 'page'; readonly page: PlainResponse | undefined }
  /** A stream or proxy that has ended: its connector sent the response. */
  | { readonly kind: 'connected' }
  | { readonly kind: 'handled'; readonly answer: HandlerResult }

/** Both ends of a stream or proxy. */
export interface Connection {
  readonly source: ConnectionSource
  readonly answer: ConnectResponse
}

/** A request on its way through the pipeline. */
export abstract class PipelineRequest extends Request {
  /** The call on a resource; undefined until it is routed, and for pages. */
  call: Call | undefined
  /** The warning of its deprecated version; undefined until it is known that a handler gets it, and for other versions. */
  deprecation: string | undefined
  /** Set by the step that produces the result: later steps are skipped. */
  result: PipelineResult | undefined

  /** The client no longer waits for a response. */
  abstract readonly over: boolean
  /** The headers that pages read, by lower-case name. */
  abstract readonly headers: IncomingHttpHeaders
  /** For subresources that are streams. @throws {StatusError} 400 where this entrance has no streams */
  abstract connection(): Connection
}
