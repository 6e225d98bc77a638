import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Paths that another server answers for leave the pipeline here: their sender is known, and allowed to ask. */
export function delegate({ deps }: Pick<PipelineServer, 'deps'>, request: PipelineRequest): void {
  const to = deps.delegates?.of(request.info.path)
  if (to !== undefined) request.result = { kind: 'delegated', to }
}
