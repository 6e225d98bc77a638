import { differingPaths, type State } from '../../operator-trial/state.ts'
import type { RestState } from '../history.ts'
import type { Recording } from '../run/record-workload.ts'
import { desiredAfter, sameDesire } from '../work-step.ts'
import { type Compared, comparableState } from './comparable-state.ts'
import { stateSymptoms } from './end-state.ts'
import { conductSymptoms } from './judge-history.ts'
import type { Symptom } from './symptom.ts'

/** An undisturbed workload, and the same desired objects in a new cluster, in one step. */
export interface JudgedWorkload {
  readonly recording: Recording
  /** What differs between two undisturbed runs. */
  readonly masked: ReadonlySet<string>
  /** The end state of a new cluster in which only the last desired objects were ever applied; undefined: not tried. */
  readonly fresh: RestState | undefined
  readonly compared: Compared
}

const AGAIN = 'the same input leads to the same state, whatever was there between'
const FRESH = 'the path to an input leads to the state of a new cluster with that input'

/** What is wrong with a workload without any fault. */
export function workloadSymptoms({ recording, masked, fresh, compared }: JudgedWorkload): Symptom[] {
  const { history } = recording
  const state = (rest: RestState): State => comparableState(rest.objects, compared)
  const found = conductSymptoms(history)
  const last = history.rests.at(-1)
  // What the API server refused was not taken back.
  if (last === undefined || found.length > 0 || history.refusals.has(last.step)) return found
  found.push(...returnSymptoms(recording, masked, state))
  // A state that did not come back is reported already.
  if (fresh !== undefined && found.length === 0) found.push(...stateSymptoms(FRESH, onPath(state(fresh)), onPath(state(last)), masked))
  return found
}

/** The end state must be that of the last earlier rest at which the user wanted the same. */
function returnSymptoms(
  { steps, history: { rests } }: Recording,
  masked: ReadonlySet<string>,
  state: (rest: RestState) => State,
): Symptom[] {
  const desired = desiredAfter(steps)
  const last = steps.length - 1
  const [end, wanted] = [rests.at(-1), desired[last]]
  const earlier = rests.findLast((r) => r.step >= 0 && r.step < last && sameDesire(desired[r.step] ?? new Map(), wanted ?? new Map()))
  return end === undefined || earlier === undefined ? [] : stateSymptoms(AGAIN, onPath(state(earlier)), onPath(state(end)), masked)
}

/** Claims of a StatefulSet outlive its members by design. */
function onPath(state: State): State {
  return new Map([...state].filter(([path]) => !/^PersistentVolumeClaim .*-\d+: /.test(path)))
}

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
