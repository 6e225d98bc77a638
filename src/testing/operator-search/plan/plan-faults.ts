import { keyOf } from '../../operator-trial/trial-base.ts'
import type { ObjectChange, SearchHistory } from '../history.ts'
import { resourceKey } from '../run/operator-seam.ts'
import type { Recording } from '../run/record-workload.ts'
import { desiredAfter, sameDesire } from '../work-step.ts'
import { planCrashes } from './plan-crashes.ts'
import { planStaleViews } from './plan-stale-views.ts'
import type { FaultPlan, HeldFault } from './planned-fault.ts'

/** Finds the points of an undisturbed run at which a fault may matter. Of points with the same cause one is tried. */
export function planFaults(recording: Recording): FaultPlan {
  const plans = [planCrashes(recording), planStaleViews(recording), planHolds(recording)]
  return { faults: plans.flatMap((plan) => plan.faults), points: plans.reduce((sum, plan) => sum + plan.points, 0) }
}

/** Each resource that the operator watches, in each step that changes it. */
function planHolds({ steps, history, restPoints }: Recording): FaultPlan {
  const watched = new Set(history.calls.filter((c) => c.verb === 'watch').map((c) => resourceKey(c.target)))
  const desired = desiredAfter(steps)
  const faults: HeldFault[] = []
  let points = 0
  for (const [step, { name }] of steps.entries()) {
    const at = restPoints[step]
    if (at === undefined) continue
    const changed = new Set(changesOf(history.changes, step).map((c) => resourceKey(c.ref)))
    const [before = new Map(), after] = [desired[step - 1], desired[step + 1]]
    for (const resource of watched) {
      points += 2
      if (!changed.has(resource) || isRemoved(history, { step, resource, keys: (steps[step]?.remove ?? []).map(keyOf) })) continue
      faults.push({ kind: 'order', at, step, resource, what: `events of ${named(resource)} come last in step ${step + 1} (${name})` })
      if (after !== undefined && sameDesire(before, after) && !waitsForDeletion(history, step))
        faults.push({ kind: 'unobserved', at, step, resource, what: `step ${step + 1} (${name}) is never seen in ${named(resource)}` })
    }
  }
  return { faults, points }
}

/** Who has not seen a deletion makes again what the garbage collector deletes: as long as events are held back, that is no fault. */
const isRemoved = (history: SearchHistory, of: { readonly step: number; readonly resource: string; readonly keys: readonly string[] }) =>
  changesOf(history.changes, of.step).some((c) => resourceKey(c.ref) === of.resource && of.keys.includes(c.key))

/** An object with finalizers goes only when the operator has seen its deletion: nothing can be created in its place before. */
const waitsForDeletion = ({ changes }: SearchHistory, step: number) =>
  changesOf(changes, step).some((c) => c.type === 'MODIFIED' && c.object.metadata.deletionTimestamp !== undefined)

const changesOf = (changes: readonly ObjectChange[], step: number) => changes.filter((c) => c.step === step)
const named = (resource: string) => resource.replace(/^(.*)\/(.*)$/, (_, group, plural) => (group === '' ? plural : `${plural}.${group}`))
