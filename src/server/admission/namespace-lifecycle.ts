import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../apiserver/admission/plugin.ts'
import { notFound, StatusError } from '../../machinery/status-error.ts'
import { readObject } from '../../resources/read-objects.ts'
import { NAMESPACES } from '../../resources/refs.ts'
import type { AdmissionDeps } from './admission-deps.ts'
import { isAbout } from './requests-about.ts'

/** Namespaces that cannot be deleted. */
const IMMORTAL = new Set(['default', 'kube-system', 'kube-public'])
/** Access reviews may be about namespaces that do not exist. */
const REVIEWS = 'localsubjectaccessreviews'

/** Refuses creates in namespaces that do not exist or are terminating, and the deletion of system namespaces. */
export function namespaceLifecycle({ reader }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    handles: (r) => r.operation === 'CREATE' || (r.operation === 'DELETE' && r.resource.resource === 'namespaces'),
    mutate: check,
    validate: check,
  }

  function check(request: AdmissionRequest): void {
    if (request.operation === 'DELETE') {
      if (isAbout(request, NAMESPACES) && IMMORTAL.has(request.name)) throw refusal(request, 'this namespace may not be deleted')
      return
    }
    if (request.namespace === '' || request.kind.kind === 'Namespace' || request.resource.resource === REVIEWS) return
    const namespace = readObject(reader, NAMESPACES, '', request.namespace)
    if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, request.namespace)
    if (namespace.metadata.deletionTimestamp === undefined && namespace.status?.phase !== 'Terminating') return
    const { status } = refusal(request, `unable to create new content in namespace ${request.namespace} because it is being terminated`)
    const cause = {
      reason: 'NamespaceTerminating',
      message: `namespace ${request.namespace} is being terminated`,
      field: 'metadata.namespace',
    }
    throw new StatusError({
      code: 403,
      reason: 'Forbidden',
      message: status.message ?? '',
      details: { ...status.details, causes: [cause] },
    })
  }
}
