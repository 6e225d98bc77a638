import { applyMergePatch } from '../../machinery/json/merge-patch.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { decodeObject, zeroValue } from '../../machinery/schema/decode.ts'
import type { ServedResource } from '../cache/resource-registry.ts'

/** What Go writes of an empty object of the kind's internal type. */
export function zeroObject({ definition, version }: ServedResource, apiVersion: string): JsonObject {
  const { kind } = definition.names
  if (definition.customDefinition !== undefined) return { apiVersion, kind }
  const schema = version.schema()
  const zero = zeroValue(schema) as JsonObject
  const { internalZero } = definition
  return { kind, apiVersion, ...(internalZero === undefined ? zero : decodeObject(schema, applyMergePatch(zero, internalZero)).object) }
}
