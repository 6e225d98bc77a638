import type { Pod } from '../../../resources/types/core.ts'
import { differingPaths, type State } from '../../operator-trial/state.ts'
import type { RestState, SearchHistory } from '../history.ts'
import type { Recording } from '../run/record-workload.ts'
import { desiredAfter, sameDesire } from '../work-step.ts'
import { type Compared, comparableState } from './comparable-state.ts'
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
  found.push(...returnSymptoms(judged))
  // A state that did not come back is reported already.
  return found.length > 0 ? found : freshSymptoms(judged)
}

/** The end state must be that of the last earlier rest at which the user wanted the same. */
function returnSymptoms({ recording: { steps, history }, masked, compared }: JudgedWorkload): Symptom[] {
  const desired = desiredAfter(steps)
  const last = steps.length - 1
  const [end, wanted = new Map()] = [history.rests.at(-1), desired[last]]
  const earlier = history.rests.findLast((r) => r.step >= 0 && r.step < last && sameDesire(desired[r.step] ?? new Map(), wanted))
  if (end === undefined || earlier === undefined) return []
  return stateSymptoms(AGAIN, onPath(earlier, compared), onPath(end, compared), masked)
}

/** The first step after which the state is not that of a new cluster. */
function freshSymptoms({ recording: { history }, fresh, masked, compared }: JudgedWorkload): Symptom[] {
  const last = history.rests.at(-1)?.step
  for (const [step, rest] of lastRests(history)) {
    const expected = fresh.get(step)
    if (expected === undefined || (step !== last && !(works(expected) && works(rest)))) continue
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
