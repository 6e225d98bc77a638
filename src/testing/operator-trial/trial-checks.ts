import { systemClock } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { differences, differingPaths, type State } from './state.ts'
import { isChatter, isWrite, type Meeting, type TrialCall, type WatchFaults } from './trial-proxy.ts'
import { type TrialSetup, TrialWorld, until } from './trial-world.ts'

/** What an undisturbed world comes to. */
export interface Reference {
  readonly state: State
  /** What differs between two undisturbed worlds: chance of the operator's own. */
  readonly masked: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
  readonly writes: readonly TrialCall[]
}

/** A rule that was broken: what was seen. */
export class Broken extends Error {
  override readonly name = 'Broken'
}

/** Opens a world, starts the operator, gives it the samples, and lets it come to rest. */
export async function settle(setup: TrialSetup, prepare: (world: TrialWorld) => void = () => {}): Promise<TrialWorld> {
  const world = await TrialWorld.open(setup)
  try {
    prepare(world)
    world.operator.start()
    await world.createSamples()
    if (!(await world.settled())) throw new Broken(restless(world))
    return world
  } catch (error) {
    await world[Symbol.asyncDispose]()
    throw error
  }
}

function restless({ operator, proxy }: TrialWorld): string {
  if (!operator.running) return `it has ended: ${operator.said || 'it said nothing'}`
  const looked = proxy.calls.some((c) => !isChatter(c))
  if (!looked) return `it never asked the API server for anything: ${operator.said || 'it said nothing'}`
  const last = proxy.calls.filter(isWrite).at(-1)
  return last === undefined ? 'a request was never answered' : `it still writes (${told(last)}) when its time is over`
}

export const told = ({ verb, target }: TrialCall): string => {
  const { resource = '', name = '', namespace = '', subresource = '' } = target ?? {}
  const place = [namespace, name].filter((p) => p !== '').join('/')
  return `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}${place === '' ? '' : ` ${place}`}`
}

/** Two undisturbed worlds: what they agree on is the reference. The first one goes on living. */
export async function findReference(setup: TrialSetup): Promise<{ readonly world: TrialWorld; readonly reference: Reference }> {
  const world = await settle(setup)
  const writes = world.proxy.calls.filter(isWrite)
  if (writes.length === 0) {
    await world[Symbol.asyncDispose]()
    throw new Broken(`it wrote nothing for the samples: ${world.operator.said || 'it said nothing'}`)
  }
  const kinds = world.writtenKinds()
  const state = await world.state(kinds)
  await using second = await settle(setup)
  const again = await second.state(kinds)
  return { world, reference: { state, kinds, writes, masked: differingPaths(state, again) } }
}

async function compare(world: TrialWorld, { state, masked, kinds }: Reference): Promise<void> {
  const found = differences(state, await world.state(kinds), masked)
  if (found.length > 0) throw new Broken(`${found.slice(0, 4).join('; ')}${found.length > 4 ? `; and ${found.length - 4} more` : ''}`)
}

async function rest(world: TrialWorld): Promise<void> {
  if (!(await world.settled())) throw new Broken(restless(world))
}

/** How many requests, watches aside, are none too many in two seconds of rest. */
const IDLE_MS = 2000
const IDLE_REQUESTS = 6

export async function noHotLoop(world: TrialWorld): Promise<void> {
  const first = world.proxy.calls.length
  await systemClock.sleep(IDLE_MS)
  const calls = world.proxy.calls.slice(first).filter((c) => c.verb !== 'watch' && !isChatter(c))
  if (calls.length > IDLE_REQUESTS)
    throw new Broken(`${calls.length} requests in ${IDLE_MS / 1000} seconds in which nothing happened: ${most(calls)}`)
}

const most = (calls: readonly TrialCall[]): string => {
  const counts = [...Map.groupBy(calls, told)].sort((a, b) => b[1].length - a[1].length)
  return counts
    .slice(0, 3)
    .map(([what, of]) => `${of.length} × ${what}`)
    .join(', ')
}

/** A label that means nothing to it. */
export async function noWriteForNothing(world: TrialWorld, setup: TrialSetup): Promise<void> {
  const first = world.proxy.calls.length
  for (const sample of setup.samples)
    await world.client.patch(world.target(sample), 'merge', { metadata: { annotations: { 'trial.bowsprit.dev/touched': 'yes' } } })
  await rest(world)
  quiet(world.writesSince(first), 'an annotation of the sample that means nothing to it was set')
  for (const sample of setup.samples)
    await world.client.patch(world.target(sample), 'merge', { metadata: { annotations: { 'trial.bowsprit.dev/touched': null } } })
  await rest(world)
}

function quiet(writes: readonly TrialCall[], after: string): void {
  if (writes.length === 0) return
  const vain = writes.filter((w) => w.changed === false).length
  throw new Broken(`${writes.length} writes after ${after}${vain > 0 ? `, ${vain} of which changed nothing` : ''}: ${most(writes)}`)
}

export async function dryRunIsPure(world: TrialWorld, setup: TrialSetup): Promise<void> {
  const first = world.proxy.calls.length
  for (const sample of setup.samples) {
    const target = world.target(sample)
    const { name, ...collection } = target
    const other = { ...sample, metadata: { ...sample.metadata, name: `${name}-dry` } }
    for (const attempt of [world.client.create(collection, other, { dryRun: true }), world.client.delete(target, { dryRun: true })])
      await attempt.catch((error) => {
        if (isStatus(error, 'Forbidden', 'Invalid', 'AlreadyExists')) return
        throw new Broken(`a dry run failed: ${error instanceof Error ? error.message : String(error)}`)
      })
  }
  await rest(world)
  quiet(world.writesSince(first), 'a dry run')
}

/** Told to end it ends; started again over a world that is as it should be, it writes nothing. */
export async function endsWhenTold(world: TrialWorld): Promise<void> {
  const ended = await world.operator.stop(10_000)
  await world.forgetLeases()
  world.operator.start()
  if (!ended) throw new Broken('it still ran ten seconds after SIGTERM')
}

export async function quietRestart(world: TrialWorld): Promise<void> {
  const first = world.proxy.calls.length
  await rest(world)
  quiet(world.writesSince(first), 'a restart')
}

/** Each thing that it made is deleted by hand, one after the other. */
export async function mends(world: TrialWorld, reference: Reference): Promise<void> {
  // What has a finalizer goes when somebody else allows it: that would try others.
  const children = (await world.children(reference.kinds)).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined && (metadata.finalizers ?? []).length === 0,
  )
  for (const child of children.slice(0, 8)) {
    await world.client.delete(world.target(child), { propagationPolicy: 'Background' }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
    const { uid } = child.metadata
    const what = `${child.kind} ${child.metadata.name}`
    const back = await until(async () => {
      const found = await world.children(reference.kinds)
      return (
        !found.some((o) => o.metadata.uid === uid) &&
        differences(reference.state, await world.state(reference.kinds), reference.masked).length === 0
      )
    }, 8000)
    if (!back)
      throw new Broken(
        `${what} was deleted by hand: ${
          differences(reference.state, await world.state(reference.kinds), reference.masked)
            .slice(0, 2)
            .join('; ') || 'it does not go'
        }`,
      )
  }
}

/** The cluster's time is a day later, from one moment to the next. */
export async function outlivesJump(world: TrialWorld, reference: Reference): Promise<void> {
  world.clock.jump(86_400_000)
  await world.killAndRestart()
  await rest(world)
  await compare(world, reference)
}

/** Samples that are deleted go, and what was made for them. */
export async function cleansUp(world: TrialWorld, setup: TrialSetup, reference: Reference): Promise<void> {
  // What it makes because of the deletion, it may leave: a note, a last backup.
  const before = new Set((await world.children(reference.kinds)).map((o) => o.metadata.uid))
  for (const sample of setup.samples) await world.client.delete(world.target(sample))
  const left = async (): Promise<readonly Readonly<KubeObject>[]> => {
    const samples = await Promise.all(setup.samples.map((s) => world.client.get(world.target(s)).catch(() => undefined)))
    return [...samples.filter((s) => s !== undefined), ...(await world.children(reference.kinds)).filter((o) => before.has(o.metadata.uid))]
  }
  const gone = await until(async () => (await left()).length === 0, setup.patienceMs)
  if (!gone) throw new Broken(`still there: ${(await left()).map((o) => `${o.kind} ${o.metadata.name}`).join(', ')}`)
}

/** A world in which every call meets this, and watches that; it has to come to the same end. */
export async function sameEnd(
  setup: TrialSetup,
  reference: Reference,
  faults: {
    readonly meet?: (world: TrialWorld) => (call: TrialCall) => Meeting | undefined
    readonly watches?: WatchFaults
    readonly calm?: boolean
  },
): Promise<void> {
  await using world = await settle({ ...setup, quietMs: faults.watches === undefined ? setup.quietMs : setup.quietMs * 2 }, (w) => {
    if (faults.meet !== undefined) w.proxy.meet = faults.meet(w)
    if (faults.watches !== undefined) w.proxy.watches = faults.watches
  })
  await compare(world, reference)
}

/** The program is killed when its write number `after` was done, before it hears so; the next one has to bring the world to the same end. */
export async function killedAfter(setup: TrialSetup, reference: Reference, after: number): Promise<void> {
  let writes = 0
  let killed: Promise<void> | undefined
  await using world = await TrialWorld.open(setup)
  world.proxy.meet = (call) => {
    if (!isWrite(call) || ++writes !== after) return undefined
    return {
      what: 'killed when it was done',
      lose: () => {
        killed = world.killAndRestart()
      },
    }
  }
  world.operator.start()
  await world.createSamples()
  if (!(await until(() => killed !== undefined, setup.patienceMs))) return
  await killed
  if (!(await world.settled())) throw new Broken(restless(world))
  await compare(world, reference).catch((error: Error) => {
    throw new Broken(`killed after ${told(reference.writes[after - 1] ?? NO_CALL)} (its write number ${after}): ${error.message}`)
  })
}

const NO_CALL: TrialCall = { id: 0, atMs: 0, life: 0, verb: 'a write', target: undefined, path: '', dryRun: false }
