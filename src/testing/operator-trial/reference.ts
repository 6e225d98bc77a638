import { Broken } from './broken.ts'
import { callText } from './operator-calls.ts'
import { isChatter, isWrite, MOST_CALLS, type TrialCall } from './program/trial-call.ts'
import { differences, differingPaths, type State } from './state.ts'
import { type TrialSetup, TrialWorld } from './trial-world.ts'
import { until } from './until.ts'

/** What an undisturbed world comes to. */
export interface Reference {
  readonly state: State
  /** What differs between two undisturbed worlds: chance of the operator's own. */
  readonly masked: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
  /** All requests of its first run, until it came to rest. */
  readonly calls: readonly TrialCall[]
  readonly writes: readonly TrialCall[]
  /** The longest time between two of its requests, on the way. */
  readonly slowestStepMs: number
  /** Time until a run sends its first request. */
  readonly bootMs: number
  /** What its author should know, although it is no fault. */
  readonly remark: string | undefined
}

/** Two undisturbed worlds, one after the other: what they agree on is the reference. The second one continues to run. */
export async function findReference(setup: TrialSetup): Promise<{ readonly world: TrialWorld; readonly reference: Reference }> {
  // Not at the same time: two operators would need the same ports.
  const first = await undisturbed(setup)
  await first.world[Symbol.asyncDispose]()
  const { world, ...second } = await undisturbed(setup, first.kinds)
  const kinds = new Set([...first.kinds, ...second.kinds])
  const { calls } = second
  const writes = calls.filter(isWrite)
  const slowestStepMs = Math.max(slowestStep(first.calls), slowestStep(calls))
  const masked = differingPaths(first.state, second.state)
  return {
    world,
    reference: {
      state: second.state,
      kinds,
      calls,
      writes,
      masked,
      slowestStepMs,
      bootMs: calls[0]?.atMs ?? 0,
      remark: chance(first.state, second.state),
    },
  }
}

/** Objects that only one of two undisturbed worlds has cannot be judged. */
function chance(a: State, b: State): string | undefined {
  const found = differences(a, b, new Set()).flatMap((d) => /^(.*) is (?:missing|left over)$/.exec(d)?.[1] ?? [])
  if (found.length === 0) return undefined
  return `two undisturbed runs do not make the same objects, so these are not judged: ${found.slice(0, 6).join(', ')}`
}

async function undisturbed(setup: TrialSetup, kinds?: ReadonlySet<string>) {
  const world = await untilIdle({ ...setup, quietMs: 2 * setup.quietMs }, (w) => (kinds === undefined ? undefined : w.watchObjects(kinds)))
  try {
    const calls = [...world.proxy.calls]
    if (!calls.some(isWrite))
      throw new Broken(
        `it wrote nothing for the samples; ${calls.length} requests, most of them ${most(calls)}: ${world.operator.output || 'it said nothing'}`,
        world,
      )
    const state = await world.state(kinds ?? world.writtenKinds())
    return { world, calls, state, kinds: world.writtenKinds() }
  } catch (error) {
    await world[Symbol.asyncDispose]()
    throw error
  }
}

/** Opens a world, starts the operator, gives it the samples, and lets it come to rest. */
export async function untilIdle(
  setup: TrialSetup,
  prepare: (world: TrialWorld) => Promise<void> | undefined = () => undefined,
): Promise<TrialWorld> {
  const world = await TrialWorld.open(setup)
  try {
    await prepare(world)
    world.operator.start()
    await world.createSamples().catch((error: Error) => {
      throw new Broken(`the sample is refused: ${error.message}${hint(world)}`, world)
    })
    // A program that has read may still be about to make its first write: the wait for rest begins after it.
    await until(() => world.proxy.writes > 0 || world.proxy.flooded || !world.operator.running, setup.patienceMs)
    if (!(await world.isIdle())) throw new Broken(restless(world), world)
    return world
  } catch (error) {
    await world[Symbol.asyncDispose]()
    throw error
  }
}

const hint = ({ operator }: TrialWorld) => (operator.running ? '' : `; ${operator.end}`)

/** Why it did not come to rest. */
export function restless({ operator, proxy }: TrialWorld): string {
  if (proxy.flooded)
    return `it floods the API server: ${MOST_CALLS} requests in ${(proxy.nowMs() / 1000).toFixed(1)} s: ${most(proxy.calls)}`
  if (!operator.running) return operator.end
  const looked = proxy.calls.some((c) => !isChatter(c))
  if (!looked) return `it never asked the API server for anything: ${operator.output || 'it said nothing'}`
  if (!proxy.looked.has(operator.life)) return `it never listed nor watched anything: ${operator.output || 'it said nothing'}`
  const last = proxy.calls.filter(isWrite).at(-1)
  if (last === undefined) return 'a request was never answered'
  return `it still writes when its time is over: ${most(proxy.calls.filter(isWrite))}`
}

/** The three most frequent of them. */
export const most = (calls: readonly TrialCall[]): string => {
  const counts = [...Map.groupBy(calls, callText)].sort((a, b) => b[1].length - a[1].length)
  return counts
    .slice(0, 3)
    .map(([what, of]) => `${of.length} × ${what}`)
    .join(', ')
}

/** What an operator that tries again later needs: a part of its patience. */
const SHARE_FOR_RETRIES = 0.4

/** Waits until the cluster's state equals the reference. @throws {Broken} with the differences, if it never does */
export async function compare(world: TrialWorld, { state, masked, kinds }: Reference, patienceMs: number): Promise<void> {
  let found: string[] = []
  const same = await until(async () => {
    found = differences(state, await world.state(kinds), masked)
    return found.length === 0
  }, patienceMs * SHARE_FOR_RETRIES)
  if (same) return
  const ended = world.operator.running ? '' : `; ${world.operator.end}`
  throw new Broken(`${found.slice(0, 4).join('; ')}${found.length > 4 ? `; and ${found.length - 4} more` : ''}${ended}`, world)
}

/** Lets it come to rest. @throws {Broken} when it does not */
export async function rest(world: TrialWorld): Promise<void> {
  if (!(await world.isIdle())) throw new Broken(restless(world), world)
}

/** The longest time between two requests, up to the last write. */
export function slowestStep(calls: readonly TrialCall[]): number {
  const last = calls.findLastIndex(isWrite)
  const work = calls.slice(0, last + 1).filter((c) => !isChatter(c))
  return Math.max(0, ...work.slice(1).map((c, i) => c.atMs - (work[i]?.atMs ?? c.atMs)))
}
