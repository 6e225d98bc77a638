import type { StreamEnd } from '../../base/stream-pair.ts'
import { nextTurn } from '../../base/turns.ts'

/** A received UDP message. */
export interface Datagram {
  readonly bytes: Uint8Array
  /** Who sent it. */
  readonly from: StreamEnd
  /** Sends a message back to the sender. */
  reply(bytes: Uint8Array): void
}

/** Receives messages. */
export type TakeDatagram = (datagram: Datagram) => void

/** A channel to one port, in both directions. */
export interface DatagramChannel {
  send(bytes: Uint8Array): void
  close(): void
}

/** The maximum UDP payload over IPv4; longer messages are not sent. */
export const MOST_DATAGRAM_BYTES = 65_507

/**
 * Sends from `from` to the receiver that `find` returns for each message; without one the message is lost silently. Messages arrive a turn
 * later, in order, as copies.
 */
export function datagramChannel(
  from: StreamEnd,
  find: () => TakeDatagram | undefined,
  receive: (bytes: Uint8Array) => void,
): DatagramChannel {
  let open = true
  const deliver = (bytes: Uint8Array, to: (copy: Uint8Array) => void) => {
    if (bytes.length > MOST_DATAGRAM_BYTES) return
    const copy = Uint8Array.from(bytes)
    nextTurn(() => to(copy))
  }
  return {
    send: (bytes) =>
      deliver(bytes, (copy) => find()?.({ bytes: copy, from, reply: (answer) => deliver(answer, (back) => open && receive(back)) })),
    close() {
      open = false
    },
  }
}
