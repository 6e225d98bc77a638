import { goQuote } from '../../../machinery/field-error.ts'
import { type GroupVersionKind, isObject, type Json } from '../../../machinery/object.ts'
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
  const objections = expected.custom ? ofCustom(call, expected, named, json, source) : ofBuiltin(call, expected, named, json, source)
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

/** Fields are checked if the kind is the expected one: by the schema of the version. One that is not served has no fields. */
function ofCustom({ served }: Call, { gvk, decode }: Expected, named: GroupVersionKind, json: Json, source: BodySource): readonly string[] {
  const isKind = named.group === gvk.group && named.kind === gvk.kind
  const version = isKind ? served.definition.versions.find((v) => v.version === named.version) : undefined
  if (version?.decode !== undefined) return version.decode(json, optionsOf(source)).warnings
  const warnings = decode?.(json, optionsOf(source)).warnings ?? []
  const duplicates = warnings.filter((text) => text.startsWith('duplicate field '))
  const ofMetadata = warnings.filter((text) => text.startsWith('unknown field "metadata.'))
  return [
    ...duplicates,
    ...[
      ...ofMetadata,
      ...(isKind
        ? fieldsOf(json)
            .filter((f) => f !== 'metadata')
            .map(unknown)
        : []),
    ].sort(),
  ]
}

const optionsOf = ({ duplicates, places, numbers }: BodySource) => ({
  fieldValidation: 'Warn' as const,
  ...(duplicates && { duplicates }),
  ...(places && { places }),
  ...(numbers && { numbers }),
})

const fieldsOf = (json: Json): readonly string[] => (isObject(json) ? Object.keys(json).filter((field) => !TYPE_META.has(field)) : [])
const unknown = (field: string) => `unknown field ${goQuote(field)}`
