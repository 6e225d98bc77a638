import { Readable } from 'node:stream'
import { createBytePipe } from '../../base/byte-pipe.ts'
import { onAbort } from '../../base/on-abort.ts'
import { quiet } from '../../base/quiet.ts'
import type { ConnectCall, Connections } from '../../machinery/api-call.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { LocalConnection } from '../../streaming/accepted.ts'
import { localCommand, localPorts } from '../../streaming/local-streams.ts'
import type { ConnectResponse } from '../extension-points.ts'
import type { ConnectionSource } from '../handlers/connect.ts'
import { noResource } from '../handlers/route.ts'
import type { PipelineServer } from '../pipeline/step.ts'
import { queryOfPairs } from '../request/query.ts'
import { answerRequest, endRequest, failRequest } from './in-process-pipeline.ts'
import { InProcessRequest, infoOf } from './in-process-request.ts'

/** Streams into containers for clients of the same process: the same pipeline up to the connector, and pipes instead of sockets. */
export function inProcessConnections(server: () => PipelineServer, user: UserInfo): Connections {
  const opened = (call: ConnectCall, ends: Ends) => open(server(), user, call, ends)
  return {
    async command(call) {
      const { connection, process } = localCommand()
      const refused = opened(call, { verb: 'create', local: connection, answer: NO_ANSWER })
      const remote = await Promise.race([process, refused.then(neverAnswered)])
      onAbort(call.signal, () => void remote[Symbol.asyncDispose]())
      return remote
    },
    async ports(call) {
      const { connection, ports } = localPorts()
      const refused = opened(call, { verb: 'create', local: connection, answer: NO_ANSWER })
      const remote = await Promise.race([ports, refused.then(neverAnswered)])
      onAbort(call.signal, () => void remote[Symbol.asyncDispose]())
      return remote
    },
    async bytes(call) {
      const pipe = createBytePipe()
      const started = Promise.withResolvers<void>()
      let room = Promise.resolve()
      const answer: ConnectResponse = {
        start: () => started.resolve(),
        write(chunk) {
          room = quiet(pipe.sink.write(chunk), 'the reader may have gone')
          return false
        },
        drained: () => room,
        end: () => void pipe.sink.end(),
      }
      const done = opened(call, { verb: 'get', answer })
      done.then(
        () => pipe.sink.end(),
        (error: Error) => pipe.destroy(error),
      )
      await Promise.race([started.promise, done])
      return pipe.source
    },
  }
}

const NO_ANSWER: ConnectResponse = { start() {}, write: () => true, drained: async () => {}, end() {} }

function neverAnswered(): never {
  throw new StatusError({ code: 500, reason: 'InternalError', message: 'the connection ended before it was accepted' })
}

interface Ends {
  readonly verb: 'get' | 'create'
  readonly answer: ConnectResponse
  readonly local?: LocalConnection
}

/** Resolves when the connection has ended. */
async function open(server: PipelineServer, user: UserInfo, api: ConnectCall, { verb, answer, local }: Ends): Promise<void> {
  const info = infoOf({ verb, target: api.target })
  const source: ConnectionSource = { method: info.method, url: '', headers: {}, body: Readable.from([]), ...(local && { local }) }
  const request = new InProcessRequest(user, server.deps.clock.monotonic(), {
    info,
    query: queryOfPairs(api.query),
    search: Object.fromEntries(api.query),
    signal: api.signal,
    connection: { source, answer },
  })
  const result = await answerRequest(server, request)
  if (result.kind !== 'connected') failRequest(server, request, noResource())
  endRequest(server, request, 200)
}
