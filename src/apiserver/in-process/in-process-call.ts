import type { Later } from '../../base/steps.ts'
import type { ApiCall, Transport } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { Call, HandlerResult } from '../handlers/call.ts'
import { noResource } from '../handlers/route.ts'
import type { PipelineServer } from '../pipeline/step.ts'
import { queryOf } from '../request/query.ts'
import type { WatchSession } from '../store/watch-session.ts'
import { answerRequest, endRequest, failRequest } from './in-process-pipeline.ts'
import { InProcessRequest, infoOf } from './in-process-request.ts'
import { objectOf } from './object-of.ts'

/** How a caller gets the result: of this server's handler, or the object from a delegate. */
export interface CallForm<T> {
  of(call: Call, answer: HandlerResult): Later<T>
  ofObject(object: KubeObject): T
}

/** The same for a watch. */
export interface WatchForm<T> {
  of(call: Call, session: WatchSession): AsyncIterable<T>
  delegated(to: Transport): AsyncIterable<T>
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

/** Runs a call through the pipeline; resolves with its result in that form. */
export async function inProcessCall<T>(server: PipelineServer, user: UserInfo, api: ApiCall, form: CallForm<T>): Promise<T> {
  const request = requestOf(server, user, api)
  const result = await answerRequest(server, request)
  try {
    if (result.kind === 'delegated') {
      const object = await result.to.transport(user).call(api)
      endRequest(server, request, 200, object)
      return form.ofObject(object)
    }
    if (result.kind !== 'handled' || request.call === undefined) throw noResource()
    const { answer } = result
    const shown = form.of(request.call, answer)
    const done = shown instanceof Promise ? await shown : shown
    endRequest(server, request, 'code' in answer ? answer.code : 200, request.audit && (await auditedObject(request.call, answer)))
    return done
  } catch (error) {
    return failRequest(server, request, error)
  }
}

/** What the audit log may record of a response. */
const auditedObject = (call: Call, answer: HandlerResult): Later<object> =>
  answer.kind === 'object' || call.request.audit?.keepsResponse === true ? objectOf(call, answer) : {}

/** Runs a watch through the pipeline; yields its events in that form. */
export async function* inProcessWatch<T>(server: PipelineServer, user: UserInfo, api: ApiCall, form: WatchForm<T>): AsyncGenerator<T> {
  const request = requestOf(server, user, api)
  const result = await answerRequest(server, request)
  try {
    if (result.kind === 'delegated') yield* form.delegated(result.to.transport(user))
    else if (request.call !== undefined && result.kind === 'handled' && result.answer.kind === 'watch')
      yield* form.of(request.call, result.answer.session)
    else throw new StatusError({ code: 500, message: 'a watch was answered otherwise' })
  } finally {
    endRequest(server, request, 200)
  }
}
