import { StatusError } from '../../machinery/status-error.ts'
import { Broken } from './broken.ts'
import { callText } from './operator-calls.ts'
import { isWrite, type Meeting, type TrialCall, type WatchFaults } from './program/trial-call.ts'
import { compare, type Reference, rest, untilIdle } from './reference.ts'
import { mends } from './trial-checks.ts'
import { type TrialSetup, TrialWorld } from './trial-world.ts'
import { until } from './until.ts'

/** What happens to the requests and watches of a world. */
export interface Faults {
  readonly meet?: (world: TrialWorld) => (call: TrialCall) => Meeting | undefined
  readonly watches?: WatchFaults
}

const failure = new StatusError({ code: 500, reason: 'InternalError', message: 'a fault of the trial' })

/** The rules, and what an operator meets that keeps them. */
export const FAULTS: Readonly<Record<string, Faults>> = {
  'watch events that come late change nothing of the result': { watches: { delayMs: 400 } },
  // Clients wait longer and longer for the next one: some of them are enough.
  'watches that break change nothing of the result': { watches: { cutAfterMs: 300, mostCuts: 3 } },
  // The server decides whether that is a conflict: it is one for an update with a resource version.
  'what somebody else has just changed is updated all the same': {
    meet: (world) =>
      atFirst(['update', 'patch'], ({ target }) => ({ what: 'somebody was faster', first: () => world.touches.touch(target) })),
  },
  'an API server that is slow changes nothing of the result': { meet: slow },
  'each write fails, and is tried again': {
    meet: () => atFirst(['create', 'update', 'patch', 'delete'], () => ({ what: 'failure', refusal: failure })),
  },
}

/** So often a write to the same path is met: an operator that writes twice to it each time would never come through. */
const MOST_MEETINGS = 4

/** What happens to writes at first: the second attempt of each goes through. */
function atFirst(verbs: readonly string[], meeting: (call: TrialCall) => Meeting): (call: TrialCall) => Meeting | undefined {
  const attempts = new Map<string, number>()
  return (call) => {
    if (!isWrite(call) || !verbs.includes(call.verb)) return undefined
    const path = `${call.verb} ${call.path}`
    const before = attempts.get(path) ?? 0
    attempts.set(path, before + 1)
    return before % 2 === 0 && before < 2 * MOST_MEETINGS ? meeting(call) : undefined
  }
}

/** Everything takes a while; updates a second and a half now and then. */
function slow(): (call: TrialCall) => Meeting | undefined {
  const first = atFirst(['update', 'patch'], () => ({ what: 'very slow', delayMs: 1500 }))
  return (call) => first(call) ?? { what: 'slow', delayMs: 150 }
}

/**
 * A world in which every call meets this, and watches that; it has to come to the same end, and to notice there that something is deleted.
 */
export async function sameEnd(setup: TrialSetup, reference: Reference, faults: Faults, mending: boolean): Promise<void> {
  const quietMs = faults.watches === undefined ? setup.quietMs : setup.quietMs * 2
  await using world = await untilIdle({ ...setup, quietMs, restarts: MOST_RESTARTS }, (w) => {
    if (faults.meet !== undefined) w.proxy.meet = faults.meet(w)
    if (faults.watches !== undefined) w.proxy.watches = faults.watches
    return w.watchObjects(reference.kinds)
  })
  const lost: string[] = []
  for (const sample of setup.samples)
    if (await world.touches.isLost(world.target(sample))) lost.push(`${sample.kind} ${sample.metadata.name}`)
  if (lost.length > 0)
    throw new Broken(`what somebody else had just written is lost: ${lost.join(', ')} was written over from an older copy`, world)
  await world.touches.untouch()
  await rest(world)
  await compare(world, reference, setup.patienceMs)
  if (!mending) return
  // A deletion during the outage has to be noticed when the client lists again.
  if (faults.watches?.cutAfterMs !== undefined) world.proxy.cutWatches()
  await mends(world, faults.watches === undefined ? setup : { ...setup, patienceMs: 2.5 * setup.patienceMs }, reference, 1)
}

/** A kubelet restarts a container that has ended: an end under faults is not a failure. */
const MOST_RESTARTS = 5

/**
 * The program is killed when its write number `after` was carried out, before it gets the response; the next run must reach the same
 * result.
 */
export async function killedAfter(setup: TrialSetup, reference: Reference, after: number): Promise<void> {
  let writes = 0
  let killed: Promise<void> | undefined
  let last: TrialCall | undefined
  await using world = await TrialWorld.open(setup)
  await world.watchObjects(reference.kinds)
  world.proxy.meet = (call) => {
    if (!isWrite(call) || ++writes !== after) return undefined
    last = call
    return {
      what: 'killed when it was done',
      lose: () => {
        world.mark('killed')
        killed = world.killAndRestart()
      },
    }
  }
  world.operator.start()
  await world.createSamples()
  // Where it makes fewer writes this time, it comes to rest without.
  await until(async () => killed !== undefined || (await world.isIdle()), setup.patienceMs)
  await killed
  await rest(world)
  await compare(world, reference, setup.patienceMs).catch((error: Error) => {
    throw new Broken(`killed after ${last === undefined ? 'a write' : callText(last)} (its write number ${after}): ${error.message}`, world)
  })
}

/** Kills one run after the other after a number of its requests; the last one is not killed, and must reach the same state. */
export async function killedAfterEach(setup: TrialSetup, reference: Reference, points: readonly number[]): Promise<void> {
  const kills: string[] = []
  let requests = 0
  let killing: Promise<void> | undefined
  await using world = await TrialWorld.open(setup)
  await world.watchObjects(reference.kinds)
  world.proxy.meet = (call) => {
    if (call.life !== kills.length + 1 || ++requests !== points[kills.length]) return undefined
    return {
      what: 'killed when it was done',
      lose: () => {
        kills.push(callText(call))
        world.mark(`killed after ${requests} requests`)
        requests = 0
        killing = world.killAndRestart()
      },
    }
  }
  world.operator.start()
  await world.createSamples()
  // A run that has nothing left to do makes fewer requests than the first: it lives.
  await until(
    async () => {
      const at = kills.length
      await killing
      return at === points.length || (at === kills.length && (await world.isIdle()))
    },
    setup.patienceMs + points.length * MOST_MS_A_RUN,
  )
  await killing
  await rest(world)
  await compare(world, reference, setup.patienceMs).catch((error: Error) => {
    throw new Broken(
      `killed ${kills.length} times, each time a request later, the last time after ${kills.at(-1) ?? 'none'}: ${error.message}`,
      world,
    )
  })
}

const MOST_MS_A_RUN = 5000
