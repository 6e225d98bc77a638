import { inOrder, type Later } from '../../base/steps.ts'
import { authorize } from './authorize.ts'
import { beginAudit } from './begin-audit.ts'
import { beginTrail, passed } from './begin-trail.ts'
import { connectStream } from './connect-stream.ts'
import { count } from './count.ts'
import { delegate } from './delegate.ts'
import { findPage } from './find-page.ts'
import { handleCall } from './handle-call.ts'
import { warnOfDeprecation } from './note-deprecation.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import { routeCall } from './route-call.ts'
import type { PipelineServer, Step } from './step.ts'

/** The steps that only one entrance has: in process there are no sockets, no text, no flow control and no time limits. */
export interface EntranceSteps<S extends PipelineServer, R extends PipelineRequest> {
  /** Authenticates the sender, and sets the time limit. */
  readonly identify: readonly Step<S, R>[]
  /** Impersonates, and waits for a seat. */
  readonly admitToFlow: readonly Step<S, R>[]
  /** Refuses media types that have no route. */
  readonly matchTypes: readonly Step<S, R>[]
  /** Chooses the format of the response. */
  readonly negotiate: readonly Step<S, R>[]
}

/** All steps of a request, from top to bottom. */
export function pipelineOf<S extends PipelineServer, R extends PipelineRequest>(entrance: EntranceSteps<S, R>): readonly Step<S, R>[] {
  return [
    beginTrail,
    ...entrance.identify,
    passed('authenticate'),
    beginAudit,
    ...entrance.admitToFlow,
    passed('wait'),
    authorize,
    passed('authorize'),
    delegate,
    routeCall,
    findPage,
    count,
    ...entrance.matchTypes,
    warnOfDeprecation,
    ...entrance.negotiate,
    connectStream,
    handleCall,
  ]
}

/** Runs the steps until one of them produces a result, or the client has gone. */
export function runPipeline<S extends PipelineServer, R extends PipelineRequest>(
  steps: readonly Step<S, R>[],
  server: S,
  request: R,
): Later<void> {
  return inOrder(steps, (step) => (request.result !== undefined || request.over ? undefined : step(server, request)))
}
