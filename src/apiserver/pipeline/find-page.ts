import type { Later } from '../../base/steps.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** What is no resource is a page, or nothing: discovery, health, version, metrics, OpenAPI. */
export function findPage({ plain }: Pick<PipelineServer, 'plain'>, request: PipelineRequest): Later<void> {
  if (request.call !== undefined) return
  const { info, query, user, headers } = request
  return plain.answer({ method: info.method, path: info.path, query, headers, user }).then((page) => {
    request.result = { kind: 'page', page }
  })
}
