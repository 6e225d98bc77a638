import { goQuote, invalid } from '../../../machinery/field-error.ts'
import type { Json, JsonObject, KubeObject } from '../../../machinery/object.ts'
import { badRequest, invalidObject, type StatusError } from '../../../machinery/status-error.ts'
import { decodeJson, JsonSyntaxError } from '../../../machinery/strict-json.ts'
import type { Call } from '../call.ts'
import type { WriteOptions } from '../request/options.ts'

/** What was sent: text, or a value of the same process. */
export type PatchSource = { readonly bytes: Buffer } | { readonly value: Json }

/** Makes the patched object, decoded, from the stored one (both in the apiVersion of the request). */
export type Patcher = (call: Call, before: JsonObject, source: PatchSource, options: WriteOptions) => KubeObject

export interface ReadPatch {
  readonly json: Json
  /** What a strict reader objects to: keys that stand twice. */
  readonly strict: readonly string[]
}

/** Reads the text of a patch. `prefix` stands before the reader's words in the 400. */
export function readPatch(source: PatchSource, prefix: string): ReadPatch {
  if ('value' in source) return { json: source.value, strict: [] }
  try {
    const { value, duplicates } = decodeJson(source.bytes)
    return { json: value, strict: duplicates.map((path) => `duplicate field ${goQuote(path)}`) }
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw badRequest(`${prefix}${error.message}`)
    throw error
  }
}

/** 422 for a patched object that does not fit its type. `shown` is what Kubernetes shows as the bad value. */
export function badPatch(shown: string, why: string): StatusError {
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', shown, why)])
}

/** Warns of, or refuses, what a strict reader objects to. */
export function objectTo(call: Call, options: WriteOptions, texts: readonly string[], shown: () => string): void {
  if (texts.length === 0 || options.fieldValidation === 'Ignore') return
  if (options.fieldValidation === 'Strict') throw badPatch(shown(), `strict decoding error: ${texts.join(', ')}`)
  for (const text of texts) call.warn(text)
}

/** Go's word for a JSON value that is no object. */
export function goWord(json: Json): string {
  if (Array.isArray(json)) return 'array'
  if (typeof json === 'boolean') return 'bool'
  return typeof json === 'bigint' ? 'number' : typeof json
}
