import http from 'node:http'
import { type Duplex, Readable } from 'node:stream'
import tls from 'node:tls'
import { onAbort } from '../../base/on-abort.ts'
import type { ProgramFetchInit } from './program.ts'

export interface ClusterFetchDeps {
  readonly connect: (host: string, port: number, signal: AbortSignal) => Promise<Duplex>
  /** Reads a file of the container as it is now. */
  readonly read: (path: string) => string
  /** Aborted when the process has ended. */
  readonly over: AbortSignal
}

const MOST_REDIRECTS = 20
const NO_BODY = new Set([101, 204, 205, 304])

/** The web's `fetch` over the cluster's network: each request has a connection of its own. */
export async function clusterFetch(url: string | URL, init: ProgramFetchInit, deps: ClusterFetchDeps): Promise<Response> {
  const { ca, caFile, cert, key, insecureSkipTlsVerify, ...web } = init
  let request = new Request(url, { ...web, redirect: 'manual' })
  const signal = AbortSignal.any([deps.over, request.signal])
  for (let redirects = 0; ; redirects++) {
    const response = await send(request, init, signal, deps)
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (location === null || init.redirect === 'manual') return response
    await response.body?.cancel()
    if (init.redirect === 'error' || redirects === MOST_REDIRECTS)
      throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
    const keeps = response.status === 307 || response.status === 308
    const method = keeps ? request.method : request.method === 'HEAD' ? 'HEAD' : 'GET'
    const body = keeps ? (web.body ?? null) : null
    request = new Request(new URL(location, request.url), { headers: request.headers, method, body, redirect: 'manual' })
  }
}

async function send(request: Request, init: ProgramFetchInit, signal: AbortSignal, deps: ClusterFetchDeps): Promise<Response> {
  signal.throwIfAborted()
  const url = new URL(request.url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new TypeError(`fetch failed: ${url.protocol} is not spoken`)
  const secure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  try {
    const plain = await deps.connect(host, Number(url.port || (secure ? 443 : 80)), signal)
    const connection = secure ? await secured(plain, host, init, deps) : plain
    return await exchange(request, url, connection, signal)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw new TypeError('fetch failed', { cause: error })
  }
}

function secured(plain: Duplex, host: string, init: ProgramFetchInit, deps: ClusterFetchDeps): Promise<Duplex> {
  const ca = init.ca ?? (init.caFile === undefined ? undefined : deps.read(init.caFile))
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      socket: plain,
      servername: /^[\d.]+$|:/.test(host) ? '' : host,
      host,
      rejectUnauthorized: init.insecureSkipTlsVerify !== true,
      allowPartialTrustChain: true,
      ...(ca !== undefined && { ca }),
      ...(init.cert !== undefined && { cert: init.cert }),
      ...(init.key !== undefined && { key: init.key }),
    })
    socket.once('error', reject)
    socket.once('close', () => reject(Object.assign(new Error('the connection was closed during the handshake'), { code: 'ECONNRESET' })))
    socket.once('secureConnect', () => resolve(socket))
  })
}

function exchange(request: Request, url: URL, connection: Duplex, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { body } = request
    const headers: Record<string, string> = { host: url.host, ...Object.fromEntries(request.headers) }
    headers['user-agent'] ??= 'node'
    headers.accept ??= '*/*'
    const sent = http.request({
      createConnection: () => connection,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers,
      setHost: false,
    })
    const listening = onAbort(signal, () => connection.destroy(signal.reason instanceof Error ? signal.reason : undefined))
    connection.once('close', () => listening[Symbol.dispose]())
    sent.on('error', reject)
    sent.on('response', (answer) => {
      const pairs: [string, string][] = []
      for (let i = 0; i + 1 < answer.rawHeaders.length; i += 2) pairs.push([answer.rawHeaders[i] ?? '', answer.rawHeaders[i + 1] ?? ''])
      const status = answer.statusCode ?? 0
      const empty = NO_BODY.has(status) || request.method === 'HEAD'
      if (empty) answer.resume()
      answer.on('close', () => connection.destroy())
      const response = new Response(empty ? null : (Readable.toWeb(answer) as ReadableStream), {
        status,
        statusText: answer.statusMessage ?? '',
        headers: pairs,
      })
      Object.defineProperty(response, 'url', { value: request.url })
      resolve(response)
    })
    if (body === null) return void sent.end()
    const source = Readable.fromWeb(body as import('node:stream/web').ReadableStream)
    source.on('error', (error) => sent.destroy(error))
    source.pipe(sent)
  })
}
