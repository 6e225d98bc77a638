import { memberPath } from '../../../machinery/json/value-changes.ts'
import type { FieldHistory, ObjectRevision } from '../../../resources/bowsprit/field-history.ts'
import type { HistoryEntry } from '../../wire/object-page.ts'
import { shownText } from '../../wire/shown-text.ts'

/** The latest change of each path: its index in the history, where 0 is the latest. */
export type SetBy = ReadonlyMap<string, number>

export const NO_CHANGES: SetBy = new Map()

/** A field while an object is walked, and the latest change that set it, or all that it is part of; -1: none is known. */
export interface ChangePosition {
  readonly path: string
  readonly setBy: SetBy
  readonly latest: number
}

export function changeOfMember({ path, setBy, latest }: ChangePosition, key: string, isList: boolean): ChangePosition {
  const member = memberPath(path, key, isList)
  const own = setBy.get(member)
  return { path: member, setBy, latest: own === undefined ? latest : latest < 0 ? own : Math.min(own, latest) }
}

/** Which change of a history set a path last. */
export function setByOf({ changes }: Pick<FieldHistory, 'changes'>): SetBy {
  const setBy = new Map<string, number>()
  for (const [i, { fields = [] }] of changes.entries()) for (const { path } of fields) if (!setBy.has(path)) setBy.set(path, i)
  return setBy
}

/** A change as the page shows it. */
export function historyEntry(revision: ObjectRevision): HistoryEntry {
  const { change, requestTrail = '', time = '', user = '', verb = '', subresource = '', fieldManager = '', fields = [] } = revision
  return {
    revision: revision.revision,
    change,
    request: requestTrail,
    timeMs: Date.parse(time) || 0,
    user: shownText(user, 200),
    verb: subresource === '' ? verb : `${verb} ${subresource}`,
    manager: shownText(fieldManager, 200),
    fields: fields.map(({ path, from = '', to = '' }) => ({ path: shownText(path, 500), from: shownText(from), to: shownText(to) })),
    unlisted: revision.unlisted ?? 0,
  }
}
