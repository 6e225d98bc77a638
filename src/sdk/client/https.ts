import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2'
import type { Clock } from '../../base/clock.ts'
import { type Connections, METHOD } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { answerError, unreachable } from './answer-error.ts'
import type { ApiCall, Transport, WatchEvent } from './client.ts'
import type { WebSocketConfig } from './https-connections.ts'
import { createSessionPool, type SessionPool } from './session-pool.ts'
import { PATCH_MEDIA_TYPE, urlOf } from './url.ts'
import { eventsOf, splitLines } from './watch-lines.ts'

export interface HttpsConfig {
  /** `https://127.0.0.1:6443`, with an optional base path. `http:` speaks HTTP/2 without TLS. */
  readonly server: string
  /** PEM; the system's authorities when absent. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** A bearer token, or how to get the present one (asked before every request). */
  readonly token?: string | (() => Promise<string>)
  readonly insecureSkipTlsVerify?: boolean
  readonly serverName?: string
  readonly userAgent?: string
  /** A call without an answer after this long fails with 504. Watches have no limit. Default 30,000. */
  readonly timeoutMs?: number
  /** How often an answer that asks to come back later (429, or 5xx with Retry-After) is tried again. Default 10. */
  readonly retries?: number
}

/** A transport that holds connections until it is disposed of. */
export interface HttpsTransport extends Transport, AsyncDisposable {}

/**
 * Talks to an API server over HTTP/2. Connections are made when needed and again when they broke; a read that a broken connection
 * swallowed is sent once more. Failures to reach the server are `StatusError` 503 with the cause.
 */
export function httpsTransport(config: HttpsConfig, deps: { readonly clock: Clock }): HttpsTransport {
  const url = new URL(config.server)
  const pool = createSessionPool(url.origin, tlsOf(config))
  const base = url.pathname.replace(/\/$/, '')
  const requester: Requester = { config, clock: deps.clock, pool, base }
  return {
    call: (call) => callWithRetries(requester, call),
    watch: (call) => watchOver(requester, call),
    connect: connectionsOf(requester),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

function connectionsOf(requester: Requester): Connections {
  const { config } = requester
  const sockets: WebSocketConfig = {
    server: config.server,
    tls: tlsOf(config),
    async headers() {
      const token = typeof config.token === 'function' ? await config.token() : config.token
      return { 'user-agent': config.userAgent ?? 'bowsprit', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
    },
  }
  return {
    command: async (call) => (await import('./https-connections.ts')).commandOverWebSocket(sockets, call),
    ports: async (call) => (await import('./https-connections.ts')).portsOverWebSocket(sockets, call),
    async bytes({ target, query, signal }) {
      const { stream, headers } = await open(requester, {
        verb: 'get',
        target,
        query: Object.fromEntries(query),
        ...(signal && { signal }),
      })
      const code = Number((await headers)[constants.HTTP2_HEADER_STATUS])
      if (code >= 400) throw answerError({ code, headers: await headers, body: await textOf(stream) })
      return stream
    },
  }
}

interface Requester {
  readonly config: HttpsConfig
  readonly clock: Clock
  readonly pool: SessionPool
  readonly base: string
}

const tlsOf = (config: HttpsConfig) => ({
  ...(config.ca === undefined ? {} : { ca: config.ca }),
  ...(config.cert === undefined ? {} : { cert: config.cert }),
  ...(config.key === undefined ? {} : { key: config.key }),
  ...(config.serverName === undefined ? {} : { servername: config.serverName }),
  rejectUnauthorized: config.insecureSkipTlsVerify !== true,
})

async function callWithRetries(requester: Requester, call: ApiCall): Promise<KubeObject> {
  const idempotent = call.verb === 'get' || call.verb === 'list'
  let broken = 0
  for (let attempt = 0; ; attempt++) {
    try {
      const answer = await exchange(requester, call)
      const object: unknown = JSON.parse(answer.body)
      return object as KubeObject
    } catch (error) {
      if (!(error instanceof StatusError) || call.signal?.aborted) throw error
      const wait = error.status.details?.retryAfterSeconds
      const askedToWait = wait !== undefined && (error.code === 429 || error.code >= 500) && attempt < (requester.config.retries ?? 10)
      if (askedToWait) await requester.clock.sleep(wait * 1000, call.signal)
      else if (!(error.code === 503 && error.reason === '' && idempotent && broken++ === 0)) throw error
    }
  }
}

async function headersOf({ config, base }: Requester, call: ApiCall, body: Buffer | undefined): Promise<IncomingHttpHeaders> {
  const token = typeof config.token === 'function' ? await config.token() : config.token
  const type = call.patchType === undefined ? 'application/json' : PATCH_MEDIA_TYPE[call.patchType]
  return {
    [constants.HTTP2_HEADER_METHOD]: METHOD[call.verb],
    [constants.HTTP2_HEADER_PATH]: base + urlOf(call),
    accept: 'application/json',
    'user-agent': config.userAgent ?? 'bowsprit',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': type, 'content-length': String(body.length) }),
  }
}

interface Answer {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** One request and its whole answer, within the time limit. */
async function exchange(requester: Requester, call: ApiCall): Promise<Answer> {
  const { stream, headers } = await open(requester, call)
  const limitMs = requester.config.timeoutMs ?? 30_000
  let late = false
  const cancel = requester.clock.after(limitMs, () => {
    late = true
    stream.close(constants.NGHTTP2_CANCEL)
  })
  try {
    const code = Number((await headers)[constants.HTTP2_HEADER_STATUS])
    const body = await textOf(stream)
    const answer = { code, headers: await headers, body }
    if (code >= 400) throw answerError(answer)
    return answer
  } catch (error) {
    if (late) {
      throw new StatusError({
        code: 504,
        reason: 'Timeout',
        message: `no answer from ${requester.config.server} to ${call.verb} ${urlOf(call)} within ${limitMs} ms`,
      })
    }
    if (error instanceof StatusError) throw error
    call.signal?.throwIfAborted()
    throw unreachable(requester.config.server, error)
  } finally {
    cancel()
  }
}

async function textOf(stream: ClientHttp2Stream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  if (stream.rstCode !== 0) throw new Error(`the stream was reset with code ${stream.rstCode}`)
  return chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString()
}

async function open(requester: Requester, call: ApiCall) {
  call.signal?.throwIfAborted()
  const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body))
  const fields = await headersOf(requester, call, body)
  try {
    const stream = await requester.pool.request(fields, body === undefined)
    const stop = () => stream.close(constants.NGHTTP2_CANCEL)
    call.signal?.addEventListener('abort', stop, { once: true })
    if (call.signal?.aborted) stop()
    stream.once('close', () => call.signal?.removeEventListener('abort', stop))
    const headers = new Promise<IncomingHttpHeaders>((resolve, reject) => {
      stream.once('response', resolve)
      stream.once('error', reject)
      stream.once('close', () => reject(new Error(`the connection to ${requester.config.server} closed before the answer`)))
    })
    headers.catch(() => {})
    if (body !== undefined) stream.end(body)
    return { stream, headers }
  } catch (error) {
    throw unreachable(requester.config.server, error)
  }
}

async function* watchOver(requester: Requester, call: ApiCall): AsyncGenerator<readonly WatchEvent[]> {
  const { stream, headers } = await open(requester, call)
  try {
    const code = Number((await headers)[constants.HTTP2_HEADER_STATUS])
    if (code >= 400) throw answerError({ code, headers: await headers, body: await textOf(stream) })
    for await (const lines of splitLines(stream)) yield* eventsOf(lines)
  } catch (error) {
    if (call.signal?.aborted) return
    throw error instanceof StatusError ? error : unreachable(requester.config.server, error)
  } finally {
    stream.close(constants.NGHTTP2_CANCEL)
  }
}
