import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { posix } from 'node:path'
import type { ServiceResolver, ServiceTarget } from '../../../apiserver/service-target.ts'
import { type Clock, holding } from '../../../base/clock.ts'
import { isClosed, networkErrorText } from '../../../base/http/network-error.ts'
import { readWhole } from '../../../base/read-whole.ts'
import { ConfigurationFileError, readYaml } from '../../../machinery/configuration-file.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { typeMetaError } from '../../../machinery/go/type-meta-error.ts'
import { encodeJson } from '../../../machinery/json/strict-json.ts'
import { isObject, type JsonObject } from '../../../machinery/object.ts'
import type { WebhookClientConfig } from '../../../resources/types/admissionregistration.ts'
import { handlerSocket } from '../../services/dial.ts'
import { clientStatus, jsonObject } from '../../webhook-callers/client-status.ts'
import type { WebhookIdentities } from '../../webhook-callers/webhook-identities.ts'
import { type InsideOption, WebhookAgents, type WebhookPeer } from './webhook-agents.ts'

/** Where a webhook is: a URL, or a service of the cluster. */
/** A webhook could not be called, or its response is invalid; the message is Kubernetes'. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code = 'failed'
}

/** Calls webhooks; connections are reused. */
export interface WebhookClient extends AsyncDisposable {
  /** Posts a review and resolves with the response's object. Throws `WebhookError`. */
  call(config: WebhookClientConfig, review: JsonObject, timeoutSeconds: number): Promise<JsonObject>
}

/** Size limit of a response, unless the request was larger. */
const MOST_BYTES = 16 * 1024 * 1024
/** The limit grows with the request: a review of a long list may have a long response. */
const MOST_GROWTH = 4

/** Calls webhooks with a time limit and a size limit; every error names the webhook. */
export function createWebhookClient(deps: {
  readonly clock: Clock
  /** Resolves services. */
  readonly resolver: ServiceResolver
  /** The server's credentials; none if absent. */
  readonly identities?: WebhookIdentities | undefined
}): WebhookClient {
  const agents = new WebhookAgents()
  /** A server of this process is trusted: each call has a connection of its own, without TLS. */
  const sender = <T>(target: ServiceTarget | undefined, peer: WebhookPeer, call: (send: Send) => Promise<T>): Promise<T> =>
    target?.kind === 'handler'
      ? call((url, options) => http.request({ ...options, path: url.pathname + url.search, createConnection: () => handlerSocket(target) }))
      : agents.use(peer, (agent) => {
          const inside: InsideOption = { inside: target?.connect }
          return call((url, options) => https.request(url, { ...options, ...inside, agent }))
        })
  return {
    async call(config, review, timeoutSeconds) {
      const at = locate(config, deps.resolver)
      const shown = `${at.url}${at.url.includes('?') ? '&' : '?'}timeout=${timeoutSeconds}s`
      const failed = (why: string) => new WebhookError(`failed to call webhook: Post ${goQuote(shown)}: ${why}`)
      if (at.fault !== undefined) throw failed(at.fault)
      let response: WebhookResponse
      try {
        const target = new URL(shown)
        const host = at.servername && `${at.servername}:${config.service?.port ?? 443}`
        const identity = deps.identities?.(host ?? target.host)
        if (at.target?.kind === 'address') {
          target.hostname = at.target.host
          target.port = String(at.target.port)
        }
        const limits = { clock: deps.clock, timeoutMs: timeoutSeconds * 1000 }
        // A server in this process uses the cluster's clock, and so does the limit.
        const inside = at.target?.kind === 'address' && at.target.connect !== undefined
        const held = <T>(work: () => Promise<T>) => (inside ? work() : holding(deps.clock, `the webhook ${at.url}`, work))
        response = await held(() =>
          sender(at.target, { caBundle: config.caBundle, servername: at.servername, identity }, (send) =>
            post(target, { send, host, authorization: identity?.authorization() }, encodeJson(review), limits),
          ),
        )
      } catch (error) {
        throw failed(networkErrorText(error))
      }
      if (response.status < 200 || response.status > 206)
        throw new WebhookError(`failed to call webhook: ${(await clientStatus(response)).message}`)
      return answerObject(response)
    },
    async [Symbol.asyncDispose]() {
      agents[Symbol.dispose]()
    },
  }
}

interface Location {
  /** The URL in error messages. */
  readonly url: string
  readonly servername?: string
  /** The backend of a service. */
  readonly target?: ServiceTarget
  readonly fault?: string
}

function locate(config: WebhookClientConfig, resolver: ServiceResolver): Location {
  if (config.service === undefined) return { url: cleanUrl(config.url ?? '') }
  const { namespace, name, path = '', port = 443 } = config.service
  const servername = `${name}.${namespace}.svc`
  const url = cleanUrl(`https://${servername}:${port}${path.startsWith('/') || path === '' ? path : `/${path}`}`)
  const found = resolver.resolve({ namespace, name, port })
  return found.kind === 'missing' ? { url, fault: found.message } : { url, servername, target: found.target }
}

/** The path after Go's `path.Join`: without empty and dotted segments, without a trailing slash. */
function cleanUrl(text: string): string {
  const found = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)(.*)$/s.exec(text)
  if (found === null) return text
  const [, origin = '', path = '', rest = ''] = found
  return `${origin}${posix.normalize(`/${path}`).replace(/(?!^)\/$/, '')}${rest}`
}

interface PostLimits {
  readonly clock: Clock
  readonly timeoutMs: number
}

/** Starts a request. */
type Send = (url: URL, options: http.RequestOptions) => ClientRequest

interface PostBy {
  readonly send: Send
  /** The Host header; undefined: the dialled host. */
  readonly host: string | undefined
  readonly authorization: string | undefined
}

interface WebhookResponse {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

/** One call with a time limit that holds for a missing response, an endless one, and a connection that hangs. */
function post(url: URL, { send: begin, host, authorization }: PostBy, body: string, limits: PostLimits): Promise<WebhookResponse> {
  return new Promise((resolve, reject) => {
    let current: ClientRequest | undefined
    const cancel = limits.clock.after(limits.timeoutMs, () => {
      const error = new Error('context deadline exceeded')
      settle(() => reject(error))
      current?.destroy(error)
    })
    let settled = false
    const settle = (how: () => void) => {
      if (settled) return
      settled = true
      cancel()
      how()
    }
    const send = () => {
      const request = begin(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, */*',
          'user-agent': 'kube-apiserver-admission',
          'content-length': Buffer.byteLength(body),
          ...(host === undefined ? {} : { host }),
          ...(authorization === undefined ? {} : { authorization }),
        },
      })
      current = request
      let answered = false
      request.on('error', (error: NodeJS.ErrnoException) => {
        // A reused connection that the webhook had closed meanwhile is retried.
        if (!settled && !answered && request.reusedSocket && isClosed(error)) return send()
        settle(() => reject(error))
      })
      request.on('response', (response) => {
        answered = true
        readAll(response, Math.max(MOST_BYTES, MOST_GROWTH * body.length)).then(
          (text) => settle(() => resolve({ status: response.statusCode ?? 0, headers: response.headers, text })),
          (error) => settle(() => reject(error)),
        )
      })
      request.end(body)
    }
    send()
  })
}

async function readAll(response: IncomingMessage, mostBytes: number): Promise<string> {
  const tooLong = () => new WebhookError(`the answer is longer than ${mostBytes} bytes`)
  return (await readWhole(response, mostBytes, tooLong)).toString()
}

/** Parsers of YAML cannot be interrupted, and webhooks send JSON. */
const MOST_YAML_CHARACTERS = 64 * 1024

/** Go decodes responses as YAML, so that text which is not JSON is a string. */
async function answerObject({ status, headers, text }: WebhookResponse): Promise<JsonObject> {
  const failed = (why: string) => new WebhookError(`failed to call webhook: ${why}`)
  if (text === '') throw failed(`0-length response with status code: ${status} and content type: ${headers['content-type'] ?? ''}`)
  const object = await jsonObject(text)
  if (object === undefined && text.length > MOST_YAML_CHARACTERS)
    throw failed(`couldn't get version/kind; json parse error: ${text.length} characters are no JSON object`)
  return object ?? ofYaml(text, failed)
}

function ofYaml(text: string, failed: (why: string) => WebhookError): JsonObject {
  try {
    const { value } = readYaml(text)
    const fault = typeMetaError(value)
    if (fault !== undefined) throw failed(fault)
    return isObject(value) ? value : {}
  } catch (error) {
    throw error instanceof ConfigurationFileError ? failed(error.message) : error
  }
}
