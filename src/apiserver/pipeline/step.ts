import type { Later } from '../../base/steps.ts'
import type { ServingDeps } from '../deps.ts'
import type { ServerTools } from '../extension-points.ts'
import type { PlainPaths } from '../request/plain-paths.ts'
import type { PipelineRequest } from './pipeline-request.ts'

/** What the steps of every pipeline work with. */
export interface PipelineServer {
  readonly deps: ServingDeps
  readonly tools: ServerTools
  readonly plain: PlainPaths
}

/** One thing that happens to every request, in its turn. Throws what the client is to be answered. */
export type Step<S extends PipelineServer, R extends PipelineRequest> = (server: S, request: R) => Later<void>
