import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { zeroValue } from '../../../machinery/schema/decode.ts'
import type { ServedResource } from '../../cache/resource-registry.ts'

/** The object of a bookmark: a revision, and the zero values of the kind. */
export function bookmark(
  served: ServedResource,
  apiVersion: string,
  step: { readonly revision: number; readonly initial: boolean },
): KubeObject {
  const { definition, version } = served
  const annotations = step.initial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
  const metadata = { resourceVersion: String(step.revision), ...annotations }
  const { metadata: _, ...rest } = definition.customDefinition === undefined ? (zeroValue(version.schema()) as JsonObject) : {}
  return { kind: definition.names.kind, apiVersion, metadata, ...rest }
}
