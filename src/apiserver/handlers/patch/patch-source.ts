import type { Later } from '../../../base/steps.ts'
import { goQuote, invalid } from '../../../machinery/field-error.ts'
import { encodeJson, JsonSyntaxError } from '../../../machinery/json/strict-json.ts'
import type { GroupVersionKind, Json, JsonObject, KubeObject, ManagedFieldsEntry } from '../../../machinery/object.ts'
import type { ResourceVersion } from '../../../machinery/resource/definition.ts'
import type { Schema } from '../../../machinery/schema/schema.ts'
import { badRequest, invalidObject, type StatusError } from '../../../machinery/status-error.ts'
import { MOST_DEPTH } from '../../../machinery/weight.ts'
import { readJson } from '../body/body-text.ts'
import type { Call, CallDeps } from '../call.ts'
import type { FieldValidation } from '../options.ts'

/** What was sent: text, or a value of the same process. */
export type PatchBody = { readonly bytes: Buffer } | { readonly value: Json }

/** The same, the text read. */
export type PatchSource = OpenedPatch | { readonly value: Json }

interface OpenedPatch {
  readonly bytes: Buffer
  readonly read: { readonly json: Json; readonly duplicates: readonly string[] } | JsonSyntaxError
}

/** Tells the audit log what was sent. */
export function notePatch({ request: { audit } }: Call, body: PatchBody): void {
  if (audit?.keepsRequest === true) audit.patch('value' in body ? encodeJson(body.value) : body.bytes.toString())
}

/** Reads the text of a patch, giving turns to others. What is wrong with it is told later, by whoever knows how. */
export async function openPatch(body: PatchBody): Promise<PatchSource> {
  if ('value' in body) return body
  const { bytes } = body
  try {
    const { value, duplicates, depth } = await readJson(bytes, false)
    if (depth > MOST_DEPTH) return { bytes, read: new JsonSyntaxError('exceeded max depth') }
    return { bytes, read: { json: value, duplicates } }
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { bytes, read: error }
    throw error
  }
}

/** What is patched: the kind as which it is read, and who hears of what is odd. */
export interface PatchTarget {
  readonly deps: Pick<CallDeps, 'definitions' | 'kinds'>
  readonly gvk: GroupVersionKind
  readonly schema: Schema
  /** Reads custom resources instead of the schema. */
  readonly decode?: ResourceVersion['decode']
  readonly fieldValidation: FieldValidation
  /** The fields that this path writes, where those are not all: of the others the stored ones are kept, whatever the patch says. */
  readonly writes?: readonly string[] | undefined
  /** The managed fields, where they are set aside while the rest is patched: messages that show the object show them. */
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined
  warn(text: string): void
}

/** Makes the patched object, decoded, from the stored one (both in the apiVersion of the request). */
export type Patcher = (target: PatchTarget, before: JsonObject, source: PatchSource) => Later<KubeObject>

export interface ReadPatch {
  readonly json: Json
  /** What a strict reader objects to: keys that stand twice. */
  readonly strict: readonly string[]
}

/** What a patch says. `prefix` stands before the reader's words in the 400. */
export function readPatch(source: PatchSource, prefix: string): ReadPatch {
  if ('value' in source) return { json: source.value, strict: [] }
  const { read } = source
  if (read instanceof JsonSyntaxError) throw badRequest(`${prefix}${read.message}`)
  return { json: read.json, strict: read.duplicates.map((path) => `duplicate field ${goQuote(path)}`) }
}

/** 422 for a patched object that does not fit its type. `shown` is what Kubernetes shows as the bad value. */
export function badPatch(shown: string, why: string): StatusError {
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', shown, why)])
}

/** Warns of, or refuses, what a strict reader objects to. */
export function objectTo(target: PatchTarget, texts: readonly string[], shown: () => string): void {
  if (texts.length === 0 || target.fieldValidation === 'Ignore') return
  if (target.fieldValidation === 'Strict') throw badPatch(shown(), `strict decoding error: ${texts.join(', ')}`)
  for (const text of texts) target.warn(text)
}

/** Go's word for a JSON value that is no object. */
export function goWord(json: Json): string {
  if (Array.isArray(json)) return 'array'
  if (typeof json === 'boolean') return 'bool'
  return typeof json === 'bigint' ? 'number' : typeof json
}
