import { differences, stateOf } from '../../operator-trial/state.ts'
import { callText, type ObjectChange, type OperatorCall, type SearchHistory } from '../history.ts'
import type { Symptom } from '../oracle/symptom.ts'
import { resourceKey } from '../run/operator-seam.ts'

/** The write of the operator with which it went wrong. */
export interface GuiltyMoment {
  /** `delete persistentvolumeclaims default/data-d → 200` */
  readonly wrote: string
  /**
   * What it had read until then, where that was old: `Database default/d at revision 41: .metadata.deletionTimestamp is a time, not
   * absent`.
   */
  readonly read: readonly string[]
}

/** More differences are not read. */
const MOST_DIFFERENCES = 3

/**
 * The last write about the object of a symptom, and where what the operator had read was not what was true. `before`: what changed before
 * the history begins. Undefined: no write is about it.
 */
export function guiltyMoment(
  { text }: Symptom,
  { calls, changes }: SearchHistory,
  before: readonly ObjectChange[],
): GuiltyMoment | undefined {
  const all = [...before, ...changes]
  const about = calls.filter((call) => call.writes && all.some((c) => text.startsWith(c.key) && isAbout(call, c)))
  const write = / is deleted /.test(text) ? about.findLast((call) => call.verb.startsWith('delete')) : about.at(-1)
  if (write === undefined) return undefined
  const refused = (write.code ?? 0) >= 400 && write.message ? `: ${write.message}` : ''
  return { wrote: `${callText(write)} → ${write.code ?? 'no response'}${refused}`, read: staleReads(write, all) }
}

const isAbout = ({ target }: OperatorCall, { ref, object }: ObjectChange) =>
  target.resource === ref.resource && (target.name ?? object.metadata.name) === object.metadata.name

/** Objects that were not any more as the operator had seen them. */
function staleReads({ seen = new Map(), revision }: OperatorCall, changes: readonly ObjectChange[]): string[] {
  const at = Number(revision ?? Number.POSITIVE_INFINITY)
  return [...new Set(changes.map((c) => c.key))].flatMap((key) => {
    const own = changes.filter((c) => c.key === key && c.revision < at)
    const last = own.at(-1)
    const seenAt = last && seen.get(resourceKey(last.ref))
    const known = own.findLast((c) => c.revision <= Number(seenAt))
    if (last === undefined || known === undefined || known === last) return []
    const [was, is] = [known, last].map(({ type, object }) => stateOf(type === 'DELETED' ? [] : [object], () => true))
    const differing = differences(is ?? new Map(), was ?? new Map(), new Set()).slice(0, MOST_DIFFERENCES)
    return [`${key} at revision ${seenAt}, true was revision ${last.revision}: ${differing.join('; ') || 'another object of that name'}`]
  })
}
