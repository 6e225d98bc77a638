import type { StreamEnd } from '../../base/stream-pair.ts'
import { nextTurn } from '../../base/turns.ts'

/** A message (UDP) that came to a port. */
export interface Datagram {
  readonly bytes: Uint8Array
  /** Who sent it. */
  readonly from: StreamEnd
  /** Sends something back to where it came from. */
  reply(bytes: Uint8Array): void
}

/** Takes messages. */
export type TakeDatagram = (datagram: Datagram) => void

/** The way to one port, and what comes back from it. */
export interface DatagramChannel {
  send(bytes: Uint8Array): void
  close(): void
}

/** As much as one holds over IPv4; what is longer is not sent. */
export const MOST_DATAGRAM_BYTES = 65_507

/**
 * Sends from `from` to whoever `find` finds, asked anew for each message: nobody is told when nobody takes it. Messages arrive a turn
 * later, in order, each a copy of its own.
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
