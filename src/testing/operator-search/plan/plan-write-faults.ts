import { spread } from '../../operator-trial/kill-points.ts'
import { callText } from '../../operator-trial/operator-calls.ts'
import type { OperatorCall } from '../history.ts'
import type { Recording } from '../run/record-workload.ts'
import { removes, type WorkStep } from '../work-step.ts'
import type { FaultPlan, WriteFault } from './planned-fault.ts'

/** Of so many writes of one verb and resource in a step a fault is tried, evenly spread: more of them come from one loop. */
const MOST_OF_A_KIND = 4

/** The writes of each step that may fail, may meet a change by another client, or may arrive after the next step. */
export function planWriteFaults(recording: Recording): FaultPlan {
  const { steps, history } = recording
  const writes = history.calls.filter((c) => c.writes && c.step >= 0)
  const accepted = writes.filter(isAccepted)
  const faults = [...steps.keys()].flatMap((step) => {
    const own = writes.filter((c) => c.step === step)
    return [...Map.groupBy(own.filter(isAccepted), kindOf).values()]
      .flatMap((calls) => spread(calls.length, MOST_OF_A_KIND).flatMap((n) => calls[n - 1] ?? []))
      .flatMap((call) => faultsOf(recording, step, { call, own }))
  })
  const byCause = Map.groupBy(faults, ({ cause }) => cause)
  const points = accepted.length + accepted.filter(isChange).length + accepted.filter((c) => followed(steps, c.step) !== undefined).length
  return { faults: [...byCause.values()].flatMap(([first]) => first ?? []), points }
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
  const next = followed(steps, step)
  const lateCause = `late ${write}${removes(next) ? ', deleted meanwhile' : ''}`
  // The same code handles the failure, whatever is written.
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
    ...(next === undefined ? [] : [{ ...fault('late', `${place} arrives after step ${step + 2} (${next.name})`), cause: lateCause }]),
  ]
}

/** The step that may come before a write of this step arrives. A new object can come only after the old one, which a write may hold up. */
function followed(steps: readonly WorkStep[], step: number): WorkStep | undefined {
  return removes(steps[step]) ? undefined : steps[step + 1]
}

const isAccepted = ({ code = 0 }: OperatorCall) => code < 400
const isChange = ({ verb }: OperatorCall) => verb === 'update' || verb === 'patch'
const kindOf = ({ verb, target: { group, resource, subresource = '' } }: OperatorCall) => `${verb} ${group}/${resource}/${subresource}`
