import { isObject, type KubeObject } from '../../../machinery/object.ts'
import { callText } from '../../operator-trial/operator-calls.ts'
import { keyOf } from '../../operator-trial/trial-base.ts'
import type { ObjectChange, OperatorCall, SearchHistory } from '../history.ts'
import { resourceKey, resourceText } from '../run/operator-seam.ts'
import type { Recording } from '../run/record-workload.ts'
import type { FaultPlan, StaleFault } from './planned-fault.ts'

/** A write that removed or reduced something, and the state that led to it. */
interface Destruction {
  readonly call: OperatorCall
  readonly change: ObjectChange
  /** The last revision before it. */
  readonly revision: number
}

/**
 * After each step, the views that once made the operator delete, shrink or switch off something that is there again: a restart on such a
 * view may do it once more.
 */
export function planStaleViews(recording: Recording): FaultPlan {
  const { steps, history, restPoints } = recording
  const faults: StaleFault[] = []
  let points = 0
  for (const destruction of destructions(history)) {
    for (const step of steps.keys()) {
      if (step <= destruction.call.step || restPoints[step + 1] === undefined) continue
      const views = [undefined, ...changedKinds(history, destruction, step)]
      points += views.length
      if (isBack(history, step, destruction.change))
        faults.push(...views.flatMap((resource) => viewOf(recording, { destruction, step, resource })))
    }
  }
  return { faults: distinct(faults), points }
}

interface ViewPlan {
  readonly destruction: Destruction
  /** After which step it is restarted. */
  readonly step: number
  /** `GROUP/RESOURCE` of what alone is old; undefined: everything. */
  readonly resource: string | undefined
}

function viewOf({ steps, restPoints }: Recording, { destruction: { call, revision }, step, resource }: ViewPlan): StaleFault[] {
  const at = restPoints[step + 1]
  if (at === undefined) return []
  const alone = resource === undefined ? '' : ` (${resourceText(resource)} alone)`
  const what = `restarted after step ${step + 1} (${steps[step]?.name}) on the view that led to "${callText(call)}" in step ${call.step + 1}${alone}`
  const cause = `stale ${callText(call)} ${step - call.step}${alone}`
  return [
    { kind: 'stale', at, step, revision: String(revision), ...(resource !== undefined && { resources: new Set([resource]) }), what, cause },
  ]
}

/** What the operator looks at, and what has changed between a view and the end of a step: of everything else the view is not old. */
function changedKinds({ calls, changes }: SearchHistory, { revision }: Destruction, step: number): string[] {
  const looked = new Set(calls.filter(({ verb }) => verb === 'list' || verb === 'watch').map((c) => resourceKey(c.target)))
  const changed = changes.filter((c) => c.revision > revision && c.step <= step).map((c) => resourceKey(c.ref))
  return [...new Set(changed)].filter((resource) => looked.has(resource))
}

function destructions({ calls, changes }: SearchHistory): Destruction[] {
  return calls.flatMap((call) => {
    if (!call.writes || call.step < 0 || call.target.subresource === 'status') return []
    const change = changes.find((c) => isEffect(c, call) && (c.type === 'DELETED' || isBeingDeleted(c) || shrinks(c.before, c.object)))
    if (change === undefined) return []
    const earlier = changes.filter((c) => c.revision < change.revision).at(-1)
    return earlier === undefined ? [] : [{ call, change, revision: earlier.revision }]
  })
}

const isBeingDeleted = ({ object, before }: ObjectChange) =>
  object.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined

/** Whether a change is what this call did. */
function isEffect({ step, ref, object, revision, type }: ObjectChange, { target, step: of, verb, revision: of2 }: OperatorCall): boolean {
  const same = ref.resource === target.resource && ref.group === target.group && step === of
  if (!same || (verb !== 'deletecollection' && object.metadata.name !== target.name)) return false
  return verb.startsWith('delete') ? type === 'DELETED' || object.metadata.deletionTimestamp !== undefined : String(revision) === of2
}

/** Whether a number has become smaller, or a field has gone. */
function shrinks(before: Readonly<KubeObject> | undefined, object: Readonly<KubeObject>): boolean {
  if (before === undefined) return false
  const less = (a: unknown, b: unknown): boolean => {
    if (typeof a === 'number') return typeof b !== 'number' || b < a
    if (!isObject(a)) return typeof a !== typeof b
    return Object.entries(a).some(([name, value]) => less(value, isObject(b) ? b[name] : undefined))
  }
  const { metadata: _was, status: _did, ...was } = before
  const { metadata: _is, status: _does, ...is } = object
  return less(was, is)
}

/** Whether what was destroyed is there again at the end of a step. */
function isBack({ rests }: SearchHistory, step: number, { key, before, type, object }: ObjectChange): boolean {
  const now = rests.find((r) => r.step === step)?.objects.find((o) => keyOf(o) === key)
  if (now === undefined || now.metadata.deletionTimestamp !== undefined) return false
  if (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined) return now.metadata.uid !== object.metadata.uid
  return before !== undefined && !shrinks(before, now)
}

function distinct(faults: readonly StaleFault[]): StaleFault[] {
  const keyed = faults.map((f) => [`${f.step} ${f.revision} ${[...(f.resources ?? [])].join()}`, f] as const)
  return [...new Map(keyed).values()]
}
