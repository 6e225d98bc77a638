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

/** Keeps the cluster before and after each write of the operator, from now on. */
export function keepWritePoints(world: SearchWorld): readonly WritePoint[] {
  const points: WritePoint[] = []
  world.aroundWrite = async (call, when) => {
    const release = world.clock.busy('keeping the state of the cluster')
    // What was committed before is seen by the controllers, and here.
    await giveTurn()
    points.push({ ...(await pointOf(world, points.at(-1))), call, when })
    // The operator goes on first: else time would pass between its writes.
    void giveTurn().then(release)
  }
  return points
}

/** `last`: the point before, whose state may be the same. */
async function pointOf({ cluster, step, actions, history }: SearchWorld, last?: ForkPoint): Promise<ForkPoint> {
  const changes = history.changes.length
  const isSame = last?.step === step && last.actions === actions && last.changes === changes
  return { checkpoint: isSame ? last.checkpoint : await cluster.checkpoint(), step, actions, changes }
}

/** Runs a workload undisturbed, and keeps the cluster at each point at which a fault may be tried. */
export async function recordWorkload(setup: WorldSetup, start: WorldStart, steps: readonly WorkStep[]): Promise<Recording> {
  await using world = await SearchWorld.open(setup, start)
  const writePoints = keepWritePoints(world)
  const restPoints: ForkPoint[] = []
  world.start()
  await world.rest()
  restPoints.push(await pointOf(world))
  for (const i of steps.keys()) {
    world.step = i
    world.actions = 0
    await world.act(steps)
    await world.rest()
    restPoints.push(await pointOf(world))
  }
  return { steps, history: world.history, writePoints, restPoints }
}
