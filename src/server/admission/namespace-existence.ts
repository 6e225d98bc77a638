import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../apiserver/admission/plugin.ts'
import { notFound, StatusError } from '../../machinery/status-error.ts'
import type { AdmissionDeps } from './admission-deps.ts'

/** Requests for namespaced objects, but not for namespaces themselves. */
const isInNamespace = (r: AdmissionRequest) => r.namespace !== '' && !(r.kind.group === '' && r.kind.kind === 'Namespace')

/** Refuses writes in a namespace that does not exist; NamespaceLifecycle does the same for creates. Off unless it is enabled. */
export function namespaceExists({ reader }: Pick<AdmissionDeps, 'reader'>): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    handles: (r) => r.operation !== 'CONNECT' && isInNamespace(r),
    validate({ namespace }) {
      if (reader.get('', 'namespaces', '', namespace) === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace)
    },
  }
}

/** Creates a missing namespace when an object is created in it. Off unless it is enabled. */
export function namespaceAutoProvision({ reader, createNamespace }: Pick<AdmissionDeps, 'reader' | 'createNamespace'>): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    handles: (r) => r.operation === 'CREATE' && isInNamespace(r) && !r.dryRun,
    async mutate(request) {
      if (reader.get('', 'namespaces', '', request.namespace) !== undefined) return
      try {
        await createNamespace(request.namespace)
      } catch (error) {
        if (error instanceof StatusError && error.status.reason === 'AlreadyExists') return
        throw error instanceof StatusError ? refusal(request, error.message) : error
      }
    },
  }
}
