import { createHash } from 'node:crypto'
import { equalJson } from '../../../machinery/equal.ts'
import { encodeJson } from '../../../machinery/json/strict-json.ts'
import { itemsByName, memberPath } from '../../../machinery/json/value-changes.ts'
import { isObject, type Json, type JsonObject, setOwn } from '../../../machinery/object.ts'
import type { ConflictChoice } from '../../wire/draft-page.ts'
import { type OwnerNode, stepInto, stepIntoItem } from '../object/field-owners.ts'

/** A value in the state that was edited, as it was typed, and as it is now; undefined: it is not there. */
export interface Versions {
  readonly base: unknown
  readonly mine: unknown
  readonly theirs: unknown
}

/** A field that was typed. */
export interface Edit extends Versions {
  readonly path: string
  /** Who owns it now. */
  readonly owners: readonly OwnerNode[]
}

/** A field that was typed, and set to something else by somebody else meanwhile. */
export interface Conflict extends Edit {
  /** Names the field and its values: a choice is for these values alone. */
  readonly id: string
  readonly keep: ConflictChoice['keep'] | ''
}

export interface MergedEdits {
  /** With the typed value where nothing is chosen yet. */
  readonly merged: Json
  /** What was typed, without conflicts. */
  readonly edits: readonly Edit[]
  readonly conflicts: readonly Conflict[]
}

/**
 * Merges what was typed into what others have stored since. Maps are merged by key, and lists whose items have names by name; all else is
 * one value. `owners` are the roots of the managers' sets of fields, as they are now.
 */
export function mergeEdits(versions: Versions, owners: readonly OwnerNode[], choices: readonly ConflictChoice[]): MergedEdits {
  const kept = new Map(choices.map(({ id, keep }) => [id, keep]))
  const edits: Edit[] = []
  const conflicts: Conflict[] = []
  const decide = (edit: Edit): unknown => {
    const { base, mine, theirs } = edit
    if (equalJson(theirs, base)) {
      edits.push(edit)
      return mine
    }
    const id = conflictId(edit)
    const keep = kept.get(id) ?? ''
    conflicts.push({ ...edit, id, keep })
    return keep === 'theirs' ? theirs : mine
  }
  const merged = merge({ ...versions, path: '', owners }, decide)
  return { merged: (merged ?? null) as Json, edits, conflicts }
}

function merge(at: Edit, decide: (edit: Edit) => unknown): unknown {
  const { base, mine, theirs } = at
  if (equalJson(mine, base) || equalJson(mine, theirs)) return theirs
  if (isObject(mine) && isObject(theirs)) return mergeObjects(at, { base: isObject(base) ? base : {}, mine, theirs }, decide)
  if (Array.isArray(mine) && Array.isArray(theirs) && Array.isArray(base)) {
    const [old, typed, present] = [itemsByName(base), itemsByName(mine), itemsByName(theirs)]
    if (old !== undefined && typed !== undefined && present !== undefined) return mergeItems(at, [old, typed, present], decide)
  }
  return decide(at)
}

interface ObjectVersions extends Versions {
  readonly base: JsonObject
  readonly mine: JsonObject
  readonly theirs: JsonObject
}

function mergeObjects({ path, owners }: Edit, { base, mine, theirs }: ObjectVersions, decide: (edit: Edit) => unknown): JsonObject {
  const merged: JsonObject = {}
  const own = (of: JsonObject, key: string) => (Object.hasOwn(of, key) ? of[key] : undefined)
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const versions = { base: own(base, key), mine: own(mine, key), theirs: own(theirs, key) }
    const value = merge({ ...versions, path: memberPath(path, key, false), owners: stepInto(owners, key) }, decide)
    if (value !== undefined) setOwn(merged, key, value)
  }
  return merged
}

type Items = ReadonlyMap<string, unknown>

/** In the order that was typed, if it was changed; what only the others have comes last. */
function mergeItems(
  { path, owners }: Edit,
  [base, mine, theirs]: readonly [Items, Items, Items],
  decide: (edit: Edit) => unknown,
): unknown[] {
  const isReordered = !equalJson([...base.keys()], [...mine.keys()])
  const names = isReordered ? [...mine.keys(), ...theirs.keys()] : [...theirs.keys(), ...mine.keys()]
  const merged: unknown[] = []
  for (const name of new Set(names)) {
    const versions = { base: base.get(name), mine: mine.get(name), theirs: theirs.get(name) }
    const item = (versions.theirs ?? versions.mine) as Json
    const value = merge({ ...versions, path: memberPath(path, name, true), owners: stepIntoItem(owners, item) }, decide)
    if (value !== undefined) merged.push(value)
  }
  return merged
}

const conflictId = ({ path, mine, theirs }: Edit): string =>
  createHash('sha256')
    .update([path, encodeJson(mine ?? null), encodeJson(theirs ?? null)].join('\0'))
    .digest('base64url')
    .slice(0, 16)
