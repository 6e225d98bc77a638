import type { TrailStageName } from '../request/trail.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Begins to record the facts of the request, if somebody records them. */
export function beginTrail({ deps }: PipelineServer, request: PipelineRequest): void {
  if (deps.trails !== undefined) request.trail = deps.trails.begin(request)
}

/** Records that the request has come so far. */
export const passed = (stage: TrailStageName) => (_server: PipelineServer, request: PipelineRequest) =>
  request.trail?.passed(stage, request)
