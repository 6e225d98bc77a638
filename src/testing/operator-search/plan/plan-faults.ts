import { callText } from '../../operator-trial/operator-calls.ts'
import { keyOf } from '../../operator-trial/trial-base.ts'
import type { ObjectChange, SearchHistory } from '../history.ts'
import { resourceKey, resourceText } from '../run/operator-seam.ts'
import type { Recording } from '../run/record-workload.ts'
import { desiredAfter, sameDesire } from '../work-step.ts'
import { planCrashes } from './plan-crashes.ts'
import { planStaleViews } from './plan-stale-views.ts'
import { planWriteFaults } from './plan-write-faults.ts'
import type { FaultPlan, HeldFault } from './planned-fault.ts'

/** Finds the points of an undisturbed run at which a fault may matter. Of points with the same cause one is tried. */
export function planFaults(recording: Recording): FaultPlan {
  const plans = [planCrashes(recording), planStaleViews(recording), planHolds(recording), planWriteFaults(recording)]
  return { faults: plans.flatMap((plan) => plan.faults), points: plans.reduce((sum, plan) => sum + plan.points, 0) }
}

/** In a step, the events of a resource may be held back from its beginning, from the operator's own write on, or until the next step. */
const HOLDS_OF_A_STEP = 3

/** Each resource that the operator watches, in each step that changes it. */
function planHolds(recording: Recording): FaultPlan {
  const { steps, history } = recording
  const watched = new Set(history.calls.filter((c) => c.verb === 'watch').map((c) => resourceKey(c.target)))
  const faults = [...steps.keys()].flatMap((step) => {
    const changed = new Set(changesOf(history.changes, step).map((c) => resourceKey(c.ref)))
    return [...watched].filter((resource) => changed.has(resource)).flatMap((resource) => holdsOf(recording, step, resource))
  })
  return { faults, points: steps.length * watched.size * HOLDS_OF_A_STEP }
}

function holdsOf({ steps, history, restPoints }: Recording, step: number, resource: string): HeldFault[] {
  const [at, name] = [restPoints[step], steps[step]?.name ?? '']
  if (at === undefined) return []
  const keys = (steps[step]?.remove ?? []).map(keyOf)
  const removed = changesOf(history.changes, step).some((c) => resourceKey(c.ref) === resource && keys.includes(c.key))
  const fault = (kind: HeldFault['kind'], what: string, fromWrite = false): HeldFault => {
    const cause = `${kind}${fromWrite ? ' after a write' : ''} ${resource} ${writesOf(history, step)} / ${writesOf(history, step + 1)}`
    return { kind, at, step, resource, what, cause, ...(removed && { atOnce: true }), ...(fromWrite && { fromWrite }) }
  }
  const lags = writesSample({ steps, history }, step, resource)
  const desired = desiredAfter(steps)
  const [before = new Map(), after] = [desired[step - 1], desired[step + 1]]
  const undone = after !== undefined && sameDesire(before, after) && !waitsForDeletion(history, step, keys)
  return [
    // Who has not seen a deletion makes again what the garbage collector deletes, as long as events are held back: that is no fault.
    ...(removed ? [] : [fault('order', `events of ${resourceText(resource)} come last in step ${step + 1} (${name})`)]),
    ...(lags ? [fault('order', `events of ${resourceText(resource)} lag behind its own write in step ${step + 1} (${name})`, true)] : []),
    ...(undone ? [fault('unobserved', `step ${step + 1} (${name}) is never seen in ${resourceText(resource)}`)] : []),
  ]
}

/** Whether the operator writes what the user changes in a step. Of other kinds nothing happens before its own write. */
function writesSample({ steps, history }: Pick<Recording, 'steps' | 'history'>, step: number, resource: string): boolean {
  const { apply = [], remove = [] } = steps[step] ?? {}
  const keys = new Set([...apply, ...remove].map(keyOf))
  const isSample = changesOf(history.changes, step).some((c) => resourceKey(c.ref) === resource && keys.has(c.key))
  return isSample && history.calls.some((c) => c.writes && c.step === step && resourceKey(c.target) === resource)
}

const writesOf = ({ calls }: SearchHistory, step: number) =>
  calls
    .filter((c) => c.writes && c.step === step)
    .map(callText)
    .join(', ')

/** An object with finalizers goes only when the operator has seen its deletion: nothing can be created in its place before. */
const waitsForDeletion = ({ changes }: SearchHistory, step: number, keys: readonly string[]) =>
  changesOf(changes, step).some((c) => keys.includes(c.key) && c.type === 'MODIFIED' && c.object.metadata.deletionTimestamp !== undefined)

const changesOf = (changes: readonly ObjectChange[], step: number) => changes.filter((c) => c.step === step)
