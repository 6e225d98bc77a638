import type { ApiCall, Transport, WatchEvent } from '../../machinery/api-call.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { noResource } from '../handlers/route.ts'
import type { PipelineServer } from '../pipeline/step.ts'
import { queryOf } from '../request/query.ts'
import { inProcessConnections } from './in-process-connections.ts'
import { inProcessPage } from './in-process-page.ts'
import { type Answered, answered } from './in-process-pipeline.ts'
import { InProcessRequest, infoOf } from './in-process-request.ts'
import { objectOf } from './object-of.ts'
import { watchEvents } from './watch-events.ts'

/** Calls into the server of the same process: the same pipeline without sockets and text. Objects that come back are shared: never change them. */
export function inProcess(server: () => PipelineServer, user: UserInfo): Transport {
  const open = (api: ApiCall) => answered(server(), requestOf(user, api))
  return {
    async call(api) {
      const { call, result, end, fail } = await open(api)
      if (result.kind === 'delegated') {
        const object = await result.to.transport(user).call(api).catch(fail)
        end(200, object)
        return object
      }
      if (result.kind !== 'handled' || call === undefined) return fail(noResource())
      const { answer } = result
      try {
        const object = await objectOf(call, answer)
        end('code' in answer ? answer.code : 200, object)
        return object
      } catch (error) {
        return fail(error)
      }
    },
    async *watch(api) {
      yield* watched(await open(api), api, user)
    },
    page: (call) => inProcessPage(server(), user, call),
    connect: inProcessConnections(server, user),
  }
}

function requestOf(user: UserInfo, api: ApiCall): InProcessRequest {
  return new InProcessRequest(user, {
    info: infoOf(api),
    query: queryOf(api.query),
    search: () => new URLSearchParams(api.query).toString(),
    body: { kind: 'object', value: api.body, ...(api.patchType && { patchType: api.patchType }) },
    signal: api.signal,
  })
}

async function* watched({ call, result, end }: Answered, api: ApiCall, user: UserInfo): AsyncGenerator<readonly WatchEvent[]> {
  try {
    if (result.kind === 'delegated') yield* result.to.transport(user).watch(api)
    else if (call !== undefined && result.kind === 'handled' && result.answer.kind === 'watch')
      yield* watchEvents(call, result.answer.session, api.signal)
    else throw new StatusError({ code: 500, message: 'a watch was answered otherwise' })
  } finally {
    end(200)
  }
}
