import type { Http2Session } from '../../../base/http2/http2-session.ts'
import { Signal } from '../../../base/signal.ts'
import type { MessageType } from '../../../machinery/protobuf/plain-message.ts'
import { GrpcError } from '../../../sdk/grpc/grpc-error.ts'
import { GrpcCall } from './grpc-call.ts'

export interface GrpcStreamInit<Q, A> {
  readonly session: Http2Session
  readonly headers: Buffer
  readonly request: MessageType<Q>
  readonly answer: MessageType<A>
  readonly onFail: () => void
}

/** A bidirectional stream: messages are sent at any time, and read in batches by one reader. */
export class GrpcStream<Q, A> implements Disposable {
  readonly #init: GrpcStreamInit<Q, A>
  readonly #call: GrpcCall
  readonly #changed = new Signal()
  #waiting: Buffer[] = []
  #end: { readonly error: GrpcError | undefined } | undefined

  constructor(init: GrpcStreamInit<Q, A>) {
    this.#init = init
    this.#call = new GrpcCall(init.session, init.headers, {
      onMessage: (bytes) => {
        // Until they are read, the server sends no more than a window.
        if (this.#waiting.push(bytes) === 1) this.#call.hold()
        this.#changed.raise()
      },
      onEnd: (error) => {
        this.#end = { error }
        if (error !== undefined) init.onFail()
        this.#changed.raise()
      },
    })
  }

  send(message: Q): void {
    this.#call.send(this.#init.request.encode(message))
  }

  /** All messages that have come, at least one; undefined: the server has ended the stream. @throws {GrpcError} when the stream failed */
  async read(): Promise<readonly A[] | undefined> {
    while (this.#waiting.length === 0) {
      if (this.#end?.error !== undefined) throw this.#end.error
      if (this.#end !== undefined) return undefined
      await this.#changed.wait()
    }
    const messages = this.#waiting
    this.#waiting = []
    this.#call.release()
    return messages.map((bytes) => this.#init.answer.decode(bytes))
  }

  [Symbol.dispose](): void {
    this.#call.cancel(new GrpcError('Canceled', 'the stream was closed'))
  }
}
