import { arrival, type Steps } from '../../base/steps.ts'
import { asJson, type KubeObject, parseApiVersion } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { type Decoded, decodeObjectInSteps } from '../../machinery/schema/decode.ts'
import type { Schema } from '../../machinery/schema/schema.ts'
import type { Kinds } from '../kinds.ts'

/**
 * The object as Kubernetes would write it, whatever defaults, rules and admission have made of it: fields that are always there are there
 * (`lastProbeTime: null`), empty ones are not, in Go's order. Custom objects stay as they are. The argument is not changed, but
 * what is right in it already becomes part of the result; what it has in `known` is right.
 */
export function normalForm(
  kinds: Kinds,
  definition: ResourceDefinition,
  object: KubeObject,
  known?: ReadonlySet<unknown>,
): Steps<Pick<Decoded, 'object'>> {
  const schema = schemaOf(kinds, definition, object)
  // An object is JSON, and what is decoded of one is an object.
  const json = asJson(object)
  return schema === undefined ? arrival({ object: json }) : decodeObjectInSteps(schema, json, { share: true, ...(known && { known }) })
}

interface Form {
  readonly kinds: Kinds
  readonly apiVersion: string
  readonly kind: string
  readonly schema: Schema | undefined
}

/** By what the objects of a definition were read last: nearly all are stored in one version. */
const forms = new WeakMap<ResourceDefinition, Form>()

function schemaOf(kinds: Kinds, definition: ResourceDefinition, { apiVersion, kind }: KubeObject): Schema | undefined {
  const last = forms.get(definition)
  if (last !== undefined && last.kinds === kinds && last.apiVersion === apiVersion && last.kind === kind) return last.schema
  // By the object's own apiVersion: events of both groups are worked on as core events.
  const gv = parseApiVersion(apiVersion)
  const builtin = definition.customDefinition === undefined && gv !== undefined && kinds.has(gv.group, gv.version, kind)
  const schema = builtin ? kinds.schema(gv.group, gv.version, kind) : undefined
  forms.set(definition, { kinds, apiVersion, kind, schema })
  return schema
}
