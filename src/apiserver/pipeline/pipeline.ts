import { inOrder, type Later } from '../../base/steps.ts'
import { authorize } from './authorize.ts'
import { beginAudit } from './begin-audit.ts'
import { connectStream } from './connect-stream.ts'
import { count } from './count.ts'
import { delegate } from './delegate.ts'
import { findPage } from './find-page.ts'
import { handleCall } from './handle-call.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import { routeCall } from './route-call.ts'
import type { PipelineServer, Step } from './step.ts'

/** What only one entrance needs: in process there are no sockets, no text, no flow control and no time limits. */
export interface EntranceSteps<S extends PipelineServer, R extends PipelineRequest> {
  /** Who sends it, and until when it may run. */
  readonly identify: readonly Step<S, R>[]
  /** As whom it is carried out, and when it is its turn. */
  readonly admitToFlow: readonly Step<S, R>[]
  /** In which form it is answered. */
  readonly negotiate: readonly Step<S, R>[]
}

/** Everything that happens to a request, from top to bottom. */
export function pipelineOf<S extends PipelineServer, R extends PipelineRequest>(entrance: EntranceSteps<S, R>): readonly Step<S, R>[] {
  return [
    ...entrance.identify,
    beginAudit,
    ...entrance.admitToFlow,
    authorize,
    delegate,
    routeCall,
    findPage,
    count,
    connectStream,
    ...entrance.negotiate,
    handleCall,
  ]
}

/** Takes a request through the steps until one of them has answered it, or its client has gone. */
export function runPipeline<S extends PipelineServer, R extends PipelineRequest>(
  steps: readonly Step<S, R>[],
  server: S,
  request: R,
): Later<void> {
  return inOrder(steps, (step) => (request.result !== undefined || request.over ? undefined : step(server, request)))
}
