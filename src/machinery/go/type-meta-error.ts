import { isObject, type Json } from '../object.ts'
import { goJsonWord } from './go-json-word.ts'

const STRUCT = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
const PREFIX = "couldn't get version/kind; json parse error: json: cannot unmarshal"

/** Go's error for a body that is a `number`, an `array`, …, and so has no apiVersion and kind. */
const notAnObject = (word: string): string => `${PREFIX} ${word} into Go value of type ${STRUCT}`

/** Go's error where apiVersion and kind cannot be read; undefined where they can, or are absent. */
export function typeMetaError(json: Json): string | undefined {
  if (json === null) return undefined
  if (!isObject(json)) return notAnObject(goJsonWord(json))
  for (const field of ['apiVersion', 'kind'] as const) {
    const value = Object.hasOwn(json, field) ? json[field] : undefined
    if (value === undefined || value === null || typeof value === 'string') continue
    return `${PREFIX} ${goJsonWord(value)} into Go struct field .${field} of type string`
  }
  return undefined
}
