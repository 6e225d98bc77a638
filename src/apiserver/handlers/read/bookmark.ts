import { isObject, type KubeObject } from '../../../machinery/object.ts'
import type { ServedResource } from '../../cache/resource-registry.ts'
import { zeroObject } from '../../store/zero-object.ts'

/** The object of a bookmark: a revision, and the zero values of the kind. */
export function bookmark(
  served: ServedResource,
  apiVersion: string,
  step: { readonly revision: number; readonly initial: boolean },
): KubeObject {
  const { kind: _, apiVersion: _v, metadata: zero, ...rest } = zeroObject(served, apiVersion)
  const own = isObject(zero) && isObject(zero.annotations) ? zero.annotations : {}
  const annotations = { ...own, ...(step.initial && { 'k8s.io/initial-events-end': 'true' }) }
  const metadata = { resourceVersion: String(step.revision), ...(Object.keys(annotations).length > 0 && { annotations }) }
  return { kind: served.definition.names.kind, apiVersion, metadata, ...rest }
}
