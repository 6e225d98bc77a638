import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ConnectRequest, ConnectResponse } from '../../apiserver/extension-points.ts'
import { onAbort } from '../../base/on-abort.ts'
import { quiet, quietErrors } from '../../base/quiet.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { canonical, isIdentity } from '../aggregation/forward-headers.ts'
import { HOP_BY_HOP, namedByConnection } from '../aggregation/hop-by-hop.ts'
import { answerHeaders } from '../aggregation/response-headers.ts'
import { goNetworkError } from '../services/network-error.ts'
import type { Backend } from './backend.ts'
import { type ProxiedPage, rewriteHtml, rewriteLink } from './rewrite-links.ts'

/** The path of the proxy itself, and the proxied rest. */
export interface Split {
  readonly prefix: string
  readonly rest: string
  /** With its question mark, or `''`. */
  readonly search: string
}

/** Size limit of pages whose links are rewritten; larger ones are streamed unchanged. */
const MOST_PAGE_BYTES = 4 * 1024 * 1024

/** Streams a request to the backend of a proxy, and its response back. */
export async function forwardProxy(request: ConnectRequest, answer: ConnectResponse, backend: Backend): Promise<void> {
  const at = splitProxyPath(request.url)
  if (request.upgrade !== undefined) return forwardUpgrade({ ...request, upgrade: request.upgrade }, answer, { backend, at })
  if (at.rest === '' && (request.method === 'GET' || request.method === 'HEAD')) {
    // A host that is unknown or not allowed is refused, not redirected to.
    const socket = await backend.connect()
    quietErrors(socket, 'nothing is asked of it')
    socket.destroy()
    answer.start(301, { ...CACHE, location: `${at.prefix}/${at.search}` })
    return answer.end()
  }
  const sent = await open(request, backend, at)
  using _ = onAbort(request.signal, () => sent.destroy(new Error('context canceled')))
  try {
    const got = await answerTo(sent, request)
    await handBack(got, request, answer, { backend, prefix: at.prefix })
  } finally {
    sent.destroy()
  }
}

const CACHE = { 'cache-control': 'no-cache, private' }

/** Splits the path after the `/proxy` that follows the name. */
export function splitProxyPath(url: string): Split {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  // Matched from the start, segment by segment: a namespace may be named `services`, and a pod `proxy`.
  const prefix = /^\/api\/v1\/(?:namespaces\/[^/]+\/)?(?:nodes|pods|services)\/[^/]+\/proxy/.exec(path)?.[0] ?? path
  return { prefix, rest: path.slice(prefix.length), search: mark < 0 ? '' : url.slice(mark) }
}

/** Opens the request. As in kube-apiserver, an upgrade request loses its query. */
async function open(request: ConnectRequest, backend: Backend, { rest, search, prefix }: Split): Promise<http.ClientRequest> {
  const socket = await backend.connect()
  const headers = forwarded(request)
  if (request.upgrade === undefined) headers['X-Forwarded-Uri'] = prefix + rest
  const sent = http.request({
    method: request.method,
    path: `${rest === '' ? '/' : rest}${request.upgrade === undefined ? search : ''}`,
    headers,
    createConnection: () => socket,
    setHost: false,
  })
  if (request.upgrade === undefined) sent.setHeader('Connection', 'close')
  return sent
}

/** The request's headers without hop-by-hop headers (except for those of an upgrade) and without the client's credentials. */
export function forwarded({ headers, upgrade }: Pick<ConnectRequest, 'headers' | 'upgrade'>): Record<string, string | string[]> {
  const hop = namedByConnection([headers.connection ?? ''])
  const out: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':') || isIdentity(name) || HOP_BY_HOP.has(name) || hop.has(name)) continue
    out[canonical(name)] = value
  }
  if (upgrade !== undefined) Object.assign(out, { Connection: 'Upgrade', Upgrade: headers.upgrade ?? '' })
  if (out.Host === undefined) out.Host = String(headers[':authority'] ?? 'localhost')
  const before = headers['x-forwarded-for']
  out['X-Forwarded-For'] = before === undefined ? '127.0.0.1' : `${before}, 127.0.0.1`
  return out
}

async function answerTo(sent: http.ClientRequest, { method, body }: ConnectRequest): Promise<IncomingMessage> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve)
    sent.on('error', reject)
    sent.on('upgrade', (_answer, socket) => {
      socket.destroy()
      reject(new Error('net/http: HTTP/1.x transport connection broken: unexpected 101 response'))
    })
  })
  if (method === 'GET' || method === 'HEAD') sent.end()
  else body.pipe(sent)
  try {
    return await answered
  } catch (error) {
    throw unreachable(error)
  }
}

const unreachable = (error: unknown) =>
  new StatusError({
    code: 503,
    reason: 'ServiceUnavailable',
    message: `error trying to reach service: ${goNetworkError(error)}`,
    cause: error,
  })

async function handBack(
  got: IncomingMessage,
  request: ConnectRequest,
  answer: ConnectResponse,
  { backend, prefix }: { readonly backend: Backend; readonly prefix: string },
): Promise<void> {
  const headers = headersOf(got)
  const proxied: ProxiedPage = { prefix, hosts: [backend.host, request.headers.host ?? ''] }
  const { location } = got.headers
  if (location !== undefined && location !== '') headers.location = rewriteLink(location, proxied)
  else if (isPage(got) && request.method !== 'HEAD') return page(got, answer, { headers, proxied })
  answer.start(got.statusCode ?? 502, headers)
  await pass(got, answer)
}

const headersOf = ({ rawHeaders, statusCode: status = 502 }: IncomingMessage) => answerHeaders(rawHeaders, { status, unpacked: false })

/** @throws {StatusError} if the backend's response is cut off: the client must not take it for complete */
async function pass(body: AsyncIterable<Uint8Array>, answer: ConnectResponse): Promise<void> {
  try {
    for await (const chunk of body) if (!answer.write(chunk)) await answer.drained()
  } catch (error) {
    throw unreachable(error)
  }
  answer.end()
}

const isPage = ({ headers }: IncomingMessage) =>
  headers['content-type']?.split(';')[0]?.trim() === 'text/html' && (headers['content-encoding'] ?? '') === ''

async function page(
  got: IncomingMessage,
  answer: ConnectResponse,
  { headers, proxied }: { readonly headers: ReturnType<typeof answerHeaders>; readonly proxied: ProxiedPage },
): Promise<void> {
  const parts: Buffer[] = []
  let size = 0
  const rest = got[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const read = () => rest.next().catch((error: unknown) => Promise.reject(unreachable(error)))
  for (let next = await read(); next.done !== true; next = await read()) {
    parts.push(next.value)
    size += next.value.length
    if (size <= MOST_PAGE_BYTES) continue
    answer.start(got.statusCode ?? 502, headers)
    for (const part of parts) answer.write(part)
    return pass({ [Symbol.asyncIterator]: () => rest }, answer)
  }
  const body = Buffer.from(rewriteHtml(Buffer.concat(parts).toString(), proxied))
  answer.start(got.statusCode ?? 502, { ...headers, 'content-length': String(body.length) })
  answer.write(body)
  answer.end()
}

/** Connects the client with the backend, once that has accepted the upgrade. */
async function forwardUpgrade(
  request: ConnectRequest & { readonly upgrade: NonNullable<ConnectRequest['upgrade']> },
  answer: ConnectResponse,
  { backend, at }: { readonly backend: Backend; readonly at: Split },
): Promise<void> {
  const sent = await open(request, backend, at)
  const { promise, resolve, reject } = Promise.withResolvers<{
    readonly got: IncomingMessage
    readonly socket?: Duplex
    readonly head?: Buffer
  }>()
  sent.on('upgrade', (got, socket, head) => resolve({ got, socket, head }))
  sent.on('response', (got) => resolve({ got }))
  sent.on('error', reject)
  sent.end()
  using _ = onAbort(request.signal, () => sent.destroy())
  try {
    const { got, socket, head } = await promise.catch((error: unknown) => {
      throw unreachable(error)
    })
    if (socket === undefined) {
      const { 'cache-control': _, ...headers } = headersOf(got)
      answer.start(got.statusCode ?? 502, headers)
      return await pass(got, answer)
    }
    await join(request.upgrade, { got, socket, head: head ?? Buffer.alloc(0) })
  } finally {
    sent.destroy()
  }
}

async function join(
  client: { readonly socket: Duplex; readonly head: Buffer },
  server: { readonly got: IncomingMessage; readonly socket: Duplex; readonly head: Buffer },
): Promise<void> {
  const { rawHeaders } = server.got
  const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}\r\n`] : []))
  client.socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`, 'latin1')
  if (server.head.length > 0) client.socket.write(server.head)
  if (client.head.length > 0) server.socket.write(client.head)
  client.socket.pipe(server.socket)
  server.socket.pipe(client.socket)
  const end = () => {
    client.socket.destroy()
    server.socket.destroy()
  }
  for (const one of [client.socket, server.socket]) one.on('error', end)
  await quiet(Promise.race([once(client.socket, 'close'), once(server.socket, 'close')]), 'a connection that breaks has ended, too')
  // Flush the last bytes.
  if (server.socket.readableEnded && !client.socket.destroyed) client.socket.end(end)
  else end()
}
