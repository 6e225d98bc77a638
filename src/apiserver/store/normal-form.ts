import { type Json, type KubeObject, parseApiVersion } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { decodeObject } from '../../machinery/schema/decode.ts'
import type { Kinds } from '../kinds.ts'

/**
 * The object as Kubernetes would write it, whatever defaults, rules and admission have made of it: fields that are always there are there
 * (`lastProbeTime: null`), empty ones are not, in Go's order. Custom objects stay as they are. The argument is not changed, but
 * what is right in it already becomes part of the result; what it has in `known` is right.
 */
export function normalForm(kinds: Kinds, definition: ResourceDefinition, object: KubeObject, known?: ReadonlySet<unknown>): KubeObject {
  // By the object's own apiVersion: events of both groups are worked on as core events.
  const gv = parseApiVersion(object.apiVersion)
  if (definition.customDefinition !== undefined || gv === undefined || !kinds.has(gv.group, gv.version, object.kind)) return object
  return decodeObject(kinds.schema(gv.group, gv.version, object.kind), object as unknown as Json, { share: true, ...(known && { known }) })
    .object as unknown as KubeObject
}
