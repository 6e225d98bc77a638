import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { DelegatedRequest, DelegatedResponse } from '../../apiserver/delegate-server.ts'
import { onAbort } from '../../base/on-abort.ts'
import { quiet } from '../../base/quiet.ts'
import type { Connections, IncomingResponse } from '../services/connections.ts'
import { goNetworkError } from '../services/network-error.ts'
import { asksForGzip, escapePath, forwardHeaders, type IsIdentity, sortedQuery } from './forward-headers.ts'
import { rewrittenLocation } from './redirect.ts'
import { answerHeaders } from './response-headers.ts'

export interface ForwardTo {
  /** Headers that are not forwarded because they carry an identity. */
  readonly isIdentity: IsIdentity
  readonly connections: Connections
  /** `host:port` for the delegate's Host header. */
  readonly host: string
  /** Redirects are refused: `--aggregator-reject-forwarding-redirect`. */
  readonly rejectRedirects: boolean
}

/** A one-line response, as Go's `http.Error` writes it. */
export function plainError(answer: DelegatedResponse, status: number, text: string): void {
  answer.answer(
    status,
    { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache, private' },
    `${text}\n`,
  )
}

/** Streams a request to a delegate and its response to the client, with backpressure in both directions. */
export async function forward(request: DelegatedRequest, answer: DelegatedResponse, to: ForwardTo): Promise<void> {
  const path = escapePath(request.path)
  let got: IncomingResponse
  try {
    got = await to.connections.send({
      method: request.method,
      target: targetOf(path, request.search),
      host: to.host,
      headers: withLength(request, forwardHeaders({ ...request, path, host: to.host, upgrade: false }, to.isIdentity)),
      ...(request.body !== undefined && { body: request.body }),
      signal: request.signal,
    })
  } catch (error) {
    if (request.signal.aborted) return
    return plainError(answer, 503, `error trying to reach service: ${goNetworkError(error)}`)
  }
  await handBack(got, request, answer, to)
}

export const targetOf = (path: string, search: string): string => {
  const query = sortedQuery(search)
  return query === '' ? path : `${path}?${query}`
}

/** Sets a Content-Length of 0 for a method that may have a body but has none. */
function withLength({ method, body }: DelegatedRequest, headers: Record<string, string | readonly string[]>) {
  if (body !== undefined) return headers
  const { 'Content-Length': _, ...rest } = headers
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? { ...rest, 'Content-Length': '0' } : rest
}

async function handBack(got: IncomingResponse, request: DelegatedRequest, answer: DelegatedResponse, to: ForwardTo): Promise<void> {
  const location = headerOf(got.rawHeaders, 'location')
  const redirects = got.status >= 300 && got.status <= 399 && location !== undefined && location !== ''
  if (redirects && to.rejectRedirects) {
    got.body.destroy()
    const text = 'the backend attempted to redirect this request, which is not permitted'
    return answer.answer(502, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, private' }, text)
  }
  const unpacked = asksForGzip(request) && headerOf(got.rawHeaders, 'content-encoding')?.toLowerCase() === 'gzip'
  const headers = answerHeaders(got.rawHeaders, { status: got.status, unpacked })
  if (location !== undefined && location !== '') headers.location = rewrittenLocation(location, to.host)
  const body = unpacked ? gunzipped(got.body) : got.body
  await stream(body, got, { request, answer, headers })
}

interface HandingBack {
  readonly request: DelegatedRequest
  readonly answer: DelegatedResponse
  readonly headers: Record<string, string | readonly string[]>
}

async function stream(body: Readable, got: IncomingResponse, { request, answer, headers }: HandingBack): Promise<void> {
  // Without a content type, the first bytes are sniffed if the length is known: a stream must not be delayed.
  const looks = headers['content-type'] === undefined && Number(headers['content-length']) > 0 && request.method !== 'HEAD'
  using _ = onAbort(request.signal, () => body.destroy())
  try {
    if (!looks) answer.start(got.status, headers)
    for await (const chunk of body) {
      if (!answer.started) answer.start(got.status, { ...headers, 'content-type': sniffed(chunk) })
      if (!answer.write(chunk)) await answer.drained()
      if (answer.gone) return
    }
    if (!answer.started) answer.start(got.status, headers)
    answer.end()
  } catch {
    // The delegate's response was cut off: the client must not take it for complete.
    if (!request.signal.aborted) answer.abort()
  } finally {
    got.body.destroy()
  }
}

/** Text or bytes: all that can be sniffed. */
const sniffed = (chunk: Uint8Array): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what text does not hold.
  /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(Buffer.from(chunk.subarray(0, 512)).toString('latin1'))
    ? 'application/octet-stream'
    : 'text/plain; charset=utf-8'

function gunzipped(packed: Readable): Readable {
  const unpacked = createGunzip()
  packed.on('error', (error) => unpacked.destroy(error))
  packed.on('aborted', () => unpacked.destroy(new Error('the answer was cut off')))
  unpacked.on('close', () => packed.destroy())
  return packed.pipe(unpacked)
}

export function headerOf(raw: readonly string[], name: string): string | undefined {
  for (let i = 0; i + 1 < raw.length; i += 2) if (raw[i]?.toLowerCase() === name) return raw[i + 1]
  return undefined
}

/** Connects the client's socket with the delegate's, once the delegate has accepted the upgrade. */
export async function forwardUpgrade(
  request: DelegatedRequest & { readonly upgrade: NonNullable<DelegatedRequest['upgrade']> },
  answer: DelegatedResponse,
  to: ForwardTo,
): Promise<void> {
  const path = escapePath(request.path)
  const got = await to.connections
    .upgrade({
      method: request.method,
      target: targetOf(path, request.search),
      host: to.host,
      headers: forwardHeaders({ ...request, path, host: to.host, upgrade: true }, to.isIdentity),
      signal: request.signal,
    })
    .catch((error: unknown) => {
      if (!request.signal.aborted) plainError(answer, 503, `error dialing backend: ${goNetworkError(error)}`)
    })
  if (got === undefined) return
  if (got.socket === undefined) {
    const { status, rawHeaders, body } = got.answer
    if (status < 400) {
      body.destroy()
      return plainError(answer, 503, `invalid upgrade response: status code ${status}`)
    }
    const headers = answerHeaders(rawHeaders, { status, unpacked: false })
    return stream(body, got.answer, { request, answer, headers })
  }
  answer.switched()
  const { socket: client, head } = request.upgrade
  const { socket: delegate } = got
  client.write(switchingHead(got.answer.rawHeaders), 'latin1')
  if (got.head !== undefined && got.head.length > 0) client.write(got.head)
  if (head.length > 0) delegate.write(head)
  client.pipe(delegate)
  delegate.pipe(client)
  const end = () => {
    client.destroy()
    delegate.destroy()
  }
  for (const one of [client, delegate]) one.on('error', end)
  await quiet(Promise.race([once(client, 'close'), once(delegate, 'close')]), 'a connection that breaks has ended, too')
  // Flush the delegate's last bytes to the client.
  if (delegate.readableEnded && !client.destroyed) client.end(end)
  else end()
}

function switchingHead(raw: readonly string[]): string {
  let head = 'HTTP/1.1 101 Switching Protocols\r\n'
  for (let i = 0; i + 1 < raw.length; i += 2) head += `${raw[i]}: ${raw[i + 1]}\r\n`
  return `${head}\r\n`
}
