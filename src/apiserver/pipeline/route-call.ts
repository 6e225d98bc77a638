import { route } from '../handlers/route.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Finds the resource of the path. Throws 404 or 405 for what a served group does not have. */
export function routeCall({ deps, tools }: PipelineServer, request: PipelineRequest): void {
  const { target } = request.info
  if (target === undefined) return
  const found = route(deps.definitions, request.info, target)
  if (found === undefined) return
  request.call = { deps, tools, request, target, served: found.served, subresource: found.subresource }
}
