import type { Later } from '../../base/steps.ts'
import type { ServingDeps } from '../deps.ts'
import type { ServerTools } from '../extension-points.ts'
import type { PlainPaths } from '../request/plain-paths.ts'
import type { PipelineRequest } from './pipeline-request.ts'

/** The dependencies of the steps of every pipeline. */
export interface PipelineServer {
  readonly deps: ServingDeps
  readonly tools: ServerTools
  readonly plain: PlainPaths
}

/** One step of a request. Throws the error that the client gets. */
export type Step<S extends PipelineServer, R extends PipelineRequest> = (server: S, request: R) => Later<void>
