import { route } from '../handlers/route.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/**
 * Finds the resource of the path. Throws 404 or 405 for what a served group does not have. Nothing is served under a path that begins with
 * two slashes, although it is authorized as the path with one.
 */
export function routeCall({ deps, tools }: PipelineServer, request: PipelineRequest): void {
  const { target, path } = request.info
  if (target === undefined || path.startsWith('//')) return
  const found = route(deps.definitions, request.info, target)
  if (found === undefined) return
  request.call = { deps, tools, request, target, served: found.served, subresource: found.subresource }
}
