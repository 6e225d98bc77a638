import { goQuote } from '../../machinery/field-error.ts'
import { cloneJson, isObject, type Json, type JsonObject } from '../../machinery/object.ts'
import type { CustomDecodeOptions } from '../../machinery/resource/definition.ts'
import { type Decoded, DecodeError } from '../../machinery/schema/decode.ts'
import { coerceEmbedded, coerceMeta, coerceReadable, readableMeta } from '../../machinery/structural/embedded-meta.ts'
import { fillDefaults } from '../../machinery/structural/fill-defaults.ts'
import { prune } from '../../machinery/structural/prune.ts'
import type { SchemaProps } from '../../machinery/structural/schema-props.ts'
import { builtinSchema } from '../../resources/schema.ts'

/** Go's type of metadata. */
export const objectMeta = builtinSchema('meta.k8s.io', 'v1', 'ObjectMeta')
const MOST_COMPLAINTS = 100

/** Decodes objects of a custom kind: metadata by Go's types, unknown fields dropped, defaults added. Does not change its argument. */
export function customDecoder(schema: SchemaProps, preserve: boolean): (json: Json, options: CustomDecodeOptions) => Decoded {
  return (json, options) => {
    if (!isObject(json))
      throw new DecodeError(
        'type',
        `json: cannot unmarshal ${Array.isArray(json) ? 'array' : typeof json} into Go value of type map[string]interface {}`,
      )
    const object: JsonObject = cloneJson(json)
    const unknown: string[] = []
    const track = options.fieldValidation === 'Ignore' || options.fieldValidation === undefined ? undefined : unknown
    const { appliedAs } = options
    if (Object.hasOwn(object, 'metadata')) {
      const metadata = object.metadata ?? null
      object.metadata =
        appliedAs === 'stored' ? readableMeta(metadata, objectMeta()) : coerceMeta(metadata, objectMeta(), 'metadata', track)
    }
    if (!preserve) prune(object, schema, true, appliedAs === undefined ? track : unknown)
    const embedded: string[] = []
    if (appliedAs === undefined) coerceEmbedded(object, schema, objectMeta(), track && { found: embedded })
    else coerceReadable(object, schema, objectMeta())
    fillDefaults(object, schema, appliedAs !== undefined)
    const duplicates = new Set(track && options.duplicates)
    const warnings = [
      ...[...duplicates].map((path) => `duplicate field ${goQuote(path)}`),
      ...[...(track ?? []).sort(), ...embedded.sort()].map((path) => `unknown field ${goQuote(path)}`),
    ].slice(0, MOST_COMPLAINTS)
    if (options.fieldValidation === 'Strict' && warnings.length > 0)
      throw new DecodeError('strict', `strict decoding error: ${warnings.join(', ')}`)
    return { object, warnings, pruned: unknown }
  }
}
