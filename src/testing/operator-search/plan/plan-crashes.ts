import { callText } from '../../operator-trial/operator-calls.ts'
import type { Recording, WritePoint } from '../run/record-workload.ts'
import type { CrashFault, FaultPlan } from './planned-fault.ts'

/** Before and after each write: of points between which no object changed, the last one. */
export function planCrashes({ writePoints }: Recording): FaultPlan {
  const byState = new Map<string, CrashFault>()
  for (const [i, point] of writePoints.entries()) {
    const number = Math.floor(i / 2) + 1
    const what = `killed ${point.when} its write ${number} (${callText(point.call)})`
    const key = `${point.step} ${point.actions} ${point.changes}`
    byState.set(key, { kind: 'crash', at: point, step: point.step, what, cause: causeOf(point, writePoints) })
  }
  return { faults: [...byState.values()], points: writePoints.length }
}

/** Two crashes have the same cause if they interrupt the same sequence of writes at the same point. */
function causeOf({ step, when, call }: WritePoint, all: readonly WritePoint[]): string {
  const writes = all.filter((point) => point.step === step && point.when === 'before').map((point) => point.call)
  return `crash ${when} ${writes.indexOf(call) + 1} of ${writes.map(callText).join(', ')}`
}
