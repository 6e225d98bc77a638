import { equalJson } from '../../../machinery/equal.ts'
import { encodeJson } from '../../../machinery/json/strict-json.ts'
import { valueChanges } from '../../../machinery/json/value-changes.ts'
import { asKubeObject, type Json, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { encodeYaml } from '../../../machinery/yaml/yaml.ts'
import { unifiedDiff } from '../../../resources/unified-diff.ts'
import type { Client, WriteOptions } from '../../../sdk/client/client.ts'
import type { Draft, DraftCheck, DraftField } from '../../wire/draft-page.ts'
import type { KindEntry } from '../../wire/overview.ts'
import { shownText } from '../../wire/shown-text.ts'
import { fieldOwners, ownersOf } from '../object/field-owners.ts'
import { editedObject } from '../object/shown-object.ts'
import { faultsOf, readText } from './draft-faults.ts'
import { type Conflict, type Edit, type MergedEdits, mergeEdits } from './merge-edits.ts'

/** The manager of fields that are set in the editor. */
export const EDITOR = 'bowsprit-page'

const MAX_FIELDS = 200
const MAX_VALUE = 300
const MAX_DIFF = 200_000

/** What is edited: the object as it is now. */
export interface Edited {
  readonly kind: KindEntry
  readonly object: Readonly<KubeObject>
}

/** The text of an object for the editor. */
export const draftText = ({ object, kind }: Edited): string => encodeYaml(editedObject(object, kind))

/** Merges a draft into the object as it is now, and asks the server by a dry run what would be stored. */
export async function checkDraft(client: Client, draft: Draft, edited: Edited, signal: AbortSignal): Promise<DraftCheck> {
  const nothing = { serial: draft.serial, faults: [], fields: [], conflicts: [], added: [], diff: '', merged: '' }
  const typed = readText(draft.text)
  if (typed.kind === 'faulty') return { ...nothing, faults: typed.faults }
  const merge = mergeDraft(draft, typed.object, edited)
  const check = { ...nothing, ...mergedFields(merge, typed.object, edited) }
  try {
    const stored = await putDraft(client, merge.merged, edited, { dryRun: true, signal })
    const now = editedObject(edited.object, edited.kind)
    return { ...check, ...outcome(now, merge.merged, editedObject(stored, edited.kind)) }
  } catch (error) {
    signal.throwIfAborted()
    return { ...check, faults: faultsOf(error, draft.text) }
  }
}

export function mergeDraft(draft: Pick<Draft, 'base' | 'choices'>, mine: JsonObject, { object, kind }: Edited): MergedEdits {
  const base = readText(draft.base)
  const theirs = editedObject(object, kind)
  return mergeEdits({ base: base.kind === 'object' ? base.object : {}, mine, theirs }, fieldOwners(object).roots, draft.choices)
}

/** Replaces the object, if it still is in the state that was merged with: a second write of the same is refused by the server. */
export function putDraft(client: Client, merged: Json, { object, kind }: Edited, options: WriteOptions): Promise<Readonly<KubeObject>> {
  const { group, version, resource } = kind
  const { namespace = '', name = '', resourceVersion = '' } = object.metadata
  const target = { group, version, resource, name, ...(namespace !== '' && { namespace }) }
  const wanted = asKubeObject(merged)
  const sent = { ...wanted, metadata: { ...wanted.metadata, resourceVersion } }
  return client.update(target, sent, { ...options, fieldManager: EDITOR, fieldValidation: 'Strict' })
}

function mergedFields({ merged, edits, conflicts }: MergedEdits, typed: JsonObject, { object }: Edited) {
  const { managers } = fieldOwners(object)
  const othersOf = ({ owners }: Edit) =>
    ownersOf(owners).flatMap((index) => {
      const { manager = '', operation = '' } = managers[index] ?? {}
      return manager === EDITOR ? [] : [`${manager} (${operation})`]
    })
  const fieldOf = (edit: Edit): DraftField => ({ path: shownText(edit.path), value: valueText(edit.mine), owners: othersOf(edit) })
  const conflictOf = (conflict: Conflict) => ({
    ...fieldOf(conflict),
    id: conflict.id,
    keep: conflict.keep,
    theirs: valueText(conflict.theirs),
  })
  return {
    fields: edits.slice(0, MAX_FIELDS).map(fieldOf),
    conflicts: conflicts.slice(0, MAX_FIELDS).map(conflictOf),
    merged: equalJson(merged, typed) ? '' : encodeYaml(merged),
  }
}

/** What the server makes of an object. */
function outcome(now: JsonObject, sent: Json, stored: JsonObject): Pick<DraftCheck, 'diff' | 'added'> {
  const [before, after] = [now, stored].map((object) => encodeYaml(object).trimEnd().split('\n'))
  const { changes } = valueChanges(sent, stored, { most: MAX_FIELDS, mostText: MAX_VALUE })
  return {
    diff: unifiedDiff(before ?? [], after ?? []).slice(0, MAX_DIFF),
    added: changes.map(({ path, to = '' }) => ({ path: shownText(path), value: shownText(to), owners: [] })),
  }
}

const valueText = (value: unknown): string => (value === undefined ? '' : shownText(encodeJson(value), MAX_VALUE))
