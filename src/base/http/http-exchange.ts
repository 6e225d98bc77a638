import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import { createGunzip } from 'node:zlib'
import type { Clock } from '../clock.ts'
import { onAbort } from '../on-abort.ts'
import { quiet } from '../quiet.ts'
import { isClosed, networkErrorText } from './network-error.ts'

/** Connections to one server, kept for the next call. */
export interface HttpConnections extends Disposable {
  readonly http: http.Agent
  readonly https: https.Agent
}

/** Connections at once, and idle ones that are kept. */
const MOST_SOCKETS = 128
const MOST_IDLE = 16

/** Makes the connections of one client: `tls` has the trusted authorities and the client's certificate. */
export function createHttpConnections(tls: ConnectionOptions): HttpConnections {
  const kept = { keepAlive: true, maxSockets: MOST_SOCKETS, maxFreeSockets: MOST_IDLE }
  const agents = {
    http: new http.Agent(kept),
    // As Go does: a certificate of the bundle is trusted, whether it signed itself or not.
    https: new https.Agent({ allowPartialTrustChain: true, ...kept, ...tls, ALPNProtocols: ['http/1.1'] }),
  }
  return {
    ...agents,
    [Symbol.dispose]() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** One question. */
export interface HttpCall {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** For everything: redirects, connecting, and the response to its last byte. */
  readonly timeoutMs: number
  /** A longer response is an error; counted after decompression. */
  readonly maxBytes: number
  /** How many redirects are followed; 0 returns the redirect as the response. Only a 307 and a 308 keep method and body. */
  readonly maxRedirects: number
  readonly signal?: AbortSignal
  /** The request may be sent again although it has a body, if a kept connection turns out to be closed. Default: false. */
  readonly repeatable?: boolean
}

/** A whole response, whatever its status. */
export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Why there is no response; the text is Go's. */
export class HttpExchangeError extends Error {
  override readonly name = 'HttpExchangeError'
  /** `reset`: the other side ended the connection. */
  readonly code: 'deadline' | 'deadline-in-body' | 'aborted' | 'too-large' | 'redirects' | 'reset' | 'network'
  /** Where redirects had led, when they had. */
  readonly url: URL | undefined
  constructor(code: HttpExchangeError['code'], message: string, { cause, url }: { cause?: unknown; url?: URL } = {}) {
    super(message, { cause })
    this.code = code
    this.url = url
  }
}

/**
 * Sends one request, within its limits of time and size whatever the server does: no response, one that never ends, a connection that
 * hangs, a small body that decompresses to a huge one. If a kept connection was closed meanwhile, a request without a body is sent again
 * (as by Go; one with a body may have been carried out).
 * @throws {HttpExchangeError}
 */
export async function exchange(
  call: HttpCall,
  deps: { readonly connections: HttpConnections; readonly clock: Clock },
): Promise<HttpResponse> {
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>()
  void quiet(stopped, 'the exchange races against it')
  const under: UnderWay = { request: undefined, answered: false, over: false }
  const end = (code: 'deadline' | 'deadline-in-body' | 'aborted', message: string, cause?: unknown) => {
    under.over = true
    stop(new HttpExchangeError(code, message, { cause }))
    under.request?.destroy()
  }
  const cancel = deps.clock.after(call.timeoutMs, () => end(under.answered ? 'deadline-in-body' : 'deadline', 'context deadline exceeded'))
  using _ = onAbort(call.signal, () => end('aborted', 'context canceled', call.signal?.reason))
  try {
    return await Promise.race([stopped, follow(call, deps.connections, under)])
  } finally {
    cancel()
  }
}

interface UnderWay {
  request: ClientRequest | undefined
  answered: boolean
  /** The caller has stopped waiting: nothing new may begin, because nothing would end it. */
  over: boolean
}

async function follow(call: HttpCall, connections: HttpConnections, under: UnderWay): Promise<HttpResponse> {
  let { url, method, headers } = call
  for (let redirects = 0; ; redirects++) {
    const response = await send({ ...call, url, method, headers }, connections, under)
    const status = response.statusCode ?? 0
    const { location } = response.headers
    if (call.maxRedirects === 0 || location === undefined || ![301, 302, 303, 307, 308].includes(status)) {
      under.answered = true
      return { status, headers: response.headers, body: await readAll(response, call.maxBytes) }
    }
    response.destroy()
    const next = URL.parse(location, url)
    if (redirects >= call.maxRedirects)
      throw new HttpExchangeError('redirects', `stopped after ${call.maxRedirects} redirects`, next === null ? {} : { url: next })
    if (next === null) throw new HttpExchangeError('redirects', `failed to parse Location header ${JSON.stringify(location)}`)
    if (status < 307 && method !== 'HEAD') method = 'GET'
    if (!isWithin(next.hostname, call.url.hostname)) headers = withoutSecrets(headers)
    url = next
  }
}

/** As in Go: credentials for a domain are also sent to its subdomains. */
const isWithin = (host: string, domain: string): boolean => host === domain || (host.endsWith(`.${domain}`) && isIP(domain) === 0)

const SECRET = new Set(['authorization', 'cookie', 'www-authenticate'])
const withoutSecrets = (headers: HttpCall['headers']): HttpCall['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRET.has(name.toLowerCase())))

function send(call: HttpCall, connections: HttpConnections, under: UnderWay): Promise<IncomingMessage> {
  const { url, method, body, repeatable = false } = call
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new HttpExchangeError('network', `unsupported protocol scheme ${JSON.stringify(url.protocol.slice(0, -1))}`)
  }
  const withBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  const headers = { ...call.headers, 'Accept-Encoding': 'gzip', ...(withBody ? { 'Content-Length': String(Buffer.byteLength(body)) } : {}) }
  return new Promise((resolve, reject) => {
    const begin = () => {
      if (under.over) return
      const request =
        url.protocol === 'https:'
          ? https.request(url, { method, headers, agent: connections.https })
          : http.request(url, { method, headers, agent: connections.http })
      // This header states the default.
      request.removeHeader('connection')
      under.request = request
      let answered = false
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (!answered && !under.over && (!withBody || repeatable) && request.reusedSocket && isClosed(error)) begin()
        else reject(new HttpExchangeError(isClosed(error) ? 'reset' : 'network', networkErrorText(error), { cause: error }))
      })
      request.on('response', (response) => {
        answered = true
        resolve(response)
      })
      request.end(withBody ? body : undefined)
    }
    begin()
  })
}

async function readAll(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of unpacked(response)) {
      size += part.length
      if (size > maxBytes) throw new HttpExchangeError('too-large', `the answer is longer than ${maxBytes} bytes`)
      parts.push(part)
    }
  } catch (error) {
    response.destroy()
    if (error instanceof HttpExchangeError) throw error
    const cut = error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
    throw new HttpExchangeError(cut ? 'reset' : 'network', cut ? 'unexpected EOF' : networkErrorText(error), { cause: error })
  }
  return Buffer.concat(parts)
}

function unpacked(response: IncomingMessage): Readable {
  if (response.headers['content-encoding'] !== 'gzip') return response
  const gunzip = createGunzip()
  response.on('error', (error) => gunzip.destroy(error))
  return response.pipe(gunzip)
}
