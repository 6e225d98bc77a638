import type { SearchHistory } from '../history.ts'
import type { Symptom } from '../oracle/symptom.ts'
import type { TriedFault } from '../run/try-fault.ts'
import { planReleases } from './plan-releases.ts'
import { planSecondCrashes } from './plan-second-crashes.ts'
import type { PlannedFault } from './planned-fault.ts'

/** What came of a fault. */
export interface FaultResult {
  readonly tried: TriedFault
  readonly symptoms: readonly Symptom[]
}

/** Faults at points that were not reached before this one was tried. What is wrong after one crash need not be tried with two. */
export function planFollowing(fault: PlannedFault, { tried, symptoms }: FaultResult, usual: SearchHistory): readonly PlannedFault[] {
  switch (fault.kind) {
    case 'crash':
      return symptoms.length === 0 ? planSecondCrashes(fault, tried, usual) : []
    case 'order':
      return planReleases(fault, tried.history)
    default:
      return []
  }
}
