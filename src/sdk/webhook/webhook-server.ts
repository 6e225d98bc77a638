import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../machinery/object.ts'
import { badRequest, internalError, StatusError } from '../../machinery/status-error.ts'
import { decodeJson, encodeJson, JsonSyntaxError } from '../../machinery/strict-json.ts'
import { answerReview, type WebhookHandlers } from './answer-review.ts'

/** What a webhook server is made of: its certificate (PEM), and what it does. */
export interface WebhookServerConfig extends WebhookHandlers {
  /** The certificate must hold the name by which the webhook is called: `127.0.0.1`, or `NAME.NAMESPACE.svc` behind a service. */
  readonly tls: { readonly cert: string; readonly key: string }
  /** Longer requests are refused with 413. Default 16 MiB. */
  readonly maxBytes?: number
}

/** Serves reviews until it is disposed of. */
export interface WebhookServer extends AsyncDisposable {
  /** Opens the port on 127.0.0.1 (0 picks a free one). Resolves with the address: `https://127.0.0.1:8443`. */
  listen(port: number): Promise<string>
}

const MOST_BYTES = 16 * 1024 * 1024

/**
 * A webhook for custom resources (`/convert`) and admission (`/validate`, `/mutate`), over HTTPS.
 *
 * ```ts
 * await using webhook = createWebhookServer({
 *   tls: { cert, key },
 *   conversion: (objects, toApiVersion) => objects.map((o) => ({ ...o, apiVersion: toApiVersion })),
 *   validate: ({ object }) => (object?.spec.size > 9 ? 'too large' : undefined),
 * })
 * const address = await webhook.listen(8443)
 * ```
 */
export function createWebhookServer(config: WebhookServerConfig): WebhookServer {
  const server = https.createServer(config.tls, (request, response) => void serve(request, response, config))
  return {
    async listen(port) {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function serve(request: IncomingMessage, response: ServerResponse, config: WebhookServerConfig): Promise<void> {
  try {
    if (request.method !== 'POST') throw new StatusError({ code: 405, reason: 'MethodNotAllowed', message: 'reviews are sent with POST' })
    const path = new URL(request.url ?? '/', 'https://webhook').pathname
    const review = await readReview(request, config.maxBytes ?? MOST_BYTES)
    write(response, 200, encodeJson(await answerReview(path, review, config)))
  } catch (error) {
    if (request.destroyed && !request.complete) return
    const { status, code } = error instanceof StatusError ? error : internalError(error)
    write(response, code, encodeJson(status))
  }
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
