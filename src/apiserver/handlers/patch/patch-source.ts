import { type Later, type Steps, soonOrInTurns } from '../../../base/steps.ts'
import { goQuote, invalid } from '../../../machinery/field-error.ts'
import type { NumberTexts } from '../../../machinery/json/json-parser.ts'
import { encodeJson, JsonSyntaxError } from '../../../machinery/json/strict-json.ts'
import type { GroupVersionKind, Json, JsonObject, KubeObject, ManagedFieldsEntry } from '../../../machinery/object.ts'
import type { ResourceVersion } from '../../../machinery/resource/definition.ts'
import type { Schema } from '../../../machinery/schema/schema.ts'
import { badRequest, invalidObject, type StatusError } from '../../../machinery/status-error.ts'
import { MOST_DEPTH } from '../../../machinery/weight.ts'
import { readJson } from '../body/body-text.ts'
import type { Call, CallDeps } from '../call.ts'
import type { FieldValidation } from '../options.ts'

/** The body of a patch: text, or a value of the same process. */
export type PatchBody = { readonly bytes: Buffer } | { readonly value: Json }

/** The body with its text parsed. */
export type PatchSource = OpenedPatch | { readonly value: Json }

interface OpenedPatch {
  readonly bytes: Buffer
  readonly read: { readonly json: Json; readonly duplicates: readonly string[]; readonly numbers: NumberTexts } | JsonSyntaxError
}

/** Records the patch in the audit log. */
export function notePatch({ request: { audit } }: Call, body: PatchBody): void {
  if (audit?.keepsRequest === true) audit.patch('value' in body ? encodeJson(body.value) : body.bytes.toString())
}

/** Parses the text of a patch, yielding to other requests. The patcher reports syntax errors. */
export async function openPatch(body: PatchBody): Promise<PatchSource> {
  if ('value' in body) return body
  const { bytes } = body
  try {
    const { value, duplicates, numbers, depth } = await readJson(bytes)
    if (depth > MOST_DEPTH) return { bytes, read: new JsonSyntaxError('exceeded max depth') }
    return { bytes, read: { json: value, duplicates, numbers } }
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { bytes, read: error }
    throw error
  }
}

/** The target of a patch: its kind, and where warnings go. */
export interface PatchTarget {
  readonly deps: Pick<CallDeps, 'definitions' | 'kinds'>
  readonly gvk: GroupVersionKind
  readonly schema: Schema
  /** Decodes custom resources instead of the schema. */
  readonly decode?: ResourceVersion['decode']
  readonly fieldValidation: FieldValidation
  /** The top-level fields that this path writes, if not all: the others keep their stored values, whatever the patch contains. */
  readonly writes?: readonly string[] | undefined
  /** The managed fields, if they are set aside during the patch: messages that show the object include them. */
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined
  warn(text: string): void
}

/** Makes the patched object, decoded, from the stored one (both in the apiVersion of the request). */
export type Patcher = (target: PatchTarget, before: JsonObject, source: PatchSource) => Steps<KubeObject>

/** Makes the patched object: with turns for others, if that is more than a turn's work. */
export const patched = (patcher: Patcher, target: PatchTarget, before: JsonObject, source: PatchSource): Later<KubeObject> =>
  soonOrInTurns(patcher(target, before, source))

/** The parsed patch; undefined if its text is broken. */
export function jsonOf(source: PatchSource): Json | undefined {
  if ('value' in source) return source.value
  return 'json' in source.read ? source.read.json : undefined
}

export interface ReadPatch {
  readonly json: Json
  /** Numbers that are to be marked where the text of an object is patched. */
  readonly numbers: NumberTexts
  /** Errors of strict decoding: duplicate keys. */
  readonly strict: readonly string[]
}

/** Parses a patch. `prefix` precedes the parser's message in the 400, which `messageOf` may change. */
export function readPatch(source: PatchSource, prefix: string, messageOf = ({ message }: JsonSyntaxError): string => message): ReadPatch {
  if ('value' in source) return { json: source.value, numbers: new Map(), strict: [] }
  const { read } = source
  if (read instanceof JsonSyntaxError) throw badRequest(`${prefix}${messageOf(read)}`)
  return { json: read.json, numbers: read.numbers, strict: read.duplicates.map((path) => `duplicate field ${goQuote(path)}`) }
}

/** 422 for a patched object that does not fit its type. `shown` is the bad value in Kubernetes' message. */
export function badPatch(shown: string, why: string): StatusError {
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', shown, why)])
}

/** Warns of strict decoding errors, or rejects the request. */
export function objectTo(target: PatchTarget, texts: readonly string[], shown: () => string): void {
  if (texts.length === 0 || target.fieldValidation === 'Ignore') return
  if (target.fieldValidation === 'Strict') throw badPatch(shown(), `strict decoding error: ${texts.join(', ')}`)
  for (const text of texts) target.warn(text)
}
