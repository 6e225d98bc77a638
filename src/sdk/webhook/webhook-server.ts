import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { type Clock, systemClock } from '../../base/clock.ts'
import { hostPort } from '../../base/http/host-port.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { decodeJson, encodeJson, JsonSyntaxError } from '../../machinery/json/strict-json.ts'
import type { Json } from '../../machinery/object.ts'
import { badRequest, internalError, StatusError } from '../../machinery/status-error.ts'
import { answerReview, type WebhookHandlers } from './answer-review.ts'

/**
 * A certificate and its private key, PEM. The certificate must hold the name by which the webhook is called: `127.0.0.1`, or
 * `NAME.NAMESPACE.svc` behind a service.
 */
export interface WebhookTls {
  readonly cert: string
  readonly key: string
}

/** The same in files, which may be replaced at any time, as a mounted secret is. */
export interface WebhookTlsFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** The configuration of a webhook server: its certificate, its address, and its handlers. */
export interface WebhookServerConfig extends WebhookHandlers {
  /** Files are looked at again every minute, and taken when they have changed; a pair that does not fit is logged and not taken. */
  readonly tls: WebhookTls | WebhookTlsFiles
  /**
   * The address to listen on. In a pod, behind a service, it must be `0.0.0.0` or `::`. Default `127.0.0.1`: not reachable from other
   * machines.
   */
  readonly host?: string
  /** A GET of it returns 200 while the server is ready, and 503 while it is not. Default `/readyz`. */
  readonly readyPath?: string
  /** Why it is not ready, or undefined when it is. Default: always ready. */
  readonly notReady?: () => string | undefined
  /** Longer requests are refused with 413. In bytes. Default 16 MiB. */
  readonly maxBytes?: number
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Logs certificates that cannot be used. Default: no log. */
  readonly log?: Logger
}

/** Serves reviews until it is disposed of. */
export interface WebhookServer extends AsyncDisposable {
  /**
   * Opens the port (0 picks a free one). Resolves with the address: `https://127.0.0.1:8443`.
   * @throws {Error} when the port cannot be had (`code` is `EADDRINUSE` or `EACCES`)
   */
  listen(port: number): Promise<string>
  /** From the next connection on, this is the certificate. @throws {Error} when the two do not fit; the old one stays */
  renew(tls: WebhookTls): void
}

const MOST_BYTES = 16 * 1024 * 1024
const RELOAD_MS = 60_000
/** The API server limits a webhook to 30 seconds: a slower request is not from an API server. */
const REQUEST_MS = 60_000

/**
 * A webhook for custom resources (`/convert`) and admission (`/validate`, `/mutate`, and what `paths` names), over HTTPS.
 *
 * ```ts
 * await using webhook = createWebhookServer({
 *   tls: { cert, key },
 *   conversion: (objects, toApiVersion) => objects.map((o) => ({ ...o, apiVersion: toApiVersion })),
 *   validate: ({ object }: AdmissionCall<Pod>) => (object?.spec?.hostNetwork ? 'the network of the node cannot be used' : undefined),
 * })
 * const address = await webhook.listen(8443)
 * ```
 */
export function createWebhookServer(config: WebhookServerConfig): WebhookServer {
  const { clock = systemClock, log = silentLogger, host = '127.0.0.1' } = config
  let tls = readTls(config.tls)
  const server = https.createServer({ ...tls, requestTimeout: REQUEST_MS }, (request, response) => {
    serve(request, response, config).catch((error) => {
      log.error('a review could not be answered', { error })
      response.destroy()
    })
  })
  const renew = (next: WebhookTls) => {
    server.setSecureContext(next)
    tls = next
  }
  const reload = () => {
    try {
      const next = readTls(config.tls)
      if (next.cert !== tls.cert || next.key !== tls.key) renew(next)
    } catch (error) {
      log.warn('the new certificate of the webhook cannot be taken, the old one stays', { error })
    }
    stopReloading = clock.after(RELOAD_MS, reload)
  }
  let stopReloading = 'certFile' in config.tls ? clock.after(RELOAD_MS, reload) : () => {}
  return {
    async listen(port) {
      server.listen(port, host)
      await once(server, 'listening')
      return `https://${hostPort(reachedAt(host), (server.address() as AddressInfo).port)}`
    },
    renew,
    async [Symbol.asyncDispose]() {
      stopReloading()
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

const readTls = (tls: WebhookTls | WebhookTlsFiles): WebhookTls =>
  'certFile' in tls
    ? { cert: readFileSync(tls.certFile, 'utf8'), key: readFileSync(tls.keyFile, 'utf8') }
    : { cert: tls.cert, key: tls.key }

/** How this machine reaches what listens there. */
const reachedAt = (host: string): string => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host)

async function serve(request: IncomingMessage, response: ServerResponse, config: WebhookServerConfig): Promise<void> {
  try {
    const path = new URL(request.url ?? '/', 'https://webhook').pathname
    if (request.method === 'GET' && path === (config.readyPath ?? '/readyz')) return tellReady(response, config.notReady?.())
    if (request.method !== 'POST') throw new StatusError({ code: 405, reason: 'MethodNotAllowed', message: 'reviews are sent with POST' })
    const review = await readReview(request, config.maxBytes ?? MOST_BYTES)
    write(response, 200, encodeJson(await answerReview(path, review, config)))
  } catch (error) {
    if (request.destroyed && !request.complete) return
    const { status, code } = error instanceof StatusError ? error : internalError(error)
    write(response, code, encodeJson(status))
  }
}

function tellReady(response: ServerResponse, why: string | undefined): void {
  response.writeHead(why === undefined ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(why ?? 'ok')
}

async function readReview(request: IncomingMessage, maxBytes: number): Promise<Json> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    size += part.length
    if (size > maxBytes)
      throw new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message: `the review is longer than ${maxBytes} bytes` })
    parts.push(part)
  }
  try {
    return decodeJson(Buffer.concat(parts)).value
  } catch (error) {
    throw error instanceof JsonSyntaxError ? badRequest(`the body is no JSON: ${error.message}`) : error
  }
}

function write(response: ServerResponse, code: number, body: string): void {
  // What was left unread of a refused request is not waited for.
  response.writeHead(code, { 'content-type': 'application/json', ...(response.req.complete ? {} : { connection: 'close' }) })
  response.end(body)
}
