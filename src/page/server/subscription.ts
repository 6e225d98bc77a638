import type { ServerMessage } from '../wire/messages.ts'

/**
 * The messages of one subscription of a browser. It announces that it has changed; the session asks for the next message when it may send.
 */
export interface Subscription {
  /** At most one message in this time, in milliseconds. Default: a frame. */
  readonly everyMs?: number
  /** The state as it is now, made when it can be sent: the latest state wins. Undefined: there is nothing to tell. */
  next(): ServerMessage | undefined
  stop(): void
}
