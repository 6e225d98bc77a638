import { systemClock } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { Broken } from './broken.ts'
import { isChatter, isWrite, type TrialCall } from './program/trial-call.ts'
import { compare, most, type Reference, rest } from './reference.ts'
import { TOUCHED } from './state.ts'
import type { TrialSetup, TrialWorld } from './trial-world.ts'
import { until } from './until.ts'

/** How many requests, and watches begun, are none too many in two seconds of rest. */
const IDLE_MS = 2000
const IDLE_LOOK_MS = 25
const IDLE_REQUESTS = 6
const IDLE_WATCHES = 20

export async function noHotLoop(world: TrialWorld): Promise<void> {
  world.mark('two seconds of rest')
  const first = world.proxy.calls.length
  // Looks are counted, not time: on a loaded machine both the program and the looks are late.
  for (let passedMs = 0; passedMs < IDLE_MS; passedMs += IDLE_LOOK_MS) await systemClock.sleep(IDLE_LOOK_MS)
  const calls = world.proxy.calls.slice(first).filter((c) => !isChatter(c))
  for (const [found, many] of [
    [calls.filter((c) => c.verb !== 'watch'), IDLE_REQUESTS],
    [calls.filter((c) => c.verb === 'watch'), IDLE_WATCHES],
  ] as const)
    if (found.length > many)
      throw new Broken(`${found.length} requests in ${IDLE_MS / 1000} seconds in which nothing happened: ${most(found)}`, world)
}

/** An annotation that means nothing to it. Resolves with a remark, where there is one. */
export async function noWriteForNothing(world: TrialWorld, setup: TrialSetup): Promise<string | undefined> {
  const annotate = async (value: string | null) => {
    for (const sample of setup.samples)
      await world.client.patch(world.target(sample), 'merge', { metadata: { annotations: { [TOUCHED]: value } } })
    await rest(world)
  }
  world.mark('an annotation that means nothing')
  const first = world.proxy.calls.length
  await annotate('yes')
  const writes = world.writesSince(first)
  const noted = onlyNotes(writes, world, setup)
  if (!noted) quiet(writes, 'an annotation of the sample that means nothing to it was set', world)
  await annotate(null)
  return noted && writes.length > 0 ? 'it keeps a note of what it has seen, in the sample itself' : undefined
}

/**
 * Frameworks that keep a note of what they have handled in the object itself write once for each thing that they see, and that changes
 * something.
 */
function onlyNotes(writes: readonly TrialCall[], world: TrialWorld, setup: TrialSetup): boolean {
  const samples = new Set(setup.samples.map((s) => JSON.stringify(placeOf(world.target(s)))))
  const places = writes.map(({ target }) => JSON.stringify(placeOf(target ?? {})))
  return (
    writes.every((w, i) => w.changed === true && w.target?.subresource === '' && samples.has(places[i] ?? '')) &&
    new Set(places).size === places.length
  )
}

const placeOf = ({ group, resource, namespace = '', name }: Partial<Record<'group' | 'resource' | 'namespace' | 'name', string>>) => [
  group,
  resource,
  namespace,
  name,
]

function quiet(writes: readonly TrialCall[], after: string, world: TrialWorld): void {
  if (writes.length === 0) return
  const vain = writes.filter((w) => w.changed === false).length
  throw new Broken(`${writes.length} writes after ${after}${vain > 0 ? `, ${vain} of which changed nothing` : ''}: ${most(writes)}`, world)
}

export async function dryRunIsPure(world: TrialWorld, setup: TrialSetup): Promise<void> {
  world.mark('dry runs')
  const first = world.proxy.calls.length
  for (const sample of setup.samples) {
    const target = world.target(sample)
    const { name, ...collection } = target
    const other = { ...sample, metadata: { ...sample.metadata, name: `${name}-dry` } }
    const attempts = [
      () => world.client.create(collection, other, { dryRun: true }),
      () => world.client.patch(target, 'merge', { metadata: { labels: { 'trial.bowsprit.dev/dry': 'yes' } } }, { dryRun: true }),
      () => world.client.delete(target, { dryRun: true }),
    ]
    for (const attempt of attempts)
      await attempt().catch((error) => {
        if (isStatus(error, 'Forbidden', 'Invalid', 'AlreadyExists')) return
        throw new Broken(`a dry run failed: ${messageOf(error)}`, world)
      })
  }
  await rest(world)
  quiet(world.writesSince(first), 'a dry run', world)
}

const SIGTERM_PATIENCE_MS = 10_000

/** On a signal it ends, with every process that it started; then it is restarted. */
export async function endsWhenTold(world: TrialWorld, patienceMs: number): Promise<void> {
  world.mark('SIGTERM')
  const wrong = await world.operator.stop(Math.min(SIGTERM_PATIENCE_MS, patienceMs))
  await world.forgetLeases()
  world.mark('started again')
  world.operator.start()
  if (wrong !== undefined) throw new Broken(wrong, world)
}

/** Over a world that is as it should be it writes nothing. */
export async function quietRestart(world: TrialWorld): Promise<void> {
  if (world.operator.life === 1) await world.killAndRestart()
  const { life } = world.operator
  await rest(world)
  quiet(
    world.proxy.calls.filter((c) => c.life === life && isWrite(c)),
    'a restart',
    world,
  )
}

/** How many of its objects are deleted by hand. */
const MOST_DELETIONS = 8

/** Deletes each of its objects by hand, one after the other. */
export async function mends(world: TrialWorld, setup: TrialSetup, reference: Reference, many = MOST_DELETIONS): Promise<void> {
  // An object with a finalizer of another controller would test that one.
  const children = (await world.children(reference.kinds)).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined && (metadata.finalizers ?? []).length === 0,
  )
  for (const child of children.slice(0, many)) {
    const { kind, metadata } = child
    const what = `${kind} ${metadata.name}`
    world.mark(`${what} is deleted by hand`)
    await world.client.delete(world.target(child), { propagationPolicy: 'Background' }).catch(ignoring('NotFound'))
    const gone = await until(
      async () => !(await world.children(reference.kinds)).some((o) => o.metadata.uid === metadata.uid),
      setup.patienceMs,
    )
    if (!gone) throw new Broken(`${what} was deleted by hand: it does not go`, world)
    await compare(world, reference, setup.patienceMs).catch((error: Error) => {
      throw new Broken(`${what} was deleted by hand: ${error.message}`, world)
    })
  }
}

/** The cluster's clock jumps by a day; objects that are created from then on are newer than by the operator's own clock. */
export async function outlivesJump(world: TrialWorld, setup: TrialSetup, reference: Reference, mending: boolean): Promise<void> {
  world.mark('a day passes')
  world.clock.jump(86_400_000)
  await world.killAndRestart()
  await rest(world)
  await compare(world, reference, setup.patienceMs)
  if (!mending) return
  await mends(world, setup, reference)
  await rest(world)
  const first = world.proxy.writes
  await noHotLoop(world)
  if (world.proxy.writes > first) throw new Broken(`it goes on writing: ${most(world.proxy.calls.filter(isWrite).slice(first))}`, world)
  await compare(world, reference, setup.patienceMs)
}

/** Samples that are deleted go, and what was made for them. */
export async function cleansUp(world: TrialWorld, setup: TrialSetup, reference: Reference): Promise<void> {
  // Objects that it creates because of the deletion may stay: a note, a last backup.
  const before = new Set((await world.children(reference.kinds)).map((o) => o.metadata.uid))
  world.mark('the samples are deleted')
  for (const sample of setup.samples) await world.client.delete(world.target(sample))
  const left = async (): Promise<readonly Readonly<KubeObject>[]> => {
    const samples = await Promise.all(setup.samples.map((s) => world.client.get(world.target(s)).catch(() => undefined)))
    return [...samples.filter((s) => s !== undefined), ...(await world.children(reference.kinds)).filter((o) => before.has(o.metadata.uid))]
  }
  const gone = await until(async () => (await left()).length === 0, setup.patienceMs)
  if (!gone) throw new Broken(`still there: ${(await left()).map((o) => `${o.kind} ${o.metadata.name}`).join(', ')}`, world)
}
