import type { Duplex } from 'node:stream'
import tls, { type SecureContext, type TLSSocket } from 'node:tls'
import type { ServiceTarget } from '../../apiserver/service-target.ts'
import type { Clock } from '../../base/clock.ts'
import { certificateError, goNetworkError, NetworkError, wrongName } from './network-error.ts'

/** How the other side is known, and how this one makes itself known. */
export interface DialTls {
  /** Authorities (PEM); the system's when absent. */
  readonly ca?: string
  /** Take any certificate. */
  readonly insecure: boolean
  /** The name that its certificate must hold. */
  readonly servername: string
  /** This server's own certificate. */
  readonly client?: { readonly certificate: string; readonly key: string }
}

export interface Dialled {
  readonly socket: Duplex
  /** What was agreed on. */
  readonly protocol: 'h2' | 'http/1.1'
}

/** A connection stands within this time, or not at all. */
const CONNECT_MS = 30_000

/** The certificates of a connection, read once: parsing them for each connection would cost more than the handshake. */
export function secureContextOf({ ca, client }: DialTls): SecureContext {
  return tls.createSecureContext({
    ...(ca !== undefined && { ca }),
    ...(client !== undefined && { cert: client.certificate, key: client.key }),
    // As Go does: a certificate of the bundle is trusted, whether it signed itself or not.
    allowPartialTrustChain: true,
  })
}

export interface Dial {
  readonly target: ServiceTarget
  readonly tls: DialTls
  readonly context: SecureContext
  readonly protocols: readonly ('h2' | 'http/1.1')[]
  readonly clock: Clock
}

/** Opens a connection to a service; rejects with a `NetworkError` in Go's words. */
export async function dial(wanted: Dial): Promise<Dialled> {
  const { target } = wanted
  if (target.kind === 'handler') return { socket: handlerSocket(target), protocol: 'http/1.1' }
  if (target.connect === undefined) return secure(wanted, target)
  const late = new NetworkError('late', `dial tcp ${target.host}:${target.port}: i/o timeout`)
  return secure(wanted, target, await inTime(target.connect(), wanted.clock, late))
}

/** What the promise brings, if it does so while a connection may still be waited for. */
function inTime(opening: Promise<Duplex>, clock: Clock, late: NetworkError): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    let over = false
    const cancel = clock.after(CONNECT_MS, () => {
      over = true
      reject(late)
    })
    opening
      .then(
        (socket) => (over ? socket.destroy() : resolve(socket)),
        (error: unknown) => reject(new NetworkError('unreachable', goNetworkError(error), error)),
      )
      .finally(cancel)
  })
}

/** Over `connection`, or a new one of the machine's. */
function secure(wanted: Dial, { host, port }: { readonly host: string; readonly port: number }, connection?: Duplex): Promise<Dialled> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      ...(connection === undefined ? { host, port } : { socket: connection }),
      secureContext: wanted.context,
      servername: wanted.tls.servername,
      ALPNProtocols: [...wanted.protocols],
      // What is wrong with a certificate is told below, in Go's words.
      rejectUnauthorized: false,
    })
    const fail = (error: unknown) => {
      cancel()
      socket.off('close', ended)
      socket.destroy()
      reject(error instanceof NetworkError ? error : new NetworkError('unreachable', goNetworkError(error), error))
    }
    const cancel = wanted.clock.after(CONNECT_MS, () => fail(new NetworkError('late', `dial tcp ${host}:${port}: i/o timeout`)))
    // An end before the handshake is no error of its own.
    const ended = () => fail(new NetworkError('unreachable', 'EOF'))
    socket.on('error', fail)
    socket.on('close', ended)
    socket.once('secureConnect', () => {
      const why = wanted.tls.insecure ? undefined : distrust(socket, wanted)
      if (why !== undefined) return fail(new NetworkError('unreachable', why))
      cancel()
      socket.off('close', ended)
      socket.off('error', fail)
      socket.on('error', () => {})
      socket.setNoDelay(true)
      resolve({ socket, protocol: socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1' })
    })
  })
}

function distrust(socket: TLSSocket, { tls: { servername }, clock }: Dial): string | undefined {
  const certificate = socket.getPeerCertificate()
  // Its type says an error, and it is the code of one.
  const fault = socket.authorized ? undefined : String(socket.authorizationError)
  return fault !== undefined && fault !== 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? certificateError(fault, certificate, clock.now())
    : wrongName(servername, certificate)
}

/** A connection to a server of this process. What Node's HTTP client calls on sockets means nothing to it. */
export function handlerSocket({ connect }: Extract<ServiceTarget, { kind: 'handler' }>): Duplex {
  const stream = connect()
  const nothing = () => stream
  for (const name of ['setKeepAlive', 'setNoDelay', 'setTimeout', 'ref', 'unref'])
    if (!(name in stream)) Object.defineProperty(stream, name, { value: nothing })
  stream.on('error', () => {})
  return stream
}
