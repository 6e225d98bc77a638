import type { Duplex } from 'node:stream'
import { createStreamPair, type StreamEnd } from '../../base/stream-pair.ts'
import { ConnectError } from './connect-error.ts'

/** Takes connections. */
export type Accept = (connection: Duplex) => void

/** A port that is open. */
export interface OpenPort {
  readonly port: number
  close(): void
}

interface Bound {
  /** Undefined: all addresses. */
  readonly host: string | undefined
  readonly accept: Accept
}

const FIRST_EPHEMERAL = 32_768
const PORTS = 65_536
const ANY = new Set(['', '0.0.0.0', '::'])

export const isLoopback = (ip: string): boolean => ip.startsWith('127.') || ip === '::1'

/** The ports of one pod, or of a node for the pods that share its network. */
export class NetworkStack {
  /** Without loopback. */
  readonly ips: readonly string[]
  readonly nodeName: string
  readonly #bound = new Map<number, Bound[]>()
  #next = FIRST_EPHEMERAL

  constructor(ips: readonly string[], nodeName: string) {
    this.ips = ips
    this.nodeName = nodeName
  }

  /** Opens a port (0: a free one) on one address, or on all. */
  listen(port: number, host: string, accept: Accept): OpenPort {
    if (!Number.isInteger(port) || port < 0 || port >= PORTS) throw new ConnectError('EINVAL', 'listen', { address: host, port })
    const wanted = ANY.has(host) ? undefined : host === 'localhost' ? '127.0.0.1' : host
    if (wanted !== undefined && !isLoopback(wanted) && !this.ips.includes(wanted))
      throw new ConnectError('EADDRNOTAVAIL', 'listen', { address: wanted, port })
    const free = port === 0 ? this.#free() : port
    const there = this.#bound.get(free) ?? []
    if (there.some((b) => b.host === wanted || b.host === undefined || wanted === undefined))
      throw new ConnectError('EADDRINUSE', 'listen', { address: wanted ?? '0.0.0.0', port: free })
    const bound: Bound = { host: wanted, accept }
    this.#bound.set(free, [...there, bound])
    return {
      port: free,
      close: () => {
        const left = (this.#bound.get(free) ?? []).filter((b) => b !== bound)
        if (left.length === 0) this.#bound.delete(free)
        else this.#bound.set(free, left)
      },
    }
  }

  /** Whether anything takes connections at this port of an address of the stack. */
  has(ip: string, port: number): boolean {
    return this.#find(ip, port) !== undefined
  }

  /** The ports that are open. */
  ports(): readonly { readonly ip: string; readonly port: number }[] {
    return [...this.#bound].flatMap(([port, bound]) => bound.map(({ host = '0.0.0.0' }) => ({ ip: host, port })))
  }

  /** Whether nothing of it is open. */
  get silent(): boolean {
    return this.#bound.size === 0
  }

  /** A connection to what listens there; undefined: nothing does. */
  accept(ip: string, port: number, from: StreamEnd): Duplex | undefined {
    const bound = this.#find(ip, port)
    if (bound === undefined) return undefined
    const [near, far] = createStreamPair({ near: from, far: { address: ip, port } })
    bound.accept(far)
    return near
  }

  /** The number of a port from which a connection is made. */
  ephemeral(): number {
    this.#next = this.#next + 1 >= PORTS ? FIRST_EPHEMERAL : this.#next + 1
    return this.#next
  }

  #find(ip: string, port: number): Bound | undefined {
    return this.#bound.get(port)?.find((b) => b.host === undefined || b.host === ip)
  }

  #free(): number {
    for (let tries = FIRST_EPHEMERAL; tries < PORTS; tries++) {
      const port = this.ephemeral()
      if (!this.#bound.has(port)) return port
    }
    throw new ConnectError('EADDRINUSE', 'listen', { address: '0.0.0.0', port: 0 })
  }
}
