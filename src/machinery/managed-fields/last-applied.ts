import { decodeJson, encodeJson, JsonSyntaxError } from '../json/strict-json.ts'
import { asJson, isObject, type JsonObject, type KubeObject } from '../object.ts'
import { sortedKeys } from '../sorted-keys.ts'
import type { Applied, Apply } from './apply-types.ts'
import type { Conflict } from './conflicts.ts'
import { nodeOf } from './context.ts'
import { difference, type FieldSet, isEmptySet } from './field-set/field-set.ts'
import { compareTyped } from './typed/compare.ts'
import { toFieldSet } from './typed/to-field-set.ts'
import { validateTyped } from './typed/validate-typed.ts'

const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
const maxAnnotationsBytes = 256 * 1024

/** The conflicts that remain if fields which client-side apply set, and which are unchanged since, may be taken over. */
export function lastAppliedConflicts(apply: Apply, live: KubeObject, conflicts: readonly Conflict[]): Conflict[] {
  const allowed = allowedByLastApplied(apply, live)
  return conflicts.map(({ owner, set }) => ({ owner, set: difference(set, allowed) })).filter(({ set }) => !isEmptySet(set))
}

function allowedByLastApplied(apply: Apply, live: KubeObject): FieldSet {
  const applied = readAnnotation(live)
  const node = nodeOf(apply)
  if (applied === undefined || applied.apiVersion !== apply.apiVersion || validateTyped(node, applied).length > 0) return {}
  const { added, modified, removed } = compareTyped(node, asJson(live), applied)
  return [modified, added, removed].reduce(difference, toFieldSet(node, applied))
}

function readAnnotation(live: KubeObject): JsonObject | undefined {
  const text = live.metadata.annotations?.[annotation]
  if (text === undefined || text === '') return undefined
  try {
    const { value } = decodeJson(text)
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined
    throw error
  }
}

/** Updates the annotation of client-side apply if it exists, so that a return to it loses nothing. */
export function syncLastApplied(apply: Apply, applied: Applied): Applied {
  if (apply.manager !== 'kubectl') return applied
  const { metadata } = applied.object
  if (!isObject(metadata) || !isObject(metadata.annotations) || !metadata.annotations[annotation]) return applied
  const text = `${encodeJson(sortedKeys(lastAppliedOf(apply.patch)), { html: true })}\n`
  const next: JsonObject = { ...metadata.annotations, [annotation]: text }
  if (sizeOf(next) > maxAnnotationsBytes) next[annotation] = ''
  return { ...applied, object: { ...applied.object, metadata: { ...metadata, annotations: next } } }
}

/** The configuration without its own annotation. */
function lastAppliedOf(patch: JsonObject): JsonObject {
  const { metadata } = patch
  if (!isObject(metadata) || !isObject(metadata.annotations)) return patch
  const { [annotation]: _, ...rest } = metadata.annotations
  return { ...patch, metadata: { ...metadata, annotations: rest } }
}

const sizeOf = (annotations: JsonObject): number =>
  Object.entries(annotations).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)), 0)
