import type { Duplex } from 'node:stream'
import { createStreamPair, type StreamEnd } from '../../base/stream-pair.ts'
import type { TakeDatagram } from './datagrams.ts'
import { type OpenPort, PortTable } from './port-table.ts'

/** Accepts connections. */
export type Accept = (connection: Duplex) => void

/** The ports of one pod, or of a node for the pods in its network. */
export class NetworkStack {
  /** Without loopback. */
  readonly ips: readonly string[]
  readonly nodeName: string
  /** The UDP ports. */
  readonly datagrams: PortTable<TakeDatagram>
  readonly #connections: PortTable<Accept>

  constructor(ips: readonly string[], nodeName: string) {
    this.ips = ips
    this.nodeName = nodeName
    this.datagrams = new PortTable(ips)
    this.#connections = new PortTable(ips)
  }

  /** Opens a port (0: a free one) on one address, or on all. */
  listen(port: number, host: string, accept: Accept): OpenPort {
    return this.#connections.open(port, host, accept)
  }

  /** Whether there is a listener at this port of an address of the stack. */
  has(ip: string, port: number): boolean {
    return this.#connections.at(ip, port) !== undefined
  }

  /** The open ports. */
  ports(): readonly { readonly ip: string; readonly port: number }[] {
    return this.#connections.ports()
  }

  /** Whether no port is open. */
  get silent(): boolean {
    return this.#connections.silent
  }

  /** Connects to the listener; undefined: there is none. */
  accept(ip: string, port: number, from: StreamEnd): Duplex | undefined {
    const accept = this.#connections.at(ip, port)
    if (accept === undefined) return undefined
    const [near, far] = createStreamPair({ near: from, far: { address: ip, port } })
    accept(far)
    return near
  }

  /** A free ephemeral port number. */
  ephemeral(): number {
    return this.#connections.ephemeral()
  }
}
