import type { SearchHistory } from '../history.ts'
import type { PlannedFault } from '../plan/planned-fault.ts'
import { comparableState } from './comparable-state.ts'
import { lifeSymptoms } from './count-lives.ts'
import { stateSymptoms } from './end-state.ts'
import { conductSymptoms } from './judge-history.ts'
import type { JudgedWorkload } from './judge-workload.ts'
import { byHarm, type Symptom } from './symptom.ts'

/** What a fault changed that it must not change. */
export function faultSymptoms({ recording, masked, compared }: JudgedWorkload, fault: PlannedFault, found: SearchHistory): Symptom[] {
  const { rests, changes } = recording.history
  const conduct = conductSymptoms(found)
  const [expected, end] = [rests.at(-1), found.rests.at(-1)]
  if (expected === undefined || end === undefined || conduct.length > 0) return conduct
  const rule = 'a fault does not change the end state'
  const state = stateSymptoms(rule, comparableState(expected.objects, compared), comparableState(end.objects, compared), masked)
  return [...state, ...lifeSymptoms(changes.slice(fault.at.changes), found.changes)].sort(byHarm)
}
