import { applyMergePatch } from '../../../machinery/json/merge-patch.ts'
import { isObject, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { decodeObject, zeroValue } from '../../../machinery/schema/decode.ts'
import type { ServedResource } from '../../cache/resource-registry.ts'

/** The object of a bookmark: a revision, and the zero values of the kind. */
export function bookmark(
  served: ServedResource,
  apiVersion: string,
  step: { readonly revision: number; readonly initial: boolean },
): KubeObject {
  const { metadata: zero, ...rest } = emptyObject(served)
  const own = isObject(zero) && isObject(zero.annotations) ? zero.annotations : {}
  const annotations = { ...own, ...(step.initial && { 'k8s.io/initial-events-end': 'true' }) }
  const metadata = { resourceVersion: String(step.revision), ...(Object.keys(annotations).length > 0 && { annotations }) }
  return { kind: served.definition.names.kind, apiVersion, metadata, ...rest }
}

/** What Go writes of an empty object of the kind's internal type. */
function emptyObject({ definition, version }: ServedResource): JsonObject {
  if (definition.customDefinition !== undefined) return {}
  const schema = version.schema()
  const zero = zeroValue(schema) as JsonObject
  return definition.internalZero === undefined ? zero : decodeObject(schema, applyMergePatch(zero, definition.internalZero)).object
}
