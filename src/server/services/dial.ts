import type { Duplex } from 'node:stream'
import tls, { type SecureContext, type TLSSocket } from 'node:tls'
import type { ServiceTarget } from '../../apiserver/service-target.ts'
import type { Clock } from '../../base/clock.ts'
import { quietErrors } from '../../base/quiet.ts'
import { certificateError, goNetworkError, NetworkError, wrongName } from './network-error.ts'

/** TLS settings of a connection. */
export interface DialTls {
  /** Trusted authorities (PEM); the system's if absent. */
  readonly ca?: string
  /** Skip the verification. */
  readonly insecure: boolean
  /** The name in the server's certificate. */
  readonly servername: string
  /** This server's client certificate. */
  readonly client?: { readonly certificate: string; readonly key: string }
}

export interface Dialled {
  readonly socket: Duplex
  /** The negotiated protocol. */
  readonly protocol: 'h2' | 'http/1.1'
}

/** The time limit of a connection attempt. */
const CONNECT_MS = 30_000

/** The TLS context, created once: parsing certificates for each connection would cost more than the handshake. */
export function secureContextOf({ ca, client }: DialTls): SecureContext {
  return tls.createSecureContext({
    ...(ca !== undefined && { ca }),
    ...(client !== undefined && { cert: client.certificate, key: client.key }),
    // As in Go, every certificate of the bundle is a trust anchor, self-signed or not.
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

/** Opens a connection to a service; rejects with a `NetworkError` and Go's message. */
export async function dial(wanted: Dial): Promise<Dialled> {
  const { target } = wanted
  if (target.kind === 'handler') return { socket: handlerSocket(target), protocol: 'http/1.1' }
  if (target.connect === undefined) return secure(wanted, target)
  const late = new NetworkError('late', `dial tcp ${target.host}:${target.port}: i/o timeout`)
  return secure(wanted, target, await inTime(target.connect(), wanted.clock, late))
}

/** The promise's value, within the time limit of a connection attempt. */
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

/** Starts TLS over `connection`, or over a new socket. */
function secure(wanted: Dial, { host, port }: { readonly host: string; readonly port: number }, connection?: Duplex): Promise<Dialled> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      ...(connection === undefined ? { host, port } : { socket: connection }),
      secureContext: wanted.context,
      servername: wanted.tls.servername,
      ALPNProtocols: [...wanted.protocols],
      // The certificate is verified below, with Go's messages.
      rejectUnauthorized: false,
    })
    const fail = (error: unknown) => {
      cancel()
      socket.off('close', ended)
      socket.destroy()
      reject(error instanceof NetworkError ? error : new NetworkError('unreachable', goNetworkError(error), error))
    }
    const cancel = wanted.clock.after(CONNECT_MS, () => fail(new NetworkError('late', `dial tcp ${host}:${port}: i/o timeout`)))
    // An end before the handshake raises no error event.
    const ended = () => fail(new NetworkError('unreachable', 'EOF'))
    socket.on('error', fail)
    socket.on('close', ended)
    socket.once('secureConnect', () => {
      const why = wanted.tls.insecure ? undefined : distrust(socket, wanted)
      if (why !== undefined) return fail(new NetworkError('unreachable', why))
      cancel()
      socket.off('close', ended)
      socket.off('error', fail)
      quietErrors(socket, 'its new owner reads the close')
      socket.setNoDelay(true)
      resolve({ socket, protocol: socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1' })
    })
  })
}

function distrust(socket: TLSSocket, { tls: { servername }, clock }: Dial): string | undefined {
  const certificate = socket.getPeerCertificate()
  // The declared type is Error, but the value is its code.
  const fault = socket.authorized ? undefined : String(socket.authorizationError)
  return fault !== undefined && fault !== 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? certificateError(fault, certificate, clock.now())
    : wrongName(servername, certificate)
}

/** A connection to a server of this process. The socket methods that Node's HTTP client calls are stubs. */
export function handlerSocket({ connect }: Extract<ServiceTarget, { kind: 'handler' }>): Duplex {
  const stream = connect()
  const nothing = () => stream
  for (const name of ['setKeepAlive', 'setNoDelay', 'setTimeout', 'ref', 'unref'])
    if (!(name in stream)) Object.defineProperty(stream, name, { value: nothing })
  quietErrors(stream, 'its owner reads the close')
  return stream
}
