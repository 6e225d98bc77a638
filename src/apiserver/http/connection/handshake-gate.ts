import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Cancel, Clock } from '../../../base/clock.ts'
import { TurnGate } from '../../../base/turn-gate.ts'

/** Node carries out a handshake in the turn in which its first message arrives, in 0.3 to 0.5 ms: so many begin in one turn. */
const HANDSHAKES_PER_TURN = 32
/** A client has so long for its first byte. */
const SILENT_MS = 10_000

export interface HandshakeGateDeps {
  readonly clock: Clock
  /** Hands the connection to TLS, with what it has sent so far. */
  readonly begin: (connection: Duplex) => void
  /** Called when a connection ends before it has begun. */
  readonly failed: () => void
}

/** Thousands of clients that connect at once must not block the others: a connection waits for its first bytes and for its turn. */
export class HandshakeGate {
  readonly #deps: HandshakeGateDeps
  readonly #gate = new TurnGate(HANDSHAKES_PER_TURN)

  constructor(deps: HandshakeGateDeps) {
    this.#deps = deps
  }

  admit(connection: Duplex): void {
    // A stream of this process has no first bytes that could be waited for, and is not one of thousands.
    if (!(connection instanceof Socket)) this.#deps.begin(connection)
    else this.#awaitTurn(connection)
  }

  #awaitTurn(connection: Socket): void {
    const over = this.#endIfSilent(connection)
    connection.once('readable', () => {
      const turn = this.#gate.pass()
      if (turn === undefined) this.#begin(connection, over)
      else void turn.then(() => this.#begin(connection, over))
    })
  }

  /** Returns what is called when the connection begins. */
  #endIfSilent(connection: Socket): Cancel {
    const end = () => void connection.destroy()
    const stop = this.#deps.clock.after(SILENT_MS, end, 'routine')
    const closed = () => {
      stop()
      this.#deps.failed()
    }
    connection.once('error', end).once('close', closed)
    return () => {
      stop()
      connection.off('error', end).off('close', closed)
    }
  }

  #begin(connection: Socket, over: Cancel): void {
    if (connection.destroyed) return
    over()
    this.#deps.begin(connection)
  }
}
