import type { Pod } from '../../../resources/types/core.ts'
import { differingPaths, type State } from '../../operator-trial/state.ts'
import { keyOf } from '../../operator-trial/trial-base.ts'
import type { RestState, SearchHistory } from '../history.ts'
import type { Recording } from '../run/record-workload.ts'
import { desiredAfter, removes, sameDesire, type WorkStep } from '../work-step.ts'
import { type Compared, comparableState } from './comparable-state.ts'
import { touchedLives } from './count-lives.ts'
import { stateSymptoms } from './end-state.ts'
import { conductSymptoms } from './judge-history.ts'
import type { Symptom } from './symptom.ts'

/** An undisturbed workload, and what it is compared with. */
export interface JudgedWorkload {
  readonly recording: Recording
  /** What differs between two undisturbed runs. */
  readonly masked: ReadonlySet<string>
  /** By step, the end state of a new cluster in which only the objects that are desired after it were ever applied. */
  readonly fresh: ReadonlyMap<number, RestState>
  readonly compared: Compared
}

const AGAIN = 'the same input leads to the same state, whatever was there between'
const FRESH = 'the path to an input leads to the state of a new cluster with that input'

/** What is wrong with a workload without any fault. */
export function workloadSymptoms(judged: JudgedWorkload): Symptom[] {
  const { history, steps } = judged.recording
  const found = conductSymptoms(history, steps)
  const last = history.rests.at(-1)
  // What the API server refused was not taken back.
  if (last === undefined || found.length > 0 || history.refusals.has(last.step)) return found
  found.push(...apartSymptoms(judged.recording), ...returnSymptoms(judged))
  // A state that did not come back is reported already.
  return found.length > 0 ? found : freshSymptoms(judged)
}

/** Steps about other objects must not delete what was made in the first one. */
function apartSymptoms({ steps, history: { changes } }: Recording): Symptom[] {
  const first = new Set((steps[0]?.apply ?? []).map(keyOf))
  const isApart = ({ apply = [], remove = [] }: WorkStep) => [...apply, ...remove].every((object) => !first.has(keyOf(object)))
  const apart = new Set([...steps.keys()].filter((i) => i > 0 && steps.slice(1, i + 1).every(isApart)))
  const [before, during] = [changes.filter((c) => c.step <= 0), changes.filter((c) => apart.has(c.step))]
  return touchedLives(before, during)
}

/** The end state must be that of the last earlier rest at which the user wanted the same. */
function returnSymptoms({ recording: { steps, history }, masked, compared }: JudgedWorkload): Symptom[] {
  const desired = desiredAfter(steps)
  const last = steps.length - 1
  const [end, wanted = new Map()] = [history.rests.at(-1), desired[last]]
  const earlier = history.rests.findLast((r) => r.step >= 0 && r.step < last && sameDesire(desired[r.step] ?? new Map(), wanted))
  if (end === undefined || earlier === undefined) return []
  const found = removes(steps[last]) ? ofThose(end, earlier) : end
  return stateSymptoms(AGAIN, onPath(earlier, compared), onPath(found, compared), masked)
}

/** What is left of the objects of an earlier rest: something may outlive an object that was deleted. */
function ofThose(rest: RestState, { objects }: RestState): RestState {
  const keys = new Set(objects.map(keyOf))
  return { ...rest, objects: rest.objects.filter((object) => keys.has(keyOf(object))) }
}

/** The first step after which the state is not that of a new cluster. */
function freshSymptoms({ recording: { steps, history }, fresh, masked, compared }: JudgedWorkload): Symptom[] {
  const last = history.rests.at(-1)?.step
  for (const [step, rest] of lastRests(history)) {
    const expected = fresh.get(step)
    if (expected === undefined || removes(steps[step]) || (step !== last && !(works(expected) && works(rest)))) continue
    const symptoms = stateSymptoms(FRESH, onPath(expected, compared), onPath(rest, compared), masked)
    if (symptoms.length > 0) return symptoms
  }
  return []
}

/** Whether the cluster could do what the operator wants: an input that cannot work may well leave what is there. */
const works = ({ objects, failing, restless }: RestState) =>
  failing === undefined && restless === undefined && objects.every((o) => o.kind !== 'Pod' || hasStarted(o as Readonly<Pod>))

const hasStarted = ({ status }: Readonly<Pod>) => status?.phase === 'Running' || status?.phase === 'Succeeded'

/** Claims of a StatefulSet outlive its members by design. */
function onPath({ objects }: RestState, compared: Compared): State {
  const state = comparableState(objects, compared)
  return new Map([...state].filter(([path]) => !/^PersistentVolumeClaim .*-\d+: /.test(path)))
}

/** The last rest of each step, in order; that before the first step is of step -1. */
export const lastRests = ({ rests }: SearchHistory): ReadonlyMap<number, RestState> => new Map(rests.map((rest) => [rest.step, rest]))

/** What chance decides: paths that differ between two undisturbed runs. */
export function chanceOf(a: Recording, b: Recording, compared: Compared): ReadonlySet<string> {
  const masked = new Set<string>()
  for (const [i, rest] of a.history.rests.entries()) {
    const other = b.history.rests[i]
    if (other === undefined) continue
    for (const path of differingPaths(comparableState(rest.objects, compared), comparableState(other.objects, compared))) masked.add(path)
  }
  return masked
}
