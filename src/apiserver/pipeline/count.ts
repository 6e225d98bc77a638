import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Counts the request from here on: what it asks for is known. */
export function count({ deps }: Pick<PipelineServer, 'deps'>, request: PipelineRequest): void {
  if (deps.metrics === undefined || request.call === undefined) return
  request.counts = deps.metrics.requests.of(request.call)
  request.counts.begin()
}
