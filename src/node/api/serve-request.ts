import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from '../../base/logger.ts'
import { quietErrors } from '../../base/quiet.ts'
import { readWhole } from '../../base/read-whole.ts'
import { nodeAttributes } from './access/attributes.ts'
import type { KubeletAccess } from './access/kubelet-access.ts'
import type { ApiRequest, Caller } from './api-request.ts'
import { errorText, type KubeletResponse, text } from './kubelet-response.ts'
import type { CountedRequest } from './metrics/request-counts.ts'
import { findRoute, type RouteTable } from './routes.ts'

export interface ServeDeps {
  readonly table: RouteTable
  readonly access: KubeletAccess
  /** Counts a request; call the result when it has ended. */
  readonly begin: (request: CountedRequest) => () => void
  readonly log: Logger
}

/** Go's server sends responses up to this size with a Content-Length, longer ones in chunks. */
const WHOLE_BYTES = 2048
/** Size limit of a request's body. */
const MOST_BODY_BYTES = 1024 * 1024

/** Serves one request. Never rejects. */
export async function serveRequest(request: IncomingMessage, response: ServerResponse, caller: Caller, deps: ServeDeps): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort(new Error('the client has gone')))
  const ended = deps.begin(request)
  try {
    const answer = await answerOf(request, caller, { ...deps, signal: gone.signal })
    if (answer !== undefined) await write(response, answer)
  } catch (error) {
    fail(response, error, { log: deps.log, gone: gone.signal.aborted })
  }
  ended()
  // An unread body must not block the next request of the connection.
  request.resume()
}

/** Serves an upgrade request; a refusal ends the connection. Never rejects. */
export async function serveUpgrade(
  request: IncomingMessage,
  upgrade: { readonly socket: Duplex; readonly head: Buffer },
  caller: Caller,
  deps: ServeDeps,
): Promise<void> {
  const { socket } = upgrade
  const gone = new AbortController()
  quietErrors(socket, 'the close event follows')
  socket.on('close', () => gone.abort(new Error('the client has gone')))
  socket.once('close', deps.begin(request))
  try {
    const answer = await answerOf(request, caller, { ...deps, signal: gone.signal, upgrade })
    if (answer !== undefined) await refuse(request, socket, answer)
  } catch (error) {
    if (!gone.signal.aborted) deps.log.error('a stream of the kubelet ended badly', { url: request.url, error })
    socket.destroy()
  }
}

async function refuse(request: IncomingMessage, socket: Duplex, answer: KubeletResponse): Promise<void> {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  // The parameter's type is Socket, but any duplex stream works.
  response.assignSocket(socket as Socket)
  response.on('finish', () => socket.end())
  await write(response, answer)
}

interface ResponseDeps extends ServeDeps {
  readonly signal: AbortSignal
  readonly upgrade?: ApiRequest['upgrade']
}

async function answerOf(request: IncomingMessage, caller: Caller, deps: ResponseDeps): Promise<KubeletResponse | undefined> {
  const { method = 'GET', url = '/', headers } = request
  const [rawPath = '/', ...search] = url.split('?')
  const path = decoded(rawPath)
  if (path === undefined) return text(400, '400 Bad Request')
  const query = search.join('?')
  const found = findRoute(deps.table, {
    method,
    path,
    escaped: rawPath,
    search: search.length === 0 ? '' : `?${query}`,
    accept: headers.accept ?? '',
  })
  if (found.kind === 'open') return found.answer
  const refusal = await refusalOf(deps.access, caller, { method, path })
  if (refusal !== undefined) return refusal
  if (found.kind === 'refused') return found.answer
  return found.handler({
    method,
    url,
    path,
    query: new URLSearchParams(query),
    headers,
    parameters: found.parameters,
    remoteAddress: request.socket?.remoteAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1',
    body: () => readBody(request),
    signal: deps.signal,
    ...(deps.upgrade && { upgrade: deps.upgrade }),
  })
}

/** The refusal of an unauthenticated or unauthorized request. Requests inside the process were authorized by the API server. */
async function refusalOf(
  access: KubeletAccess,
  caller: Caller,
  { method, path }: { readonly method: string; readonly path: string },
): Promise<KubeletResponse | undefined> {
  const user = await access.authenticate(caller)
  if (user === undefined) return text(401, 'Unauthorized')
  if (caller.trusted !== undefined) return undefined
  const { verb, subresources } = nodeAttributes(method, path)
  const verdict = await access.authorize(user, { verb, subresources })
  const of = `user=${user.name}, verb=${verb}, resource=nodes`
  if (verdict.kind === 'failed') return text(500, `Authorization error (${of}, subresource=${verdict.subresource})`)
  return verdict.kind === 'denied' ? text(403, `Forbidden (${of}, subresource(s)=[${subresources.join(' ')}])\n`) : undefined
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const tooLong = () => new Error(`the body is longer than ${MOST_BODY_BYTES} bytes`)
  return (await readWhole(request, MOST_BODY_BYTES, tooLong)).toString()
}

async function write(response: ServerResponse, { code, headers, body }: KubeletResponse): Promise<void> {
  response.writeHead(
    code,
    body instanceof Uint8Array || typeof body === 'string' ? lengthOf(headers, body) : { ...headers, 'Transfer-Encoding': 'chunked' },
  )
  if (body instanceof Uint8Array || typeof body === 'string') return void response.end(body)
  // Sends the headers at once: a log may stay silent for hours.
  response.flushHeaders()
  for await (const chunk of body) {
    if (response.destroyed) return
    if (!response.write(chunk)) await drained(response)
  }
  response.end()
}

function lengthOf(headers: Readonly<Record<string, string>>, body: string | Uint8Array): Record<string, string> {
  const length = Buffer.byteLength(body)
  return length > WHOLE_BYTES ? { ...headers, 'Transfer-Encoding': 'chunked' } : { ...headers, 'Content-Length': String(length) }
}

/** Resolves when the client has read what was written, or has disconnected. */
function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

function fail(response: ServerResponse, error: unknown, { log, gone }: { readonly log: Logger; readonly gone: boolean }): void {
  if (gone) return void response.destroy()
  log.error('a request to the kubelet could not be answered', { error })
  if (response.headersSent) return void response.destroy()
  const { code, headers, body } = errorText(500, 'internal error')
  response.writeHead(code, headers).end(body)
}
