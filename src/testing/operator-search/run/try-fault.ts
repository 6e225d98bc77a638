import { StatusError } from '../../../machinery/status-error.ts'
import { callText } from '../../operator-trial/operator-calls.ts'
import { joinHistories, type OperatorCall, type SearchHistory } from '../history.ts'
import type { CrashFault, HeldFault, PlannedFault, StaleFault, WriteFault } from '../plan/planned-fault.ts'
import type { WorkStep } from '../work-step.ts'
import { holdWrite } from './held-write.ts'
import { resourceKey, resourceText } from './operator-seam.ts'
import { keepWritePoints, type WritePoint } from './record-workload.ts'
import { QUIET_MS, SearchWorld, type WorldSetup, type WorldStart } from './search-world.ts'

/** What a write is answered with that fails. */
export const INJECTED_ERROR = 'the search lets this write fail once'

/** An operator that makes so many calls on an old view has no more time on it: it does not come to rest there. */
const MOST_PAST_CALLS = 1000

/** What happened when a fault was tried. */
export interface TriedFault {
  readonly history: SearchHistory
  /** After a crash: the cluster before and after each write with which the operator went on in the same step. */
  readonly recovery: readonly WritePoint[]
}

/** Forks the cluster at the fault's point, carries the fault out, and goes on with the workload to its end. */
export async function tryFault(
  setup: WorldSetup,
  fault: PlannedFault,
  steps: readonly WorkStep[],
  start: Omit<WorldStart, 'from'>,
): Promise<TriedFault> {
  await using world = await SearchWorld.open(setup, { ...start, from: fault.at.checkpoint })
  world.step = fault.at.step
  world.actions = fault.at.actions
  const recovery = await carryOut(world, fault, steps)
  world.aroundWrite = undefined
  for (const i of steps.keys()) {
    if (i <= world.step) continue
    await begin(world, i, steps)
    await world.rest()
  }
  const { history } = world
  return { history: fault.kind === 'crash' && fault.earlier !== undefined ? joinHistories(fault.earlier, history) : history, recovery }
}

/** Carries the fault out, and the step in which it happens. Resolves with the points at which another crash may be tried. */
async function carryOut(world: SearchWorld, fault: PlannedFault, steps: readonly WorkStep[]): Promise<readonly WritePoint[]> {
  switch (fault.kind) {
    case 'crash':
      return restart(world, fault, steps)
    case 'stale':
      await restartOnPast(world, fault)
      break
    case 'unobserved':
    case 'order':
      await holdEvents(world, fault, steps)
      break
    case 'late':
      await delayWrite(world, fault, steps)
      break
    case 'conflict':
    case 'error':
      await disturbWrite(world, fault, steps)
  }
  return []
}

async function restart(world: SearchWorld, { earlier }: CrashFault, steps: readonly WorkStep[]): Promise<readonly WritePoint[]> {
  const points = earlier === undefined ? keepWritePoints(world) : []
  world.mark('the operator is killed, and started again')
  world.start()
  await world.act(steps)
  await world.rest()
  return points
}

async function restartOnPast(world: SearchWorld, { revision, resources }: StaleFault): Promise<void> {
  const caughtUp = Promise.withResolvers<void>()
  world.mark(`the operator is killed, and started again on the view of revision ${revision}`)
  world.start({ revision, ...(resources && { resources }), over: caughtUp.promise })
  // It may well try again and again meanwhile: what it wants is refused, or undone.
  const catchUp = endsOnce(world, () => {
    world.mark('the API server catches up')
    caughtUp.resolve()
  })
  await world.pass(QUIET_MS)
  catchUp()
  await world.rest()
}

/** Ends an old view, once: when it is called, or when the operator has made too many calls meanwhile. */
function endsOnce(world: SearchWorld, end: () => void): () => void {
  let isPast = true
  const endOnce = () => {
    if (isPast) end()
    isPast = false
  }
  void world.afterCalls(MOST_PAST_CALLS).then(endOnce)
  return endOnce
}

async function holdEvents(world: SearchWorld, fault: HeldFault, steps: readonly WorkStep[]): Promise<void> {
  const released = Promise.withResolvers<void>()
  world.start()
  await world.rest()
  const hold = () => {
    world.mark(`events of ${resourceText(fault.resource)} are held back`)
    world.holds.set(fault.resource, { over: released.promise, ending: fault.kind === 'order' ? 'late' : 'relist' })
  }
  const pass = endsOnce(world, () => {
    world.mark(`events of ${resourceText(fault.resource)} pass again`)
    world.holds.delete(fault.resource)
    released.resolve()
  })
  const write = holdWrite(world, isWrite(fault, hold))
  if (fault.fromWrite === true) world.aroundWrite = write.around
  else hold()
  const last = fault.kind === 'order' ? fault.step : fault.step + 1
  for (let i = fault.step; i <= last; i++) {
    await begin(world, i, steps)
    if (fault.kind === 'order' || (i < last && fault.atOnce !== true)) await world.rest()
  }
  pass()
  if (fault.untilWrite !== undefined) await world.pass(QUIET_MS)
  write.release()
  await world.rest()
}

/** Calls `hold` at the operator's first write of the resource, and is true for the write until which events wait. */
function isWrite({ step, resource, untilWrite }: HeldFault, hold: () => void): (call: OperatorCall) => boolean {
  let count = -1
  return (call) => {
    if (call.step !== step || (count < 0 && resourceKey(call.target) !== resource)) return false
    if (++count === 0) hold()
    return count === untilWrite
  }
}

/** Lets one write of the step fail, or meet a change by another client, which is taken back in the end. */
async function disturbWrite(world: SearchWorld, fault: WriteFault, steps: readonly WorkStep[]): Promise<void> {
  world.start()
  await world.rest()
  const isIt = isPlanned(fault)
  let undo = async () => {}
  world.aroundWrite = async (call, when) => {
    if (when !== 'before' || !isIt(call)) return
    world.mark(fault.what)
    if (fault.kind === 'error') throw new StatusError({ code: 500, reason: 'InternalError', message: INJECTED_ERROR })
    if (await world.user.touch(call.target, 'yes')) undo = async () => void (await world.user.touch(call.target, null))
  }
  await begin(world, fault.step, steps)
  await world.rest()
  await undo()
  if (fault.kind === 'conflict') await world.rest()
}

/** Holds one write of the step back until the next step has been carried out, and everything else is at rest. */
async function delayWrite(world: SearchWorld, fault: WriteFault, steps: readonly WorkStep[]): Promise<void> {
  world.start()
  await world.rest()
  const write = holdWrite(world, isPlanned(fault))
  world.aroundWrite = write.around
  for (const step of [fault.step, fault.step + 1]) {
    await begin(world, step, steps)
    await world.pass(QUIET_MS)
  }
  world.mark('the write passes')
  write.release()
  await world.rest()
}

/** Whether a call is the write that a fault is about. */
function isPlanned({ step, write, after }: WriteFault): (call: OperatorCall) => boolean {
  let left = after
  return (call) => call.step === step && callText(call) === write && left-- === 0
}

/** Carries a step out. */
async function begin(world: SearchWorld, step: number, steps: readonly WorkStep[]): Promise<void> {
  world.step = step
  world.actions = 0
  await world.act(steps)
}
