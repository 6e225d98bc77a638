import { callText } from '../../operator-trial/operator-calls.ts'
import { historyUntil, type OperatorCall, type SearchHistory } from '../history.ts'
import type { WritePoint } from '../run/record-workload.ts'
import type { TriedFault } from '../run/try-fault.ts'
import type { CrashFault } from './planned-fault.ts'

/** A recovery with more points has a loop. */
const MOST_POINTS = 12

/**
 * Crashes while the operator recovers from a crash. If it only goes on with what it does undisturbed, a second crash leads to a state that
 * a first one led to.
 */
export function planSecondCrashes(fault: CrashFault, { history, recovery }: TriedFault, usual: SearchHistory): CrashFault[] {
  const points = recovery.filter(({ step }) => step === fault.step)
  const writes = effects(history, fault.step)
  if (isTail(writes.map(callText), effects(usual, fault.step).map(callText))) return []
  const byState = new Map(points.map((point) => [point.changes, point]))
  return [...byState.values()].slice(0, MOST_POINTS).map((point) => secondCrash(fault, { point, history, writes }))
}

interface Recovery {
  readonly point: WritePoint
  readonly history: SearchHistory
  /** Those that changed something. */
  readonly writes: readonly OperatorCall[]
}

function secondCrash(fault: CrashFault, { point, history, writes }: Recovery): CrashFault {
  const { call, when, changes } = point
  const done = writes.filter((c) => c.seq < call.seq || (c === call && when === 'after'))
  return {
    kind: 'crash',
    at: { ...point, changes: fault.at.changes },
    step: fault.step,
    what: `${fault.what}, and again ${when} ${callText(call)}`,
    cause: `second crash after ${done.length} of ${writes.map(callText).join(', ')}`,
    earlier: historyUntil(history, changes, call),
  }
}

/** The writes of a step that changed something. */
function effects({ calls, changes }: SearchHistory, step: number): OperatorCall[] {
  const revisions = new Set(changes.map((c) => String(c.revision)))
  return calls.filter((c) => {
    if (!c.writes || c.step !== step || (c.code ?? 0) >= 400) return false
    return c.verb.startsWith('delete') || (c.revision !== undefined && revisions.has(c.revision))
  })
}

const isTail = (tail: readonly string[], all: readonly string[]) =>
  tail.length <= all.length && tail.every((text, i) => text === all[all.length - tail.length + i])
