import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Warns the client of a deprecated version. */
export function warnOfDeprecation(_server: PipelineServer, request: PipelineRequest): void {
  request.deprecation = request.call?.served.version.deprecationWarning
  if (request.deprecation !== undefined) request.warn(request.deprecation)
}

/**
 * Records the use of a deprecated version in the audit log. Kubernetes does so at the end of a request that reached its handler, whatever
 * the result.
 */
export function noteDeprecation(request: PipelineRequest): void {
  const { deprecation } = request
  if (deprecation === undefined) return
  request.annotate('k8s.io/deprecated', 'true')
  const removed = / unavailable in v(\d+\.\d+)\+/.exec(deprecation)?.[1]
  if (removed !== undefined) request.annotate('k8s.io/removed-release', removed)
}
