import { arrival, type Steps } from '../../base/steps.ts'
import { asJson, type JsonObject, type KubeObject, parseApiVersion } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { type Decoded, decodeObject, decodeObjectInSteps } from '../../machinery/schema/decode.ts'
import type { Schema } from '../../machinery/schema/schema.ts'
import { sortedKeysInSteps } from '../../machinery/sorted-keys.ts'
import type { Kinds } from '../kinds.ts'

interface Checked {
  readonly object: KubeObject
  /** Its parts that are correct. */
  readonly known?: ReadonlySet<unknown> | undefined
  /** It is so large that it is decoded in steps. */
  readonly heavy?: boolean
}

/**
 * The object as Kubernetes would encode it, after defaults, rules and admission: required fields are present (`lastProbeTime: null`), empty
 * optional ones are absent, all in Go's order. Heavy custom objects get sorted keys here, light ones when they are encoded. The argument is
 * not changed, but its correct parts are shared with the result.
 */
export function normalForm(
  kinds: Kinds,
  definition: ResourceDefinition,
  { object, known, heavy }: Checked,
): Steps<Pick<Decoded, 'object'>> {
  const schema = schemaOf(kinds, definition, object)
  // An object is JSON, and decoding one yields an object.
  const json = asJson(object)
  if (schema === undefined) return heavy === true ? sortedForm(json) : arrival({ object: json })
  const options = { share: true, ...(known && { known }) }
  return heavy === true ? decodeObjectInSteps(schema, json, options) : arrival(decodeObject(schema, json, options))
}

function* sortedForm(object: JsonObject): Steps<Pick<Decoded, 'object'>> {
  return { object: (yield* sortedKeysInSteps(object)) as JsonObject }
}

interface Form {
  readonly kinds: Kinds
  readonly apiVersion: string
  readonly kind: string
  readonly schema: Schema | undefined
}

/** The form by which objects of a definition were normalized last: nearly all are stored in one version. */
const forms = new WeakMap<ResourceDefinition, Form>()

function schemaOf(kinds: Kinds, definition: ResourceDefinition, { apiVersion, kind }: KubeObject): Schema | undefined {
  const last = forms.get(definition)
  if (last !== undefined && last.kinds === kinds && last.apiVersion === apiVersion && last.kind === kind) return last.schema
  // By the object's own apiVersion: events of both groups have core events as their working version.
  const gv = parseApiVersion(apiVersion)
  const builtin = definition.customDefinition === undefined && gv !== undefined && kinds.has(gv.group, gv.version, kind)
  const schema = builtin ? kinds.schema(gv.group, gv.version, kind) : undefined
  forms.set(definition, { kinds, apiVersion, kind, schema })
  return schema
}
