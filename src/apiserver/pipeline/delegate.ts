import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Requests for paths of another server leave the pipeline here, authenticated and authorized. */
export function delegate({ deps }: Pick<PipelineServer, 'deps'>, request: PipelineRequest): void {
  const to = deps.delegates?.of(request.info.path)
  if (to !== undefined) request.result = { kind: 'delegated', to }
}
