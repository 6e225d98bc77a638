import { Readable } from 'node:stream'
import { createBytePipe } from '../base/byte-pipe.ts'
import type { ConnectCall, Connections } from '../machinery/api-call.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import { StatusError } from '../machinery/status-error.ts'
import type { LocalConnection } from '../streaming/accepted.ts'
import { localCommand, localPorts } from '../streaming/local-streams.ts'
import type { AuditRecord } from './audit/audit-record.ts'
import type { ServingDeps } from './deps.ts'
import type { ConnectAnswer, ServerTools } from './extension-points.ts'
import { type ConnectionSource, connect } from './handlers/connect.ts'
import { resolve } from './handlers/dispatch.ts'
import { queryOfPairs } from './handlers/request/query.ts'
import type { RequestInfo } from './handlers/request/request-info.ts'
import { noResource } from './handlers/request/route.ts'

export interface InProcessConnectionsDeps {
  readonly deps: ServingDeps
  readonly tools: ServerTools
  readonly user: UserInfo
  /** What the pipeline is told of a call. */
  info(call: ConnectCall, verb: 'get' | 'create'): RequestInfo
  /** Begins its record in the audit log. */
  audit(call: ConnectCall, info: RequestInfo): AuditRecord | undefined | Promise<AuditRecord>
}

/** Streams into containers for clients of the same process: the same pipeline up to the connector, and pipes in place of sockets. */
export function inProcessConnections(given: InProcessConnectionsDeps): Connections {
  return {
    async command(call) {
      const { connection, process } = localCommand()
      const refused = open(given, call, { verb: 'create', local: connection }, NO_ANSWER)
      const remote = await Promise.race([process, refused.then(neverAnswered)])
      call.signal?.addEventListener('abort', () => void remote[Symbol.asyncDispose](), { once: true })
      return remote
    },
    async ports(call) {
      const { connection, ports } = localPorts()
      const refused = open(given, call, { verb: 'create', local: connection }, NO_ANSWER)
      const remote = await Promise.race([ports, refused.then(neverAnswered)])
      call.signal?.addEventListener('abort', () => void remote[Symbol.asyncDispose](), { once: true })
      return remote
    },
    async bytes(call) {
      const pipe = createBytePipe()
      const started = Promise.withResolvers<void>()
      let room = Promise.resolve()
      const answer: ConnectAnswer = {
        start: () => started.resolve(),
        write(chunk) {
          room = pipe.sink.write(chunk).catch(() => {})
          return false
        },
        drained: () => room,
        end: () => void pipe.sink.end(),
      }
      const done = open(given, call, { verb: 'get' }, answer)
      done.then(
        () => pipe.sink.end(),
        (error: Error) => pipe.destroy(error),
      )
      await Promise.race([started.promise, done])
      return pipe.source
    },
  }
}

const FOREVER = new AbortController().signal
const NO_ANSWER: ConnectAnswer = { start() {}, write: () => true, drained: async () => {}, end() {} }

function neverAnswered(): never {
  throw new StatusError({ code: 500, reason: 'InternalError', message: 'the connection ended before it was accepted' })
}

async function open(
  { deps, tools, user, info: infoOf, audit }: InProcessConnectionsDeps,
  api: ConnectCall,
  { verb, local }: { readonly verb: 'get' | 'create'; readonly local?: LocalConnection },
  answer: ConnectAnswer,
): Promise<void> {
  const info = infoOf(api, verb)
  const begun = audit(api, info)
  const record = begun instanceof Promise ? await begun : begun
  try {
    const call = await resolve(deps, tools, {
      info,
      query: queryOfPairs(api.query),
      user,
      userAgent: user.name,
      body: { kind: 'object', value: undefined },
      signal: api.signal ?? FOREVER,
      warn: () => {},
      annotate: (key, value, level) => record?.annotate(key, value, level),
    })
    if (call?.subresource?.kind !== 'connect') throw noResource()
    const source: ConnectionSource = { method: info.method, url: '', headers: {}, body: Readable.from([]), ...(local && { local }) }
    await connect(call, call.subresource, source, answer)
    record?.complete(200)
  } catch (error) {
    if (error instanceof StatusError) record?.response(error.status)
    record?.complete(error instanceof StatusError ? error.code : 500)
    throw error
  }
}
