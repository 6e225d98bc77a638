import { goQuote } from '../../../machinery/field-error.ts'
import { type GroupVersionKind, isObject, type Json } from '../../../machinery/object.ts'
import type { CustomDecodeOptions, ResourceVersion } from '../../../machinery/resource/definition.ts'
import { decodeObject } from '../../../machinery/schema/decode.ts'
import type { Call } from '../call.ts'
import type { BodySource, Expected } from './expected.ts'

/** The version of Go's internal types, whose fields have no JSON names. */
export const INTERNAL = '__internal'

const TYPE_META = new Set(['apiVersion', 'kind'])

/**
 * The unknown and duplicate fields of a body of another version or kind than the expected one, which Kubernetes decodes as what it names.
 */
export function otherTypeObjections(
  call: Call,
  expected: Expected,
  named: GroupVersionKind,
  json: Json,
  source: BodySource,
): readonly string[] {
  if (source.validation === 'Ignore') return []
  const { versions } = call.served.definition
  const objections = expected.custom
    ? customObjections({ ...expected, versions }, named, json, optionsOf(source))
    : ofBuiltin(call, expected, named, json, source)
  return source.strict ? [source.strict, ...objections] : objections
}

function ofBuiltin({ deps }: Call, expected: Expected, named: GroupVersionKind, json: Json, source: BodySource): readonly string[] {
  if (named.version === INTERNAL) return fieldsOf(json).map(unknown)
  const { kinds } = deps
  // A version that is not served has nearly the fields of the one that is.
  const version = [named.version, 'v1'].find((v) => kinds.has(named.group, v, named.kind))
  const schema = version === undefined ? expected.schema : kinds.schema(named.group, version, named.kind)
  return decodeObject(schema, json, optionsOf(source)).warnings
}

/** A custom kind, and its versions. */
interface CustomKind extends Pick<Expected, 'gvk' | 'decode'> {
  readonly versions: readonly ResourceVersion[]
}

/**
 * The unknown and duplicate fields of a custom object of another version or kind. Fields are checked if the kind is the expected one: by
 * the schema of the version. One that is not served has no fields.
 */
export function customObjections(
  { gvk, decode, versions }: CustomKind,
  named: GroupVersionKind,
  json: Json,
  options: CustomDecodeOptions,
): readonly string[] {
  const isKind = named.group === gvk.group && named.kind === gvk.kind
  const version = isKind ? versions.find((v) => v.version === named.version) : undefined
  if (version?.decode !== undefined) return version.decode(json, options).warnings
  const warnings = decode?.(json, options).warnings ?? []
  const duplicates = warnings.filter((text) => text.startsWith('duplicate field '))
  const ofMetadata = warnings.filter((text) => text.startsWith('unknown field "metadata.'))
  const fields = isKind ? fieldsOf(json).filter((field) => field !== 'metadata') : []
  return [...duplicates, ...[...ofMetadata, ...fields.map(unknown)].sort()]
}

const optionsOf = ({ duplicates, places, numbers }: BodySource) => ({
  fieldValidation: 'Warn' as const,
  ...(duplicates && { duplicates }),
  ...(places && { places }),
  ...(numbers && { numbers }),
})

const fieldsOf = (json: Json): readonly string[] => (isObject(json) ? Object.keys(json).filter((field) => !TYPE_META.has(field)) : [])
const unknown = (field: string) => `unknown field ${goQuote(field)}`
