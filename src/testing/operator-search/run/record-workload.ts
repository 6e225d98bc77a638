import { giveTurn } from '../../../base/turns.ts'
import type { ClusterCheckpoint } from '../../../cluster/cluster.ts'
import type { OperatorCall, SearchHistory } from '../history.ts'
import type { WorkStep } from '../work-step.ts'
import { SearchWorld, type WorldSetup, type WorldStart } from './search-world.ts'

/** A moment of an undisturbed run from which others go on. */
export interface ForkPoint {
  readonly checkpoint: ClusterCheckpoint
  /** The step that was being carried out, and how many of its actions were done. */
  readonly step: number
  readonly actions: number
  /** How many changes of objects had been seen: of two points with the same number the state is the same. */
  readonly changes: number
}

/** The point before or after a write of the operator. */
export interface WritePoint extends ForkPoint {
  readonly call: OperatorCall
  readonly when: 'before' | 'after'
}

/** An undisturbed run of a workload. */
export interface Recording {
  readonly steps: readonly WorkStep[]
  readonly history: SearchHistory
  readonly writePoints: readonly WritePoint[]
  /** Where it was at rest: before the first step, and after each. */
  readonly restPoints: readonly ForkPoint[]
}

/** Runs a workload undisturbed, and keeps the cluster at each point at which a fault may be tried. */
export async function recordWorkload(setup: WorldSetup, start: WorldStart, steps: readonly WorkStep[]): Promise<Recording> {
  await using world = await SearchWorld.open(setup, start)
  const writePoints: WritePoint[] = []
  const restPoints: ForkPoint[] = []
  const here = async (): Promise<ForkPoint> => ({
    checkpoint: await world.cluster.checkpoint(),
    step: world.step,
    actions: world.actions,
    changes: world.history.changes.length,
  })
  world.aroundWrite = async (call, when) => {
    const release = world.clock.busy('keeping the state of the cluster')
    // What was committed before is seen by the controllers, and here.
    await giveTurn()
    writePoints.push({ ...(await here()), call, when })
    release()
  }
  world.start()
  await world.rest()
  restPoints.push(await here())
  for (const i of steps.keys()) {
    world.step = i
    world.actions = 0
    await world.act(steps)
    await world.rest()
    restPoints.push(await here())
  }
  return { steps, history: world.history, writePoints, restPoints }
}
