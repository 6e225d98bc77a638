import { callText } from '../history.ts'
import type { Recording } from '../run/record-workload.ts'
import type { CrashFault, FaultPlan } from './planned-fault.ts'

/** Before and after each write: of points between which no object changed, the last one. */
export function planCrashes({ writePoints }: Recording): FaultPlan {
  const byState = new Map<string, CrashFault>()
  for (const [i, point] of writePoints.entries()) {
    const number = Math.floor(i / 2) + 1
    const what = `killed ${point.when} its write ${number} (${callText(point.call)})`
    byState.set(`${point.step} ${point.actions} ${point.changes}`, { kind: 'crash', at: point, step: point.step, what })
  }
  return { faults: [...byState.values()], points: writePoints.length }
}
