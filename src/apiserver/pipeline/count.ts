import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Begins counting the request: its route is known now. */
export function count({ deps }: Pick<PipelineServer, 'deps'>, request: PipelineRequest): void {
  if (deps.metrics === undefined || request.call === undefined) return
  request.counts = deps.metrics.requests.of(request.call)
  request.counts.begin()
}
