import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Outcome } from '../machinery/process-outcome.ts'
import type { ByteDuplex, CommandStreams, ProcessStreams } from '../machinery/streams.ts'

/** A client that waits for a process. */
export interface AcceptedCommand {
  readonly streams: ProcessStreams
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal
  /** Sends the client the outcome, after all output, and ends the connection. */
  finish(outcome: Outcome): Promise<void>
}

/** Carries one connection to a port of the pod until it ends. An exception is sent to the client. */
export type ForwardPort = (port: number, connection: ByteDuplex) => Promise<void>

/** The connection of a client of the same process, in place of a socket. */
export type LocalConnection =
  | { readonly kind: 'command'; accept(wanted: CommandStreams): AcceptedCommand }
  | { readonly kind: 'ports'; accept(forward: ForwardPort): Promise<void> }

/** A request that may become a connection. */
export interface UpgradeRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The client's address, if it is known. */
  readonly remoteAddress?: string
  readonly query: { all(name: string): readonly string[] }
  /** The socket below HTTP/1.1 and the bytes that the client had sent already; undefined if it does not ask to upgrade. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer }
  readonly local?: LocalConnection
}

/** Where a refusal is written. */
export interface UpgradeResponse {
  start(status: number, headers: Readonly<Record<string, string>>): void
  write(chunk: Uint8Array): boolean
  end(): void
}
