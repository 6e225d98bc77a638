import type { MessageType } from '../../machinery/protobuf/plain-message.ts'

/** A unary method. */
export interface UnaryMethod<Q, A> {
  readonly kind: 'unary'
  /** `/package.Service/Method`. */
  readonly path: string
  readonly request: MessageType<Q>
  readonly answer: MessageType<A>
}

/** A server-streaming method. */
export interface StreamMethod<Q, A> {
  readonly kind: 'stream'
  readonly path: string
  readonly request: MessageType<Q>
  readonly answer: MessageType<A>
}

export const unary = <Q, A>(path: string, request: MessageType<Q>, answer: MessageType<A>): UnaryMethod<Q, A> => ({
  kind: 'unary',
  path,
  request,
  answer,
})

export const serverStream = <Q, A>(path: string, request: MessageType<Q>, answer: MessageType<A>): StreamMethod<Q, A> => ({
  kind: 'stream',
  path,
  request,
  answer,
})
