import { goQuote } from '../../machinery/field-error.ts'
import { cloneJson, isObject, type Json, type JsonObject } from '../../machinery/object.ts'
import type { CustomDecodeOptions } from '../../machinery/resource/definition.ts'
import { type Decoded, DecodeError } from '../../machinery/schema/decode.ts'
import { coerceEmbedded, coerceMeta } from '../../machinery/structural/embedded-meta.ts'
import { fillDefaults } from '../../machinery/structural/fill-defaults.ts'
import { prune } from '../../machinery/structural/prune.ts'
import type { SchemaProps } from '../../machinery/structural/schema-props.ts'
import { builtinSchema } from '../../resources/schema.ts'

const objectMeta = builtinSchema('meta.k8s.io', 'v1', 'ObjectMeta')
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
    if (Object.hasOwn(object, 'metadata')) object.metadata = coerceMeta(object.metadata ?? null, objectMeta(), 'metadata', track)
    if (!preserve) prune(object, schema, true, track)
    const embedded: string[] = []
    coerceEmbedded(object, schema, objectMeta(), track && embedded)
    fillDefaults(object, schema, options.keepNulls === true)
    const complaints = [...new Set(options.duplicates ?? [])].map((path) => `duplicate field ${goQuote(path)}`)
    const warnings = [
      ...complaints,
      ...[...(track ?? []).sort(), ...embedded.sort()].map((path) => `unknown field ${goQuote(path)}`),
    ].slice(0, MOST_COMPLAINTS)
    if (options.fieldValidation === 'Strict' && warnings.length > 0)
      throw new DecodeError('strict', `strict decoding error: ${warnings.join(', ')}`)
    return { object, warnings }
  }
}
