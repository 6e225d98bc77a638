import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2'
import { type Clock, holding, systemClock } from '../../base/clock.ts'
import { limitedSignal } from '../../base/limited-signal.ts'
import { onAbort, orAborted } from '../../base/on-abort.ts'
import { quiet } from '../../base/quiet.ts'
import { type Connections, METHOD, type PageCall, type PageResponse } from '../../machinery/api-call.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { ApiCall, Transport, WatchEvent } from './client.ts'
import type { WebSocketConfig } from './https-connections.ts'
import { PATIENCE, type Patience } from './patience.ts'
import { answerError, unreachable } from './response-error.ts'
import { answerJson } from './response-json.ts'
import { createSessionPool, type SessionPool, UnprocessedError } from './session-pool.ts'
import { PATCH_MEDIA_TYPE, urlOf } from './url.ts'
import { eventsOf, splitLines } from './watch-lines.ts'

/** The address of an API server, and the credentials. `loadKubeconfigFile` returns one. */
export interface HttpsConfig {
  /** `https://127.0.0.1:6443`, with an optional base path. `http:` means HTTP/2 without TLS. */
  readonly server: string
  /** The authorities that the server's certificate is judged by, PEM. Default: the system's. */
  readonly ca?: string
  /** The client's certificate, PEM; needs `key`. Default: none. */
  readonly cert?: string
  /** The client's private key, PEM (PKCS#8, SEC1 or PKCS#1). */
  readonly key?: string
  /** A bearer token, or a function that returns the current one (called before every request). Default: none. */
  readonly token?: string | (() => Promise<string>)
  /** Impersonate this user, which needs the right to. Default: no impersonation. */
  readonly impersonate?: { readonly user: string; readonly groups?: readonly string[] }
  /** Take any certificate. For tests. Default false. */
  readonly insecureSkipTlsVerify?: boolean
  /** The name that the server's certificate must hold. Default: the host of `server`. */
  readonly serverName?: string
  /** Default `bowsprit`. The API server uses the part before the slash as the name of the field manager. */
  readonly userAgent?: string
  /**
   * A call without a response after this time fails with 504, in milliseconds; getting the token and the connection is included. Watches
   * and logs must begin within it, and have no limit afterwards. Default 30,000.
   */
  readonly timeoutMs?: number
  /** How often a request with a retryable response (429, or 5xx with Retry-After) is retried. Default 10. */
  readonly retries?: number
}

/** What the transport is made with; everything has a default. */
export interface HttpsDeps {
  /** Default: the machine's. */
  readonly clock?: Clock
  /** How long a silent server is waited for. Default: as client-go. */
  readonly patience?: Patience
}

/** A transport that holds connections until it is disposed of. */
export interface HttpsTransport extends Transport, AsyncDisposable {}

/**
 * A transport over HTTP/2. Connections are opened when needed and again after they broke; a read that failed with a connection is sent once
 * more, and so is any request that a server which stops has not begun to process. If the server cannot be reached, calls fail with
 * `StatusError` 503 and the cause. A connection with open streams is pinged every 30 seconds; without a reply its streams fail with 503.
 *
 * ```ts
 * await using transport = httpsTransport(await loadKubeconfigFile(`${homedir()}/.kube/config`))
 * const client = createClient(transport)
 * ```
 */
export function httpsTransport(config: HttpsConfig, { clock = systemClock, patience = PATIENCE }: HttpsDeps = {}): HttpsTransport {
  const url = new URL(config.server)
  const pool = createSessionPool(url.origin, tlsOf(config), { clock, patience })
  const base = url.pathname.replace(/\/$/, '')
  const requester: Requester = { config, clock, pool, base }
  return {
    call: (call) => callWithRetries(requester, call),
    watch: (call) => watchOver(requester, call),
    connect: connectionsOf(requester),
    page: (call) => holding(clock, `a call to ${config.server}`, () => pageOf(requester, call)),
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
      return {
        'user-agent': config.userAgent ?? 'bowsprit',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...impersonation(config),
      }
    },
  }
  return {
    command: async (call) => (await import('./https-connections.ts')).commandOverWebSocket(sockets, call),
    ports: async (call) => (await import('./https-connections.ts')).portsOverWebSocket(sockets, call),
    async bytes({ target, query, signal }) {
      const begun = await begin(requester, { verb: 'get', target, query: Object.fromEntries(query), ...(signal && { signal }) })
      return begun.stream
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

/** Of a request that a server which stops has not processed, as in Go's HTTP/2 client. */
const UNPROCESSED_RETRIES = 6

async function callWithRetries(requester: Requester, call: ApiCall): Promise<KubeObject> {
  const idempotent = call.verb === 'get' || call.verb === 'list'
  let broken = 0
  for (let attempt = 0; ; attempt++) {
    try {
      const answer = await holding(requester.clock, `a call to ${requester.config.server}`, () => exchange(requester, call))
      return answerJson(answer.body, requester.config.server) as KubeObject
    } catch (error) {
      if (!(error instanceof StatusError) || call.signal?.aborted) throw error
      const wait = error.status.details?.retryAfterSeconds
      const mustWait = wait !== undefined && (error.code === 429 || error.code >= 500) && attempt < (requester.config.retries ?? 10)
      if (mustWait) await requester.clock.sleep(wait * 1000, call.signal)
      else if (error.cause instanceof UnprocessedError && attempt < UNPROCESSED_RETRIES) continue
      else if (!(error.code === 503 && error.reason === '' && idempotent && broken++ === 0)) throw error
    }
  }
}

/** A path that is no resource, within the time limit. */
async function pageOf(requester: Requester, { path, accept, etag, signal }: PageCall): Promise<PageResponse> {
  const plain: ApiCall = { verb: 'get', target: { group: '', version: '', resource: '' }, query: {}, ...(signal && { signal }) }
  const known = etag !== undefined && { 'if-none-match': `"${etag}"` }
  const { code, headers, body } = await exchange(requester, plain, {
    [constants.HTTP2_HEADER_PATH]: requester.base + path,
    ...(accept !== undefined && { accept }),
    ...known,
  })
  const value = code === 304 ? undefined : (answerJson(body, requester.config.server) as JsonObject)
  return { value, etag: headers.etag?.replace(/^"|"$/g, '') }
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
    ...impersonation(config),
    ...(body === undefined ? {} : { 'content-type': type, 'content-length': String(body.length) }),
  }
}

const impersonation = ({ impersonate }: HttpsConfig): Readonly<Record<string, string | string[]>> =>
  impersonate === undefined
    ? {}
    : { 'impersonate-user': impersonate.user, ...(impersonate.groups && { 'impersonate-group': [...impersonate.groups] }) }

interface RawResponse {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The time limit of a request: all its waits take `signal`. */
interface Limit extends Disposable {
  readonly signal: AbortSignal
  /** What failed, in the words of the caller: too late, given up, or not to be reached. */
  explain(error: unknown): unknown
}

function limitOf({ config, clock }: Requester, call: ApiCall): Limit {
  const limitMs = config.timeoutMs ?? 30_000
  const limit = limitedSignal(clock, limitMs, { parent: call.signal })
  return {
    signal: limit.signal,
    explain(error) {
      if (call.signal?.aborted) return call.signal.reason
      const message = `no answer from ${config.server} to ${call.verb} ${urlOf(call)} within ${limitMs} ms`
      if (limit.expired) return new StatusError({ code: 504, reason: 'Timeout', message, cause: error })
      return error instanceof StatusError ? error : unreachable(config.server, error)
    },
    [Symbol.dispose]: () => limit[Symbol.dispose](),
  }
}

/** One request and its whole response, within the time limit. */
async function exchange(requester: Requester, call: ApiCall, fields?: IncomingHttpHeaders): Promise<RawResponse> {
  const body = bodyOf(call)
  using limit = limitOf(requester, call)
  let stream: ClientHttp2Stream | undefined
  try {
    const opened = await open(requester, call, body, limit.signal, fields)
    stream = opened.stream
    const headers = await opened.headers
    const answer = { code: Number(headers[constants.HTTP2_HEADER_STATUS]), headers, body: await textOf(stream) }
    if (answer.code >= 400) throw answerError(answer)
    return answer
  } catch (error) {
    const isRefused = stream?.rstCode === constants.NGHTTP2_REFUSED_STREAM
    stream?.close(constants.NGHTTP2_CANCEL)
    throw limit.explain(isRefused ? new UnprocessedError('the server refused the stream', { cause: error }) : error)
  }
}

async function textOf(stream: ClientHttp2Stream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  if (stream.rstCode !== 0) throw new Error(`the stream was reset with code ${stream.rstCode}`)
  return chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString()
}

const bodyOf = (call: ApiCall) => (call.body === undefined ? undefined : Buffer.from(encodeJson(call.body)))

/** Sends the request. The stream is closed when the signal is aborted. */
async function open(requester: Requester, call: ApiCall, body: Buffer | undefined, signal: AbortSignal, own?: IncomingHttpHeaders) {
  signal.throwIfAborted()
  const fields = { ...(await orAborted(headersOf(requester, call, body), signal)), ...own }
  const stream = await requester.pool.request(fields, body === undefined, signal)
  const listening = onAbort(signal, () => stream.close(constants.NGHTTP2_CANCEL))
  stream.once('close', () => listening[Symbol.dispose]())
  const headers = new Promise<IncomingHttpHeaders>((resolve, reject) => {
    stream.once('response', resolve)
    stream.once('error', reject)
    stream.once('close', () => reject(new Error(`the connection to ${requester.config.server} closed before the answer`)))
  })
  void quiet(headers, 'it may fail before it is awaited')
  if (body !== undefined) stream.end(body)
  return { stream, headers }
}

async function* watchOver(requester: Requester, call: ApiCall): AsyncGenerator<readonly WatchEvent[]> {
  let stop = () => {}
  try {
    const begun = await begin(requester, call)
    const { stream } = begun
    stop = begun.stop
    for await (const lines of splitLines(stream)) yield* eventsOf(lines, requester.config.server)
  } catch (error) {
    if (call.signal?.aborted) return
    throw error instanceof StatusError ? error : unreachable(requester.config.server, error)
  } finally {
    stop()
  }
}

/** A response that must begin within the time limit, and has no limit afterwards. */
async function begin(requester: Requester, call: ApiCall): Promise<{ readonly stream: ClientHttp2Stream; stop(): void }> {
  using limit = limitOf(requester, call)
  try {
    const { stream, headers } = await open(requester, call, undefined, limit.signal)
    const code = Number((await headers)[constants.HTTP2_HEADER_STATUS])
    if (code >= 400) throw answerError({ code, headers: await headers, body: await textOf(stream) })
    const stop = () => stream.close(constants.NGHTTP2_CANCEL)
    const listening = onAbort(call.signal, stop)
    stream.once('close', () => listening[Symbol.dispose]())
    return { stream, stop }
  } catch (error) {
    throw limit.explain(error)
  }
}
