import type { SearchHistory } from '../history.ts'
import type { HeldFault, PlannedFault, StaleFault } from '../plan/planned-fault.ts'
import type { WorkStep } from '../work-step.ts'
import { QUIET_MS, SearchWorld, type WorldSetup } from './search-world.ts'

/** Forks the cluster at the fault's point, carries the fault out, and goes on with the workload to its end. */
export async function tryFault(setup: WorldSetup, fault: PlannedFault, steps: readonly WorkStep[], seed: number): Promise<SearchHistory> {
  await using world = await SearchWorld.open(setup, { from: fault.at.checkpoint, seed })
  world.step = fault.at.step
  world.actions = fault.at.actions
  const next = await begin(world, fault, steps)
  for (const i of steps.keys()) {
    if (i < next) continue
    world.step = i
    world.actions = 0
    await world.act(steps)
    await world.rest()
  }
  return world.history
}

/** Carries the fault out. Resolves with the first step that is left to do. */
async function begin(world: SearchWorld, fault: PlannedFault, steps: readonly WorkStep[]): Promise<number> {
  if (fault.kind === 'stale') return restartOnPast(world, fault)
  if (fault.kind !== 'crash') return holdEvents(world, fault, steps)
  world.mark('the operator is killed, and started again')
  world.start()
  await world.act(steps)
  await world.rest()
  return world.step + 1
}

async function restartOnPast(world: SearchWorld, { revision, resources }: StaleFault): Promise<number> {
  const caughtUp = Promise.withResolvers<void>()
  world.mark(`the operator is killed, and started again on the view of revision ${revision}`)
  world.start({ revision, ...(resources && { resources }), over: caughtUp.promise })
  // It may well try again and again meanwhile: what it wants is refused.
  await world.pass(QUIET_MS)
  world.mark('the API server catches up')
  caughtUp.resolve()
  await world.rest()
  return world.step + 1
}

async function holdEvents(world: SearchWorld, fault: HeldFault, steps: readonly WorkStep[]): Promise<number> {
  const released = Promise.withResolvers<void>()
  world.start()
  await world.rest()
  world.mark(`events of ${fault.resource} are held back`)
  world.holds.set(fault.resource, { over: released.promise, ending: fault.kind === 'order' ? 'late' : 'relist' })
  const last = fault.kind === 'order' ? fault.step : fault.step + 1
  for (let i = fault.step; i <= last; i++) {
    world.step = i
    world.actions = 0
    await world.act(steps)
    if (fault.kind === 'order' || (i < last && fault.atOnce !== true)) await world.rest()
  }
  world.mark(`events of ${fault.resource} pass again`)
  world.holds.delete(fault.resource)
  released.resolve()
  await world.rest()
  return last + 1
}
