import type { ApiCall, Transport, WatchEvent } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { noResource } from '../handlers/route.ts'
import type { PipelineServer } from '../pipeline/step.ts'
import { queryOf } from '../request/query.ts'
import { inProcessConnections } from './in-process-connections.ts'
import { inProcessPage } from './in-process-page.ts'
import { answerRequest, endRequest, failRequest } from './in-process-pipeline.ts'
import { InProcessRequest, infoOf } from './in-process-request.ts'
import { objectOf } from './object-of.ts'
import { watchEvents } from './watch-events.ts'

/** Calls into the server of the same process: the same pipeline without sockets and text. Objects that come back are shared: never change them. */
export function inProcess(server: () => PipelineServer, user: UserInfo): Transport {
  return {
    call: (api) => call(server(), user, api),
    watch: (api) => watch(server(), user, api),
    page: (api) => inProcessPage(server(), user, api),
    connect: inProcessConnections(server, user),
  }
}

function requestOf({ deps }: PipelineServer, user: UserInfo, api: ApiCall): InProcessRequest {
  return new InProcessRequest(user, deps.clock.monotonic(), {
    info: infoOf(api),
    query: queryOf(api.query),
    search: api.query,
    body: { kind: 'object', value: api.body, ...(api.patchType && { patchType: api.patchType }) },
    signal: api.signal,
  })
}

async function call(server: PipelineServer, user: UserInfo, api: ApiCall): Promise<KubeObject> {
  const request = requestOf(server, user, api)
  const result = await answerRequest(server, request)
  try {
    if (result.kind === 'delegated') {
      const object = await result.to.transport(user).call(api)
      endRequest(server, request, 200, object)
      return object
    }
    if (result.kind !== 'handled' || request.call === undefined) throw noResource()
    const shown = objectOf(request.call, result.answer)
    const object = shown instanceof Promise ? await shown : shown
    endRequest(server, request, 'code' in result.answer ? result.answer.code : 200, object)
    return object
  } catch (error) {
    return failRequest(server, request, error)
  }
}

async function* watch(server: PipelineServer, user: UserInfo, api: ApiCall): AsyncGenerator<readonly WatchEvent[]> {
  const request = requestOf(server, user, api)
  const result = await answerRequest(server, request)
  try {
    if (result.kind === 'delegated') yield* result.to.transport(user).watch(api)
    else if (request.call !== undefined && result.kind === 'handled' && result.answer.kind === 'watch')
      yield* watchEvents(request.call, result.answer.session, api.signal)
    else throw new StatusError({ code: 500, message: 'a watch was answered otherwise' })
  } finally {
    endRequest(server, request, 200)
  }
}
