import { callText, type OperatorCall } from '../history.ts'
import type { Recording } from '../run/record-workload.ts'
import type { FaultPlan, WriteFault } from './planned-fault.ts'

/** Of so many writes of one verb and resource in a step a fault is tried, evenly spread: more of them come from one loop. */
const MOST_OF_A_KIND = 4

/** The writes of each step that may fail, and those that may meet a change by somebody else. */
export function planWriteFaults(recording: Recording): FaultPlan {
  const { steps, history } = recording
  const writes = history.calls.filter((c) => c.writes && c.step >= 0)
  const accepted = writes.filter(isAccepted)
  const faults = [...steps.keys()].flatMap((step) => {
    const own = writes.filter((c) => c.step === step)
    return [...Map.groupBy(own.filter(isAccepted), kindOf).values()]
      .flatMap(spread)
      .flatMap((call) => faultsOf(recording, step, { call, own }))
  })
  const byCause = Map.groupBy(faults, ({ cause }) => cause)
  return { faults: [...byCause.values()].flatMap(([first]) => first ?? []), points: accepted.length + accepted.filter(isChange).length }
}

interface StepWrite {
  readonly call: OperatorCall
  /** All writes of its step, also refused ones. */
  readonly own: readonly OperatorCall[]
}

function faultsOf({ restPoints, steps }: Recording, step: number, { call, own }: StepWrite): WriteFault[] {
  const at = restPoints[step]
  if (at === undefined) return []
  const write = callText(call)
  const after = own.filter((c) => callText(c) === write).indexOf(call)
  const place = `${write} of step ${step + 1} (${steps[step]?.name})`
  // What handles its failure is the same code, whatever is written.
  const fault = (kind: WriteFault['kind'], what: string): WriteFault => ({
    kind,
    at,
    step,
    write,
    after,
    what,
    cause: `${kind} ${write} ${call.code}`,
  })
  return [
    fault('error', `the API server fails once: ${place}`),
    ...(isChange(call) ? [fault('conflict', `somebody else changes the object just before ${place}`)] : []),
  ]
}

const isAccepted = ({ code = 0 }: OperatorCall) => code < 400
const isChange = ({ verb }: OperatorCall) => verb === 'update' || verb === 'patch'
const kindOf = ({ verb, target: { group, resource, subresource = '' } }: OperatorCall) => `${verb} ${group}/${resource}/${subresource}`

function spread(calls: readonly OperatorCall[]): OperatorCall[] {
  const last = Math.min(calls.length, MOST_OF_A_KIND) - 1
  const chosen = Array.from({ length: last + 1 }, (_, i) => calls[Math.round((i * (calls.length - 1)) / Math.max(1, last))])
  return chosen.filter((call) => call !== undefined)
}
