import type { PipelineRequest } from './pipeline-request.ts'

/** Notes in the audit log that a deprecated version was asked for. Kubernetes does so when the request is over, whatever came of it. */
export function noteDeprecation(request: PipelineRequest): void {
  const warning = request.call?.served.version.deprecationWarning
  if (warning === undefined) return
  request.annotate('k8s.io/deprecated', 'true')
  const removed = / unavailable in v(\d+\.\d+)\+/.exec(warning)?.[1]
  if (removed !== undefined) request.annotate('k8s.io/removed-release', removed)
}
