import { callText } from '../../operator-trial/operator-calls.ts'
import { differences, stateOf } from '../../operator-trial/state.ts'
import type { ObjectChange, OperatorCall } from '../history.ts'
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

/** The write with which it went wrong, of an object that changed so; undefined: no write is about it, it went wrong by not writing. */
export function guiltyWrite({ text }: Symptom, calls: readonly OperatorCall[], changes: readonly ObjectChange[]): OperatorCall | undefined {
  const own = changes.filter((change) => text.startsWith(change.key))
  const about = calls.filter((call) => call.writes && own.some((change) => isAbout(call, change)))
  const removed = about.findLast((call) => call.verb.startsWith('delete'))
  if (/ is deleted /.test(text)) return removed
  if (text.endsWith(' is missing')) return removed ?? about.at(-1)
  const added = new Set(own.filter(({ type }) => type === 'ADDED').map(({ revision }) => String(revision)))
  const made = text.endsWith(' is left over') ? about.findLast(({ revision = '' }) => added.has(revision)) : undefined
  return made ?? about.at(-1)
}

/** What was written, and where what the operator had read was not what was true. */
export function guiltyMoment(write: OperatorCall, changes: readonly ObjectChange[]): GuiltyMoment {
  const refused = (write.code ?? 0) >= 400 && write.message ? `: ${write.message}` : ''
  return { wrote: `${callText(write)} → ${write.code ?? 'no response'}${refused}`, read: staleReads(write, changes) }
}

const isAbout = ({ verb, target, revision }: OperatorCall, { ref, object: { metadata }, revision: changed }: ObjectChange) => {
  if (resourceKey(target) !== resourceKey(ref) || (target.namespace ?? metadata.namespace) !== metadata.namespace) return false
  // A request that creates an object, or deletes several, does not name it.
  if (target.name !== undefined) return target.name === metadata.name
  return verb === 'deletecollection' || revision === String(changed)
}

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
