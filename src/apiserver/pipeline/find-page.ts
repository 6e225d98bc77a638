import type { Later } from '../../base/steps.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Serves non-resource paths: discovery, health, version, metrics, OpenAPI; 404 for others. */
export function findPage({ plain }: Pick<PipelineServer, 'plain'>, request: PipelineRequest): Later<void> {
  if (request.call !== undefined) return
  const { info, query, user, headers } = request
  return plain.answer({ method: info.method, path: info.path, query, headers, user }).then((page) => {
    request.result = { kind: 'page', page }
  })
}
