import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { KEY_PREFIX, PROTOCOL } from '../../wire/protocol.ts'

/** A request, as far as it is judged. */
export interface PageRequest {
  readonly method: string
  readonly httpVersion: string
  readonly headers: IncomingHttpHeaders
}

/** Why a request is refused. */
export interface Refusal {
  readonly code: 400 | 401 | 403 | 405 | 421 | 505
  readonly message: string
}

/**
 * The names under which a browser of this machine reaches the page. Any other name was resolved to this address by somebody (rebinding).
 */
export const hostsOf = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`]

/** Judges every request, before anything is done for it: the page is for a browser of this machine that was given its address. */
export function refusalOf({ method, httpVersion, headers }: PageRequest, port: number): Refusal | undefined {
  if (httpVersion !== '1.1') return { code: 505, message: 'speak HTTP/1.1' }
  const { host = '', origin } = headers
  if (!hostsOf(port).includes(host)) return { code: 421, message: `this page is at http://127.0.0.1:${port}` }
  if (origin !== undefined && origin !== `http://${host}`) return { code: 403, message: 'pages of other origins may not read this one' }
  if (isForeignLoad(headers)) return { code: 403, message: 'pages of other origins may not load parts of this one' }
  return method === 'GET' || method === 'HEAD' ? undefined : { code: 405, message: 'only GET is answered' }
}

/** A subresource that another site wants; opening the page by a link is a navigation. */
const isForeignLoad = (headers: IncomingHttpHeaders): boolean =>
  ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site'])) && headers['sec-fetch-mode'] !== 'navigate'

/** Judges the handshake of the WebSocket, which carries the key. */
export function socketRefusalOf(request: PageRequest, port: number, key: string): Refusal | undefined {
  const refusal = refusalOf(request, port)
  if (refusal !== undefined) return refusal
  // A browser always names the origin of a WebSocket.
  if (request.headers.origin === undefined) return { code: 403, message: 'a browser names its origin' }
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  if (!offered.includes(PROTOCOL)) return { code: 400, message: `speak ${PROTOCOL}` }
  const given = offered.find((name) => name.startsWith(KEY_PREFIX))?.slice(KEY_PREFIX.length) ?? ''
  return isSame(given, key) ? undefined : { code: 401, message: 'the key is not the one of this run: open the printed link' }
}

/** Takes the same time for every wrong key. */
function isSame(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return left !== undefined && right !== undefined && timingSafeEqual(left, right)
}
