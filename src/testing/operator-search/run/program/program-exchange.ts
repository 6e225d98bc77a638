import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import https from 'node:https'
import { buffer } from 'node:stream/consumers'
import { orAborted } from '../../../../base/on-abort.ts'
import type { ApiCall } from '../../../../machinery/api-call.ts'
import { tryParseJson } from '../../../../machinery/json/try-parse-json.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import { isStatus, StatusError } from '../../../../machinery/status-error.ts'
import { splitLines } from '../../../../sdk/client/watch-lines.ts'
import { passedOn, refuse } from '../../../operator-trial/program/proxy-wire.ts'
import type { OperatorCall } from '../../history.ts'
import { covers, heldBack, resourceKey, type SeamRules, seenFrom } from '../operator-seam.ts'
import type { ProgramTraffic } from './program-traffic.ts'

/** A request of a program, and what it meets. */
export interface ProgramExchange {
  readonly request: Http2ServerRequest
  readonly response: Http2ServerResponse
  readonly url: URL
  readonly body: Buffer
  readonly rules: SeamRules
  readonly traffic: ProgramTraffic
  readonly agent: https.Agent
  readonly address: string
}

const noStreamedList = () =>
  new StatusError({ code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden while the API server lags behind' })

/** Passes on what is not about objects: discovery, versions, health. */
export async function passOn(exchange: ProgramExchange): Promise<void> {
  const answer = await send(exchange, exchange.url.searchParams)
  answerWith(exchange.response, answer, await buffer(answer))
}

/** Passes a call on, and waits before and after it where the rules say so. */
export async function passCall(exchange: ProgramExchange, call: ApiCall): Promise<void> {
  const { rules, traffic, response } = exchange
  const noted = rules.begin(call)
  if (noted === undefined) return void response.destroy()
  const refusal = await refusalOf(rules, noted)
  rules.signal.throwIfAborted()
  if (refusal !== undefined) {
    Object.assign(noted, { code: refusal.code, message: refusal.message })
    traffic.answered(noted, refusal.code)
    return refuse(response, refusal)
  }
  const answer = await send(exchange, new URLSearchParams(seenFrom(rules.view(), call).query))
  const bytes = await buffer(answer)
  noted.code = answer.statusCode ?? 0
  noteAnswer(rules, noted, bytes)
  if (noted.writes) await rules.aroundWrite?.(noted, 'after')
  // A process that was killed gets no response.
  rules.signal.throwIfAborted()
  traffic.answered(noted, noted.code)
  answerWith(response, answer, bytes)
}

/** Waits before a write. Resolves with what it is refused with; undefined: it is not. */
async function refusalOf({ aroundWrite }: SeamRules, noted: OperatorCall): Promise<StatusError | undefined> {
  try {
    if (noted.writes) await aroundWrite?.(noted, 'before')
    return undefined
  } catch (error) {
    if (isStatus(error)) return error
    throw error
  }
}

/** Passes a watch on, late or with a gap where the rules say so. */
export async function passWatch(exchange: ProgramExchange, call: ApiCall): Promise<void> {
  const { rules, response, traffic } = exchange
  const { signal } = rules
  if (rules.begin(call) === undefined) return void response.destroy()
  const view = rules.view()
  if (view !== undefined && covers(view, call)) {
    if (call.query.sendInitialEvents !== undefined) return refuse(response, noStreamedList())
    await orAborted(view.over, signal)
  }
  traffic.began()
  const answer = await send(exchange, exchange.url.searchParams).finally(() => traffic.ended())
  response.writeHead(answer.statusCode ?? 0, passedOn(answer.headers))
  for await (const lines of splitLines(answer)) {
    const hold = rules.holds.get(resourceKey(call.target))
    if (hold !== undefined) await orAborted(hold.over, signal)
    const last = lines.at(-1) ?? ''
    if (lines.length > 1 || !isBookmark(last)) traffic.passed++
    // It lists again, after a while.
    if (hold?.ending === 'relist' || isError(last)) traffic.misses(call.target)
    if (hold?.ending === 'relist') {
      response.end(`${JSON.stringify({ type: 'ERROR', object: heldBack().status })}\n`)
      break
    }
    const revision = answerIn(Buffer.from(last)).object?.metadata?.resourceVersion
    if (revision !== undefined) rules.seen.set(resourceKey(call.target), revision)
    response.write(`${lines.join('\n')}\n`)
  }
  response.end()
}

/** Whether an event ends its watch: what happens afterwards is not seen. */
const isError = (line: string) => line.startsWith('{"type":"ERROR"')

/** Whether an event only says how new the objects are; the one that ends the initial events is waited for. */
const isBookmark = (line: string) => line.startsWith('{"type":"BOOKMARK"') && !line.includes('k8s.io/initial-events-end')

/** Responses are JSON: the search reads them. */
function send({ request, response, url, body, agent, address }: ProgramExchange, query: URLSearchParams): Promise<IncomingMessage> {
  const { accept = '', 'accept-encoding': _, ...others } = passedOn(request.headers)
  const readable = accept.split(',').filter((type) => !/protobuf|cbor/.test(type))
  const headers = { ...others, accept: readable.join(',') || 'application/json', 'content-length': String(body.length) }
  const search = query.size === 0 ? '' : `?${query}`
  return new Promise((resolve, reject) => {
    const sent = https.request(`${address}${url.pathname}${search}`, { method: request.method, headers, agent })
    sent.on('error', reject)
    sent.on('response', resolve)
    response.on('close', () => sent.destroy())
    sent.end(body)
  })
}

function answerWith(response: Http2ServerResponse, answer: IncomingMessage, bytes: Buffer): void {
  response.writeHead(answer.statusCode ?? 0, passedOn(answer.headers))
  response.end(bytes)
}

/** What the history keeps of an answer. */
function noteAnswer(rules: SeamRules, noted: OperatorCall, bytes: Buffer): void {
  const { metadata, message } = noted.writes || bytes.length < LONGEST_READ_BYTES ? answerIn(bytes) : {}
  if ((noted.code ?? 0) >= 400) noted.message = message ?? ''
  else if (metadata?.resourceVersion !== undefined) {
    noted.revision = metadata.resourceVersion
    if (!noted.writes) rules.seen.set(resourceKey(noted.target), metadata.resourceVersion)
  }
}

/** Longer answers are not parsed only to tell what had been read. */
const LONGEST_READ_BYTES = 1 << 20

interface Answer extends Partial<KubeObject> {
  readonly message?: string
  readonly object?: Partial<KubeObject>
}

const answerIn = (bytes: Buffer): Answer => (tryParseJson(bytes.toString()) ?? {}) as Answer
