import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Clock } from '../../../base/clock.ts'
import { Http2Session } from '../../../base/http2/http2-session.ts'
import { messageOf } from '../../../base/message-of.ts'
import { UnsentError } from './call-status.ts'

/** PEM texts; undefined: the system's authorities, or no client certificate. */
export interface EtcdTls {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}

/** A member that accepts connections and says nothing may be paused. */
const CONNECT_TIMEOUT_MS = 5000
/** Between two tries to connect. */
const PAUSE_MS = 100
/** As kube-apiserver's client. */
const KEEP_ALIVE = { afterMs: 30_000, timeoutMs: 10_000 }

/** A member of an etcd cluster. It is connected by the first call, and again when the connection is lost. */
export class Member implements Disposable {
  readonly url: URL
  readonly #tls: EtcdTls
  readonly #clock: Clock
  /** Being connected, or connected. */
  #newest: Http2Session | undefined
  #session: Http2Session | undefined
  /** The try under way, or the last one for a short time, so that many calls try once. */
  #trying: Promise<Http2Session> | undefined

  constructor(url: URL, tls: EtcdTls, clock: Clock) {
    this.url = url
    this.#tls = tls
    this.#clock = clock
  }

  /** The connection, if there is one. */
  get session(): Http2Session | undefined {
    return this.#session?.open === true ? this.#session : undefined
  }

  /** @throws {UnsentError} */
  connect(): Promise<Http2Session> {
    const { session } = this
    if (session !== undefined) return Promise.resolve(session)
    if (this.#trying !== undefined) return this.#trying
    const trying = this.#connect()
    this.#trying = trying
    const over = () => {
      if (this.#trying === trying) this.#trying = undefined
    }
    trying.then(over, () => void this.#clock.after(PAUSE_MS, over))
    return trying
  }

  [Symbol.dispose](): void {
    this.#newest?.[Symbol.dispose]()
    if (this.#session !== this.#newest) this.#session?.[Symbol.dispose]()
  }

  async #connect(): Promise<Http2Session> {
    const socket = this.#open()
    const session = new Http2Session({ keepAlive: KEEP_ALIVE }, socket, this.#clock)
    const cancel = this.#clock.after(CONNECT_TIMEOUT_MS, () => session.close(`it did not respond in ${CONNECT_TIMEOUT_MS} ms`))
    this.#newest = session
    try {
      await session.ready
      this.#session = session
      return session
    } catch (cause) {
      throw new UnsentError('Unavailable', `no connection to ${this.url.host}: ${messageOf(cause)}`, { cause })
    } finally {
      cancel()
    }
  }

  #open(): Socket | TLSSocket {
    const { protocol, hostname, port } = this.url
    const host = hostname.replace(/^\[|\]$/g, '')
    if (protocol !== 'https:') return connectTcp({ host, port: Number(port || 80), noDelay: true })
    const { ca, cert, key } = this.#tls
    const socket = connectTls({
      host,
      port: Number(port || 443),
      // Addresses are not named in the handshake (RFC 6066, section 3); the certificate is checked for them all the same.
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ['h2'],
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    })
    socket.setNoDelay(true)
    socket.on('secureConnect', () => {
      if (socket.alpnProtocol !== 'h2') socket.destroy(new Error('the server does not speak HTTP/2'))
    })
    return socket
  }
}
