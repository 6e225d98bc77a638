import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** Warns the client of a deprecated version. */
export function warnOfDeprecation(_server: PipelineServer, request: PipelineRequest): void {
  const warning = request.call?.served.version.deprecationWarning
  if (warning !== undefined) request.warn(warning)
}

/** Records the use of a deprecated version in the audit log. Kubernetes does so at the end of the request, whatever its result. */
export function noteDeprecation(request: PipelineRequest): void {
  const warning = request.call?.served.version.deprecationWarning
  if (warning === undefined) return
  request.annotate('k8s.io/deprecated', 'true')
  const removed = / unavailable in v(\d+\.\d+)\+/.exec(warning)?.[1]
  if (removed !== undefined) request.annotate('k8s.io/removed-release', removed)
}
