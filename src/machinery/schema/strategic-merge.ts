import { atOnce, Pace, type Steps } from '../../base/steps.ts'
import { clonedInSteps } from '../cloned-in-steps.ts'
import { isObject, type Json, type JsonObject, setOwn } from '../object.ts'
import { goTypeName } from './go-print.ts'
import type { Field, Schema } from './schema.ts'
import {
  badArgument,
  DELETE_FROM_LIST,
  DIRECTIVE,
  ELEMENT_ORDER,
  RETAIN_KEYS,
  StrategicMergeError,
  unknownDirective,
} from './strategic-merge-error.ts'
import { mergeSlice, orderElements, partition, sliceElementIsMap, validateElementOrder } from './strategic-merge-list.ts'

export interface StrategicMerge {
  /** The patched object; the arguments are not changed. Decode it by its schema before use. */
  readonly object: JsonObject
  /** The patch without the directives that were followed: Kubernetes shows it if the result does not decode. */
  readonly patch: JsonObject
}

/**
 * Applies a strategic merge patch: maps are merged, null deletes, lists are merged by the merge keys of the schema or replaced, and the
 * directives `$patch`, `$retainKeys`, `$deleteFromPrimitiveList` and `$setElementOrder` are followed.
 * Throws {@link StrategicMergeError}.
 */
export const strategicMerge = (schema: Schema, original: JsonObject, patch: JsonObject): StrategicMerge =>
  atOnce(strategicMergeInSteps(schema, original, patch))

/** The same in steps. */
export function* strategicMergeInSteps(schema: Schema, original: JsonObject, patch: JsonObject): Steps<StrategicMerge> {
  const pace = new Pace()
  try {
    const merged: JsonObject = {}
    for (const key of Object.keys(patch)) setOwn(merged, key, yield* clonedInSteps(patch[key] ?? null, pace))
    const own = yield* ownWhereNamed(original, patch, pace)
    return { object: yield* mergeMap(schema, own, merged, pace), patch: merged }
  } catch (error) {
    if (error instanceof RangeError) throw new StrategicMergeError('bad-request', 'exceeded max depth')
    throw error
  }
}

/** A copy of the parts that this patch changes. Others (the spec, if the status is patched) are shared and only read. */
function* ownWhereNamed(original: JsonObject, patch: JsonObject, pace: Pace): Steps<JsonObject> {
  const copy: JsonObject = { ...original }
  for (const patchKey of Object.keys(patch)) {
    const key = patchKey.startsWith('$') ? patchKey.slice(patchKey.indexOf('/') + 1) : patchKey
    if (Object.hasOwn(copy, key)) setOwn(copy, key, yield* clonedInSteps(copy[key] ?? null, pace))
  }
  return copy
}

/** Merges in place; changes `patch`, too: both are copies. */
function* mergeMap(schema: Schema, original: JsonObject, patch: JsonObject, pace: Pace): Steps<JsonObject> {
  if (Object.hasOwn(patch, DIRECTIVE)) return followDirective(patch)
  retainKeys(original, patch)
  for (const key of Object.keys(patch))
    if (key.startsWith(ELEMENT_ORDER)) yield* mergeOrdered(schema, original, patch, { directive: key, pace })
  for (const key of Object.keys(patch)) {
    if (pace.due()) yield
    yield* mergeKey(schema, original, patch, { patchKey: key, pace })
  }
  return original
}

function followDirective(patch: JsonObject): JsonObject {
  if (patch[DIRECTIVE] === 'delete') return {}
  if (patch[DIRECTIVE] !== 'replace') throw unknownDirective(patch)
  delete patch[DIRECTIVE]
  return patch
}

function* mergeKey(
  schema: Schema,
  original: JsonObject,
  patch: JsonObject,
  { patchKey, pace }: { readonly patchKey: string; readonly pace: Pace },
): Steps<void> {
  const value = patch[patchKey] ?? null
  const deletes = patchKey.startsWith(DELETE_FROM_LIST)
  const key = deletes ? directiveField(patchKey, DELETE_FROM_LIST) : patchKey
  if (value === null) {
    delete original[key]
    return
  }
  const before = Object.hasOwn(original, key) ? original[key] : undefined
  if (before === undefined || goTypeName(before) !== goTypeName(value)) {
    if (!deletes) setOrDrop(original, key, value)
  } else if (isObject(before) && isObject(value)) {
    const field = fieldOf(schema, key)
    setOwn(original, key, strategyOf(field) === 'replace' ? value : yield* mergeMap(field.schema, before, value, pace))
  } else if (Array.isArray(before) && Array.isArray(value)) {
    const field = listField(schema, key)
    setOwn(
      original,
      key,
      deletes || strategyOf(field) === 'merge' ? yield* mergeSlice(before, value, { ...elementsOf(field, pace), deletes }) : value,
    )
  } else setOwn(original, key, value)
}

function setOrDrop(original: JsonObject, key: string, value: Json) {
  discardNulls(value)
  const clean = withoutDirectives(value)
  if (clean === undefined) delete original[key]
  else setOwn(original, key, clean)
}

/** Removes the fields that the directive does not list; the patch may not set unlisted ones. */
function retainKeys(original: JsonObject, patch: JsonObject) {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return
  const list = patch[RETAIN_KEYS]
  delete patch[RETAIN_KEYS]
  if (!Array.isArray(list)) throw badRetainKeys()
  const named = new Set(list)
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(DELETE_FROM_LIST) || key.startsWith(ELEMENT_ORDER)) continue
    if (!named.has(key)) throw badRetainKeys()
  }
  for (const key of Object.keys(original)) if (!named.has(key)) delete original[key]
}

/**
 * Merges a list whose order the patch sets: `$setElementOrder` takes precedence over the order of the patch's list, and that over the
 * present one.
 */
function* mergeOrdered(
  schema: Schema,
  original: JsonObject,
  patch: JsonObject,
  { directive, pace }: { readonly directive: string; readonly pace: Pace },
): Steps<void> {
  const order = patch[directive]
  delete patch[directive]
  if (!Array.isArray(order)) throw badArgument(order)
  const key = directiveField(directive, ELEMENT_ORDER)
  const before = listAt(original, key)
  const patchList = listAt(patch, key)
  const field = listField(schema, key)
  const mergeKey = field.patchMergeKey ?? ''
  validateElementOrder(patchList ?? [], order, mergeKey)
  let merged: Json[]
  if (before === undefined && patchList === undefined) return
  if (patchList === undefined) merged = before ?? []
  else if (before === undefined) merged = patchList.map(withoutDirectives).filter((v) => v !== undefined)
  else
    merged =
      strategyOf(field) === 'merge' ? yield* mergeSlice(before, patchList, { ...elementsOf(field, pace), deletes: false }) : patchList
  const [fromPatch, fromServer] = partition(merged, order, mergeKey)
  setOwn(
    original,
    key,
    orderElements(
      { named: fromPatch, others: fromServer },
      { order, before: before ?? [] },
      { mergeKey, maps: sliceElementIsMap([before ?? [], patchList ?? []]) },
    ),
  )
  delete patch[key]
}

function listAt(object: JsonObject, key: string): Json[] | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined
  if (value === undefined || Array.isArray(value)) return value
  throw badArgument(value)
}

/** `$setElementOrder/containers` → `containers` */
function directiveField(key: string, directive: string): string {
  const slash = key.indexOf('/')
  if (slash >= 0 && key.slice(0, slash) === directive) return key.slice(slash + 1)
  throw new StrategicMergeError(
    'bad-request',
    `invalid patch format of ${directive === ELEMENT_ORDER ? 'setElementOrder' : 'primitive'} list`,
  )
}

/** A part of a patch without directives, for an object that lacks it. Changes its argument. Undefined if nothing is left. */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((v) => v !== undefined)
  if (!isObject(value)) return value
  if (Object.hasOwn(value, DIRECTIVE)) return undefined
  for (const key of Object.keys(value)) {
    const kept = withoutDirectives(value[key] ?? null)
    if (kept === undefined) delete value[key]
    else setOwn(value, key, kept)
  }
  return value
}

function discardNulls(value: Json) {
  if (Array.isArray(value)) for (const item of value) discardNulls(item)
  else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const item = value[key] ?? null
      if (item === null) delete value[key]
      else discardNulls(item)
    }
  }
}

/** The field of a struct by name; Go looks it up only if both sides have a map or a list. */
function fieldOf(schema: Schema, key: string): Field {
  if (schema.type === 'struct' || isGoStruct(schema)) {
    const field = schema.type === 'struct' ? schema.fields.get(key) : undefined
    if (field !== undefined) return field
    const name = schema.go?.split('.').at(-1) ?? ''
    throw new StrategicMergeError('failed', `unable to find api field in struct ${name} for the json field ${JSON.stringify(key)}`)
  }
  throw new StrategicMergeError('failed', `merging an object in json but data type is not struct, instead is: ${goKind(schema)}`)
}

function listField(schema: Schema, key: string): Field & { readonly items: Schema } {
  const field = fieldOf(schema, key)
  if (field.schema.type === 'list') {
    if (field.schema.items.type === 'list') throw new StrategicMergeError('failed', 'unexpected slice of slice')
    return { ...field, items: field.schema.items }
  }
  if (field.pointer === true) return { ...field, items: field.schema }
  throw new StrategicMergeError('failed', `expected slice or array type, but got: ${goKind(schema)}`)
}

const elementsOf = (field: Field & { readonly items: Schema }, pace: Pace) => ({
  pace,
  mergeKey: field.patchMergeKey ?? '',
  goKind: goKind(field.items),
  merge: (before: JsonObject, item: JsonObject) => mergeMap(field.items, before, item, pace),
})

/** Types that are opaque here but structs in Go. */
const isGoStruct = (schema: Schema) =>
  (schema.type === 'any' && schema.go !== 'interface {}') ||
  (schema.type === 'scalar' && ['time', 'microtime', 'duration', 'quantity', 'int-or-string'].includes(schema.scalar))

function goKind(schema: Schema): string {
  if (isGoStruct(schema) || schema.type === 'struct') return 'struct'
  if (schema.type === 'list') return 'slice'
  if (schema.type === 'scalar') return schema.scalar === 'bytes' ? 'slice' : schema.scalar
  return schema.type === 'any' ? 'interface' : schema.type
}

const strategyOf = (field: Field) => field.patchStrategy?.find((s) => s !== 'retainKeys')

const badRetainKeys = () => new StrategicMergeError('bad-request', 'invalid patch format of retainKeys')
