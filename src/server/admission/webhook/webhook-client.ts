import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { posix } from 'node:path'
import type { ServiceResolver, ServiceTarget } from '../../../apiserver/service-target.ts'
import { type Clock, holding } from '../../../base/clock.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { decodeJsonInTurns, encodeJson } from '../../../machinery/json/strict-json.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import type { GuestIdentities } from '../../guests/guest-identities.ts'
import { handlerSocket } from '../../services/dial.ts'
import { type InsideOption, WebhookAgents, type WebhookPeer } from './webhook-agents.ts'

/** Where a webhook is: a URL, or a service of the cluster. */
export interface WebhookClientConfig {
  readonly url?: string
  readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string; readonly port?: number }
  /** PEM in base64; the system's authorities when absent. */
  readonly caBundle?: string
}

/** A webhook could not be called, or did not answer as it must; the text is what Kubernetes says. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code = 'failed'
}

/** Calls webhooks; its connections are kept for the next call. */
export interface WebhookClient extends AsyncDisposable {
  /** Posts a review and resolves with the object that was answered. Throws `WebhookError`. */
  call(
    config: WebhookClientConfig,
    review: JsonObject,
    timeoutSeconds: number,
    /** `anyObject`: the answer may lack its kind. */
    options?: { readonly anyObject?: boolean },
  ): Promise<JsonObject>
}

/** An answer that is longer than this is not read to its end, unless the question was long itself. */
const MOST_BYTES = 16 * 1024 * 1024
/** So many times the question is still an honest answer: whoever asks about a long list gets one back. */
const MOST_GROWTH = 4

/** An extension is a guest: it has a time limit, a size limit, and is named in every error that it causes. */
export function createWebhookClient(deps: {
  readonly clock: Clock
  /** Where services are. */
  readonly resolver: ServiceResolver
  /** With what this server proves itself; nothing when absent. */
  readonly identities?: GuestIdentities | undefined
}): WebhookClient {
  const agents = new WebhookAgents()
  /** Whoever lives in this process is trusted as it is: each call has a connection of its own. */
  const sender = <T>(target: ServiceTarget | undefined, peer: WebhookPeer, call: (send: Send) => Promise<T>): Promise<T> =>
    target?.kind === 'handler'
      ? call((url, options) => http.request({ ...options, path: url.pathname + url.search, createConnection: () => handlerSocket(target) }))
      : agents.use(peer, (agent) => {
          const inside: InsideOption = { inside: target?.connect }
          return call((url, options) => https.request(url, { ...options, ...inside, agent }))
        })
  return {
    async call(config, review, timeoutSeconds, options) {
      const at = locate(config, deps.resolver)
      const shown = `${at.url}${at.url.includes('?') ? '&' : '?'}timeout=${timeoutSeconds}s`
      const failed = (why: string) => new WebhookError(`failed to call webhook: Post ${goQuote(shown)}: ${why}`)
      if (at.fault !== undefined) throw failed(at.fault)
      let response: Answer
      try {
        const target = new URL(shown)
        const host = at.servername && `${at.servername}:${config.service?.port ?? 443}`
        const identity = deps.identities?.(host ?? target.host)
        if (at.target?.kind === 'address') {
          target.hostname = at.target.host
          target.port = String(at.target.port)
        }
        const limits = { clock: deps.clock, timeoutMs: timeoutSeconds * 1000 }
        // What runs in this process is seen by the clock, and may have to wait for it.
        const inside = at.target?.kind === 'address' && at.target.connect !== undefined
        const held = <T>(work: () => Promise<T>) => (inside ? work() : holding(deps.clock, `the webhook ${at.url}`, work))
        response = await held(() =>
          sender(at.target, { caBundle: config.caBundle, servername: at.servername, identity }, (send) =>
            post(target, { send, host, authorization: identity?.authorization() }, encodeJson(review), limits),
          ),
        )
      } catch (error) {
        throw failed(goNetworkError(error))
      }
      if (response.code < 200 || response.code > 299)
        throw new WebhookError(`failed to call webhook: ${await statusText(response.code, response.text)}`)
      return answerObject(response.text, options?.anyObject === true)
    },
    async [Symbol.asyncDispose]() {
      agents[Symbol.dispose]()
    },
  }
}

interface Location {
  /** As errors show it. */
  readonly url: string
  readonly servername?: string
  /** What is behind a service. */
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

/** The path as Go's `path.Join` leaves it: without empty and dotted segments, without a slash at its end. */
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

/** Begins a request. */
type Send = (url: URL, options: http.RequestOptions) => ClientRequest

interface PostBy {
  readonly send: Send
  /** What the webhook is to be told that it was called; undefined: as it is dialled. */
  readonly host: string | undefined
  readonly authorization: string | undefined
}

class DeadlineError extends Error {}

interface Answer {
  readonly code: number
  readonly text: string
}

/** One call, within its time whatever the other side does: no answer, one that never ends, a connection that hangs. */
function post(url: URL, { send: begin, host, authorization }: PostBy, body: string, limits: PostLimits): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let current: ClientRequest | undefined
    const cancel = limits.clock.after(limits.timeoutMs, () => {
      const error = new DeadlineError('context deadline exceeded')
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
          accept: 'application/json',
          'user-agent': 'kube-apiserver-admission',
          'content-length': Buffer.byteLength(body),
          ...(host === undefined ? {} : { host }),
          ...(authorization === undefined ? {} : { authorization }),
        },
      })
      current = request
      let answered = false
      request.on('error', (error) => {
        // A kept connection that the webhook had closed meanwhile says nothing about the webhook.
        if (!settled && !answered && request.reusedSocket && isClosed(error)) return send()
        settle(() => reject(error))
      })
      request.on('response', (response) => {
        answered = true
        readAll(response, Math.max(MOST_BYTES, MOST_GROWTH * body.length)).then(
          (text) => settle(() => resolve({ code: response.statusCode ?? 0, text })),
          (error) => settle(() => reject(error)),
        )
      })
      request.end(body)
    }
    send()
  })
}

const isClosed = (error: NodeJS.ErrnoException) => error.code === 'ECONNRESET' || error.code === 'EPIPE'

async function readAll(response: IncomingMessage, mostBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    size += part.length
    if (size > mostBytes) {
      response.destroy()
      throw new Error(`the answer is longer than ${mostBytes} bytes`)
    }
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

const UNTRUSTED = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

/** What Go's client would have said. */
function goNetworkError(error: unknown): string {
  if (error instanceof DeadlineError) return error.message
  if (!(error instanceof Error)) return String(error)
  const { code = '', address, port, hostname } = error as NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string }
  if (code === 'ECONNREFUSED') return `dial tcp ${address}:${port}: connect: connection refused`
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}: no such host`
  if (code === 'ECONNRESET') return 'EOF'
  if (code === 'EHOSTUNREACH') return `dial tcp ${address}:${port}: connect: no route to host`
  if (UNTRUSTED.has(code)) return 'tls: failed to verify certificate: x509: certificate signed by unknown authority'
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `tls: failed to verify certificate: x509: ${error.message}`
  return error.message
}

/** An answer that is no success, as client-go words it. */
async function statusText(code: number, body: string): Promise<string> {
  const status = await parse(body)
  if (status !== undefined && status.kind === 'Status' && typeof status.message === 'string') return status.message
  switch (code) {
    case 400:
      return 'the server rejected our request for an unknown reason'
    case 401:
      return 'the server has asked for the client to provide credentials'
    case 403:
      return body === '' ? 'unknown' : body.trim()
    case 404:
      return 'the server could not find the requested resource'
    case 405:
      return 'the server does not allow this method on the requested resource'
    case 409:
      return 'the server reported a conflict'
    case 415:
      return 'the body of the request was in an unknown format'
    case 429:
      return 'the server has received too many requests and has asked us to try again later'
    case 503:
      return 'the server is currently unable to handle the request'
    case 504:
      return 'the server was unable to return a response in the time allotted, but may still be processing the request'
    default:
      return code >= 500
        ? `an error on the server (${goQuote(body.trim() || 'unknown')}) has prevented the request from succeeding`
        : `the server responded with the status code ${code} but did not return more information`
  }
}

async function parse(text: string): Promise<JsonObject | undefined> {
  try {
    const { value } = await decodeJsonInTurns(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Go reads answers through YAML, so text that is no JSON is a string. */
async function answerObject(text: string, anyObject: boolean): Promise<JsonObject> {
  const object = await parse(text)
  const failed = (why: string) => new WebhookError(`failed to call webhook: ${why}`)
  if (object === undefined) {
    const sort = /^\s*\[/.test(text)
      ? 'array'
      : /^\s*-?\d+(\.\d+)?\s*$/.test(text)
        ? 'number'
        : /^\s*(true|false)\s*$/.test(text)
          ? 'bool'
          : 'string'
    if (text.trim() === '') throw failed("couldn't get version/kind; json parse error: unexpected end of JSON input")
    throw failed(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${sort} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    )
  }
  if (anyObject) return object
  const missing = !object.kind ? 'Kind' : !object.apiVersion ? 'apiVersion' : undefined
  if (missing !== undefined) throw failed(`Object '${missing}' is missing in '${text}'`)
  return object
}
