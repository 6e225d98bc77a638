import { encodePlainly, type HeaderField } from '../../../base/http2/hpack-decoder.ts'
import type { Http2Session } from '../../../base/http2/http2-session.ts'
import type { Http2Stream, StreamFailure, StreamHandlers } from '../../../base/http2/http2-stream.ts'
import { GrpcError } from '../../../sdk/grpc/grpc-error.ts'
import { CallStatus, failureOf } from './call-status.ts'
import { framed, MessageReader } from './message-reader.ts'

export interface GrpcHandlers {
  onMessage(bytes: Buffer): void
  /** Called once, at last; undefined: the call went well. */
  onEnd(error: GrpcError | undefined): void
}

/** One call on a connection: messages there, messages back, a status. */
export class GrpcCall implements StreamHandlers {
  readonly #stream: Http2Stream
  readonly #handlers: GrpcHandlers
  readonly #reader = new MessageReader()
  readonly #status = new CallStatus()
  #ended = false

  /** `headers`: of {@link callHeaders}. */
  constructor(session: Http2Session, headers: Buffer, handlers: GrpcHandlers) {
    this.#handlers = handlers
    this.#stream = session.request(headers, this)
  }

  send(message: Uint8Array, { last = false } = {}): void {
    this.#stream.send(framed(message), { last })
  }

  /** While a call is held, the server sends no more than a window of bytes. */
  hold(): void {
    this.#stream.hold()
  }

  release(): void {
    this.#stream.release()
  }

  /** Gives up the call, which ends with this error. */
  cancel(error: GrpcError): void {
    if (this.#end(error)) this.#stream.cancel()
  }

  onHeaders(fields: readonly HeaderField[]): void {
    this.#status.add(fields)
  }

  onData(bytes: Buffer): void {
    try {
      this.#reader.push(bytes, this.#handlers.onMessage)
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error
      this.cancel(error)
    }
  }

  onEnd(): void {
    const error = this.#status.error
    this.#end(error === undefined && this.#reader.partial ? new GrpcError('Internal', 'the response ended inside of a message') : error)
  }

  onFail(failure: StreamFailure): void {
    this.#end(failureOf(failure))
  }

  #end(error: GrpcError | undefined): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.#handlers.onEnd(error)
    return true
  }
}

/** The headers of a call. `timeoutMs`: how long the server may work on it; undefined: a stream without end. */
export function callHeaders(url: URL, path: string, timeoutMs: number | undefined, more: readonly HeaderField[] = []): Buffer {
  return encodePlainly([
    [':method', 'POST'],
    [':scheme', url.protocol.slice(0, -1)],
    [':path', path],
    [':authority', url.host],
    ['te', 'trailers'],
    ['content-type', 'application/grpc'],
    ...(timeoutMs === undefined ? [] : ([['grpc-timeout', timeoutText(timeoutMs)]] as const)),
    ...more,
  ])
}

/** At most eight digits and a unit. */
function timeoutText(timeoutMs: number): string {
  const ms = Math.max(1, Math.ceil(timeoutMs))
  return ms < 1e8 ? `${ms}m` : `${Math.min(Math.ceil(ms / 1000), 1e8 - 1)}S`
}
