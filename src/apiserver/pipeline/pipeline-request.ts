import type { IncomingHttpHeaders } from 'node:http'
import type { DelegateServer } from '../delegate-server.ts'
import type { ConnectAnswer } from '../extension-points.ts'
import type { Answer, Call } from '../handlers/call.ts'
import type { ConnectionSource } from '../handlers/connect.ts'
import type { PlainAnswer } from '../request/plain-paths.ts'
import { Request } from '../request/request.ts'

/** What the pipeline found for a request; its entrance shows it to the client. */
export type PipelineResult =
  | { readonly kind: 'delegated'; readonly to: DelegateServer }
  /** A path that is no resource; undefined: there is no such path. */
  | { readonly kind: 'page'; readonly page: PlainAnswer | undefined }
  /** A stream or proxy that has ended: its connector answered. */
  | { readonly kind: 'connected' }
  | { readonly kind: 'handled'; readonly answer: Answer }

/** Both ends of a stream or proxy. */
export interface Connection {
  readonly source: ConnectionSource
  readonly answer: ConnectAnswer
}

/** A request on its way through the pipeline. */
export abstract class PipelineRequest extends Request {
  /** The resource that its path leads to; undefined until it is routed, and for pages. */
  call: Call | undefined
  /** Set by the step that answers it: the steps after it are passed over. */
  result: PipelineResult | undefined

  /** The client no longer waits for an answer. */
  abstract readonly over: boolean
  /** The headers that pages look at, by lower-case name. */
  abstract readonly headers: IncomingHttpHeaders
  /** For subresources that are streams. @throws {StatusError} 400 where this entrance has no streams */
  abstract connection(): Connection
}
