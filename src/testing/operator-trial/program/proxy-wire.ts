import type { IncomingHttpHeaders } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import { StatusError } from '../../../machinery/status-error.ts'

/** The API server behind a proxy, and the proxy's credentials there. */
export interface Upstream {
  readonly address: string
  /** PEM, as the others. */
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** No object is larger than what the API server takes, which is three mebibytes. */
const MOST_BODY_BYTES = 4 * 1024 * 1024

/** Headers of one connection, and the operator's own credentials: the proxy has others. */
const OWN = new Set([
  'host',
  'connection',
  'authorization',
  'transfer-encoding',
  'content-length',
  'keep-alive',
  'upgrade',
  'http2-settings',
])

/** The headers that a proxy passes on. */
export const passedOn = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':') && !OWN.has(name)))

/** Undefined: it is larger than any may be. */
export async function bodyOf(request: Http2ServerRequest): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let sizeBytes = 0
  for await (const part of request) {
    sizeBytes += part.length
    if (sizeBytes <= MOST_BODY_BYTES) parts.push(part)
  }
  return sizeBytes > MOST_BODY_BYTES ? undefined : Buffer.concat(parts)
}

interface Upgrading {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly socket: Duplex
  readonly upstream: Upstream
  /** Called when bytes have arrived from either side. */
  readonly onBytes?: () => unknown
}

/** Exec, attach and port-forward: bytes are passed on in both directions, unseen. */
export function tunnel({ method, url, headers, socket, upstream, onBytes = () => {} }: Upgrading): void {
  const { hostname, port } = new URL(upstream.address)
  const { ca, cert, key } = upstream
  const own = new Set(['authorization', 'host'])
  const lines = Object.entries(headers).flatMap(([name, value]) => (own.has(name) ? [] : [value ?? []].flat().map((v) => `${name}: ${v}`)))
  const sent = tls.connect({ host: hostname, port: Number(port), ca, cert, key, ALPNProtocols: ['http/1.1'] }, () => {
    sent.write([`${method} ${url} HTTP/1.1`, `host: ${hostname}:${port}`, ...lines, '', ''].join('\r\n'))
    socket.pipe(sent).pipe(socket)
  })
  for (const [one, other] of [
    [sent, socket],
    [socket, sent],
  ] as const) {
    one.on('error', () => other.destroy())
    one.on('close', () => other.destroy())
    one.on('data', onBytes)
  }
}

/** Responds with the error's Status. */
export function refuse(response: Http2ServerResponse, { code, status }: StatusError): void {
  response.writeHead(code, { 'content-type': 'application/json' })
  response.end(JSON.stringify(status))
}

/** The response to a body that `bodyOf` does not read. */
export const tooLarge = () =>
  new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message: `the body has more than ${MOST_BODY_BYTES} bytes` })
