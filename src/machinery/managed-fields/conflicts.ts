import { byText } from '../../base/by-text.ts'
import { Pace, type Steps } from '../../base/steps.ts'
import { goQuote } from '../field-error.ts'
import { StatusError } from '../status-error.ts'
import type { Owned } from './entries.ts'
import { countPaths, type FieldSet, paths } from './field-set/field-set.ts'
import { pathText } from './field-set/path-text.ts'

/** Fields of an apply that another manager owns. */
export interface Conflict {
  readonly owner: Owned
  readonly set: FieldSet
}

/** Most characters of paths in the error; paths are as long as the object is deep. */
const MOST_TOLD = 1_000_000

/** Microseconds. */
const WORK_PER_PATH = 2

/** The 409 with every conflict and its owner. In steps. */
export function* conflictStatus(conflicts: readonly Conflict[]): Steps<StatusError> {
  const sorted = [...conflicts].sort((a, b) => byText(a.owner.id, b.owner.id))
  let count = 0
  for (const { set } of sorted) {
    yield
    count += countPaths(set)
  }
  const pace = new Pace()
  let left = MOST_TOLD
  const grouped: { who: string; fields: string[] }[] = []
  for (const { owner, set } of sorted) {
    const fields: string[] = []
    for (const path of left > 0 ? paths(set) : []) {
      if (pace.due(WORK_PER_PATH)) yield
      const text = pathText(path)
      left -= text.length
      if (left < 0) break
      fields.push(text)
    }
    grouped.push({ who: ownerText(owner), fields })
  }
  yield
  const causes = grouped.flatMap(({ who, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  )
  return new StatusError({ code: 409, reason: 'Conflict', message: messageOf(grouped, count), details: { causes } })
}

function messageOf(grouped: readonly { who: string; fields: readonly string[] }[], count: number): string {
  if (count === 1) return `Apply failed with 1 conflict: conflict with ${grouped[0]?.who}: ${grouped[0]?.fields[0]}`
  const lines = grouped.flatMap(({ who, fields }) => [`conflicts with ${who}:`, ...fields.map((field) => `- ${field}`)])
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`
}

function ownerText(owner: Owned): string {
  const subresource = owner.subresource === '' ? '' : ` with subresource ${goQuote(owner.subresource)}`
  const version = owner.operation === 'Update' ? ` using ${owner.apiVersion}` : ''
  return `${goQuote(owner.manager)}${subresource}${version}`
}
