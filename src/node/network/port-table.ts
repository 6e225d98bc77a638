import { ConnectError } from './connect-error.ts'

/** An open port. */
export interface OpenPort {
  readonly port: number
  close(): void
}

interface Bound<T> {
  /** Undefined: all addresses. */
  readonly host: string | undefined
  readonly taker: T
}

const FIRST_EPHEMERAL = 32_768
const PORTS = 65_536
const ANY = new Set(['', '0.0.0.0', '::'])

export const isLoopback = (ip: string): boolean => ip.startsWith('127.') || ip === '::1'

/** The listeners of one protocol. */
export class PortTable<T> {
  readonly #bound = new Map<number, Bound<T>[]>()
  readonly #ips: readonly string[]
  #next = FIRST_EPHEMERAL

  /** `ips`: the addresses without loopback. */
  constructor(ips: readonly string[]) {
    this.#ips = ips
  }

  /** Opens a port (0: a free one) on one address, or on all. */
  open(port: number, host: string, taker: T): OpenPort {
    if (!Number.isInteger(port) || port < 0 || port >= PORTS) throw new ConnectError('EINVAL', 'listen', { address: host, port })
    const wanted = ANY.has(host) ? undefined : host === 'localhost' ? '127.0.0.1' : host
    if (wanted !== undefined && !isLoopback(wanted) && !this.#ips.includes(wanted))
      throw new ConnectError('EADDRNOTAVAIL', 'listen', { address: wanted, port })
    const free = port === 0 ? this.#free() : port
    const there = this.#bound.get(free) ?? []
    if (there.some((b) => b.host === wanted || b.host === undefined || wanted === undefined))
      throw new ConnectError('EADDRINUSE', 'listen', { address: wanted ?? '0.0.0.0', port: free })
    const bound: Bound<T> = { host: wanted, taker }
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

  /** The listener of this port of an address, if there is one. */
  at(ip: string, port: number): T | undefined {
    return this.#bound.get(port)?.find((b) => b.host === undefined || b.host === ip)?.taker
  }

  /** The open ports. */
  ports(): readonly { readonly ip: string; readonly port: number }[] {
    return [...this.#bound].flatMap(([port, bound]) => bound.map(({ host = '0.0.0.0' }) => ({ ip: host, port })))
  }

  /** Whether no port is open. */
  get silent(): boolean {
    return this.#bound.size === 0
  }

  /** A free ephemeral port number. */
  ephemeral(): number {
    this.#next = this.#next + 1 >= PORTS ? FIRST_EPHEMERAL : this.#next + 1
    return this.#next
  }

  #free(): number {
    for (let tries = FIRST_EPHEMERAL; tries < PORTS; tries++) {
      const port = this.ephemeral()
      if (!this.#bound.has(port)) return port
    }
    throw new ConnectError('EADDRINUSE', 'listen', { address: '0.0.0.0', port: 0 })
  }
}
