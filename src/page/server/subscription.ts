import type { ClientMessage, ServerMessage } from '../wire/messages.ts'

/**
 * The messages of one subscription of a browser. It announces that it has changed; the session asks for the next message when it may send.
 */
export interface Subscription {
  /** At most one message in this time, in milliseconds. Default: a frame. */
  readonly everyMs?: number
  /** The state as it is now, made when it can be sent: the latest state wins. Undefined: there is nothing to send. */
  next(): ServerMessage | undefined
  /** Another question in place of the one before; false: it is for another subscription. */
  ask?(message: ClientMessage): boolean
  stop(): void
}
