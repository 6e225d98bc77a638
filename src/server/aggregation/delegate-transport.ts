import type { Readable } from 'node:stream'
import { type Clock, holding } from '../../base/clock.ts'
import { limitedSignal } from '../../base/limited-signal.ts'
import { onAbort } from '../../base/on-abort.ts'
import { readWhole } from '../../base/read-whole.ts'
import { type ApiCall, METHOD, type Transport, type WatchEvent } from '../../machinery/api-call.ts'
import { decodeJsonInTurns, encodeJson, JsonTooLargeError } from '../../machinery/json/strict-json.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { notImplemented, StatusError } from '../../machinery/status-error.ts'
import { answerError } from '../../sdk/client/response-error.ts'
import { answerJson } from '../../sdk/client/response-json.ts'
import { PATCH_MEDIA_TYPE, urlOf } from '../../sdk/client/url.ts'
import { eventsOf, splitLines } from '../../sdk/client/watch-lines.ts'
import type { IncomingResponse, OutgoingRequest } from '../services/connections.ts'
import { NetworkError } from '../services/network-error.ts'
import { headerOf } from './forward.ts'
import { identityHeaders } from './forward-headers.ts'

/** The time limit of a call. */
const LIMIT_MS = 60_000
/** Limits of a response for a client inside the process: a value takes ten times its text, and more. */
const MOST_BYTES = 64 * 1024 * 1024
const MOST_VALUES = 4_000_000
/** A longer response is decoded in turns. */
const LONG_BYTES = 1024 * 1024
const FROM = 'an aggregated server'

/** A delegate for calls inside the process. */
export interface CallableDelegate {
  readonly available: boolean
  send(request: Omit<OutgoingRequest, 'host'>): Promise<IncomingResponse>
}

interface TransportDeps {
  readonly user: UserInfo
  readonly clock: Clock
  readonly delegate: CallableDelegate
}

/** Calls of clients inside the process to a delegate: the same requests as the proxy sends for external clients. */
export function delegateTransport({ user, clock, delegate }: TransportDeps): Transport {
  const open = async (api: ApiCall, signal: AbortSignal): Promise<IncomingResponse> => {
    if (!delegate.available) throw unavailable('service unavailable')
    const body = api.body === undefined ? undefined : Buffer.from(encodeJson(api.body))
    const type = api.patchType === undefined ? 'application/json' : PATCH_MEDIA_TYPE[api.patchType]
    const headers = {
      Accept: 'application/json',
      'User-Agent': user.name.replace(/[^\x20-\x7e]/g, '?'),
      ...(body !== undefined && { 'Content-Type': type, 'Content-Length': String(body.length) }),
      ...identityHeaders(user),
    }
    try {
      const answer = await delegate.send({ method: METHOD[api.verb], target: targetOf(api), headers, ...(body && { body }), signal })
      if (answer.status < 400) return answer
      const retryAfter = headerOf(answer.rawHeaders, 'retry-after')
      throw answerError({
        code: answer.status,
        headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
        body: (await wholeOf(answer.body)).toString(),
      })
    } catch (error) {
      if (error instanceof NetworkError) throw unavailable(`error trying to reach service: ${error.message}`, error)
      throw error
    }
  }
  const within = async <T>(api: ApiCall, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const reason = () => unavailable('error trying to reach service: context deadline exceeded')
    using limit = limitedSignal(clock, LIMIT_MS, { parent: api.signal, reason })
    return await holding(clock, FROM, () => work(limit.signal))
  }
  return {
    call: (api) =>
      within(api, async (signal) => {
        const { body } = await open(api, signal)
        return (await jsonOf(await wholeOf(body))) as KubeObject
      }),
    async *watch(api): AsyncGenerator<readonly WatchEvent[]> {
      const signal = api.signal ?? new AbortController().signal
      const { body } = await open({ ...api, query: { ...api.query, watch: 'true' } }, signal)
      using _ = onAbort(signal, () => body.destroy())
      try {
        for await (const lines of splitLines(body)) yield* eventsOf(lines, FROM)
      } catch (error) {
        if (signal.aborted) return
        throw error instanceof StatusError ? error : unavailable('the watch of an aggregated server broke off', error)
      } finally {
        body.destroy()
      }
    },
    page: ({ path, accept, signal }) =>
      within({ verb: 'get', target: NOWHERE, query: {}, ...(signal && { signal }) }, async (limit) => {
        const headers = { Accept: accept ?? 'application/json', ...identityHeaders(user) }
        const answer = await delegate.send({ method: 'GET', target: path, headers, signal: limit })
        const body = await wholeOf(answer.body)
        if (answer.status >= 400) throw answerError({ code: answer.status, headers: {}, body: body.toString() })
        const etag = headerOf(answer.rawHeaders, 'etag')?.replace(/^"|"$/g, '')
        return { value: (await jsonOf(body)) as JsonObject, etag }
      }),
    connect: { command: refuse, ports: refuse, bytes: refuse },
  }
}

const NOWHERE = { group: '', version: '', resource: '' }
/** Streams of aggregated resources need a client with a socket. */
const refuse = () => Promise.reject(notImplemented('streams of aggregated resources inside the process'))

const targetOf = (api: ApiCall): string => urlOf(api)

const unavailable = (message: string, cause?: unknown): StatusError =>
  new StatusError({ code: 503, reason: 'ServiceUnavailable', message, cause })

async function jsonOf(bytes: Buffer): Promise<unknown> {
  if (bytes.length <= LONG_BYTES) return answerJson(bytes.toString(), FROM)
  try {
    return (await decodeJsonInTurns(bytes, { maxValues: MOST_VALUES })).value
  } catch (cause) {
    const why = cause instanceof JsonTooLargeError ? `answered with ${cause.message}` : 'sent what is no JSON'
    throw new StatusError({ code: 500, reason: 'InternalError', message: `${FROM} ${why}`, cause })
  }
}

const wholeOf = (body: Readable): Promise<Buffer> => readWhole(body, MOST_BYTES, tooLong)

const tooLong = () =>
  new StatusError({ code: 500, reason: 'InternalError', message: `an aggregated server answered more than ${MOST_BYTES} bytes` })
