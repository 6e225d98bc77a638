import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Clock, VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { LEASES } from '../../resources/refs.ts'
import type { ApiCall, Client } from '../client/client.ts'
import { createClient } from '../client/create-client.ts'
import { memoryTransport } from '../client/memory/memory-transport.ts'
import { runWithLeaderElection } from './leader-election.ts'

test('one leads; when it stops the next one takes over at once, when it dies after the lease ran out', async () => {
  const clock = new VirtualClock()
  const random = seededRandom(3)
  const client = createClient(memoryTransport({ clock, random }))
  const leading = new Set<string>()
  const compete = (identity: string, over = client) => {
    const stop = new AbortController()
    const lead = async (signal: AbortSignal) => {
      leading.add(identity)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      leading.delete(identity)
    }
    const lease = { namespace: 'kube-system', name: 'x' }
    const done = runWithLeaderElection({ client: over, lease, identity, clock, random, lead }, stop.signal)
    return { stop, done }
  }
  let cut = false
  const flaky = {
    ...client,
    update: (...args: Parameters<typeof client.update>) => (cut ? Promise.reject(new Error('cut off')) : client.update(...args)),
  }
  const a = compete('a')
  await clock.advance(10)
  const b = compete('b', flaky as typeof client)
  await clock.advance(30_000)
  assert.deepEqual([...leading], ['a'])
  a.stop.abort()
  await a.done
  await clock.advance(6000)
  assert.deepEqual([...leading], ['b'])
  const c = compete('c')
  await clock.advance(5000)
  cut = true
  await clock.advance(11_000)
  assert.deepEqual([...leading], [])
  await b.done
  await clock.advance(15_000)
  assert.deepEqual([...leading], ['c'])
  c.stop.abort()
  await c.done
})

const LEASE = { namespace: 'kube-system', name: 'x' }
const hang = () => new Promise<never>(() => {})

test('a request that hangs does not let a leader lead beyond its deadline, counted from before the last renewal', async () => {
  const clock = new VirtualClock()
  const random = seededRandom(3)
  const client = createClient(memoryTransport({ clock, random }))
  let hanging = false
  const signals: (AbortSignal | undefined)[] = []
  const slow: Client = {
    ...client,
    get: ((target, options) => {
      if (!hanging) return client.get(target, options)
      signals.push(options?.signal)
      return hang()
    }) as Client['get'],
  }
  let until = 0
  const lead = (signal: AbortSignal) =>
    new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => {
        until = clock.monotonic()
        resolve()
      }),
    )
  const done = runWithLeaderElection({ client: slow, lease: LEASE, identity: 'a', clock, random, lead }, new AbortController().signal)
  await clock.advance(3000)
  const renewedMs = clock.monotonic() - 1000 // at 2 s
  hanging = true
  await clock.advance(60_000)
  await done
  assert.equal(until, renewedMs + 10_000)
  assert.ok(signals.length > 1, 'one that hangs is given up in time for another')
  assert.ok(signals.every((s) => s?.aborted))
})

test('what `lead` throws is thrown, after the lease was given back; a renewal on its way changes nothing', async () => {
  const clock = new VirtualClock()
  const random = seededRandom(3)
  const client = createClient(memoryTransport({ clock, random }))
  let slow = false
  const delayed: Client = {
    ...client,
    get: (async (target, options) => {
      if (slow) await clock.sleep(3000)
      return client.get(target, options)
    }) as Client['get'],
  }
  const lead = async () => {
    await clock.sleep(2500) // a renewal began at 2 s
    throw new Error('mine')
  }
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const done = runWithLeaderElection({ client: delayed, lease: LEASE, identity: 'a', clock, random, lead }, new AbortController().signal)
  const settled = Promise.allSettled([done])
  await clock.advance(1000)
  slow = true
  await clock.advance(30_000)
  process.off('unhandledRejection', note)
  const [outcome] = await settled
  assert.equal(outcome.status === 'rejected' && outcome.reason.message, 'mine')
  assert.deepEqual(unhandled, [])
  assert.equal((await client.get({ ...LEASES, ...LEASE })).spec?.holderIdentity, '')
})

test('spans that do not fit are refused', async () => {
  const clock = new VirtualClock()
  const random = seededRandom(3)
  const client = createClient(memoryTransport({ clock, random }))
  const run = (spans: object) =>
    runWithLeaderElection({ client, lease: LEASE, identity: 'a', lead: hang, ...spans }, new AbortController().signal)
  await assert.rejects(run({ leaseDurationMs: 10_000 }), RangeError)
  await assert.rejects(run({ retryPeriodMs: 9000 }), RangeError)
})

/** What the network does with one request: how long it takes there and back, and where it is lost. */
interface Weather {
  readonly thereMs: number
  readonly backMs: number
  readonly fate: 'arrives' | 'lost' | 'unanswered'
  /** Whether an aborted call ends at once for the caller. */
  readonly hears: boolean
}

const weather: fc.Arbitrary<Weather> = fc.record({
  thereMs: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 50 }) }, fc.integer({ min: 0, max: 30_000 })),
  backMs: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 50 }) }, fc.integer({ min: 0, max: 30_000 })),
  fate: fc.oneof({ weight: 4, arbitrary: fc.constant('arrives' as const) }, fc.constantFrom('lost' as const, 'unanswered' as const)),
  hears: fc.boolean(),
})

test('on a network that delays, loses and hangs, never two lead; when it heals, one does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(weather, { minLength: 1, maxLength: 40 }),
      fc.array(fc.integer({ min: -1e7, max: 1e7 }), { minLength: 2, maxLength: 4 }),
      fc.integer(),
      async (storm, skews, seed) => {
        const clock = new VirtualClock()
        const random = seededRandom(seed)
        const transport = memoryTransport({ clock, random })
        let calls = 0
        let stormy = true
        const stormyCall = async (call: ApiCall): Promise<KubeObject> => {
          const w = storm[calls++ % storm.length]
          if (!stormy || w === undefined) return transport.call(call)
          const answer = (async () => {
            await clock.sleep(w.thereMs)
            if (w.fate === 'lost') throw new StatusError({ code: 503, message: 'lost' })
            const answered = await transport.call(call)
            if (w.fate === 'unanswered') await hang()
            await clock.sleep(w.backMs)
            return answered
          })()
          if (!w.hears) return answer
          const aborted = new Promise<never>((_, reject) => call.signal?.addEventListener('abort', () => reject(call.signal?.reason)))
          return Promise.race([answer, aborted])
        }
        const client = createClient({ ...transport, call: stormyCall })
        const leading = new Set<string>()
        let most = 0
        const stop = new AbortController()
        const compete = async (identity: string, skewMs: number) => {
          // The wall clocks of the machines differ by hours.
          const own: Clock = {
            now: () => clock.now() + skewMs,
            monotonic: () => clock.monotonic(),
            after: (ms, fn) => clock.after(ms, fn),
            sleep: (ms, signal) => clock.sleep(ms, signal),
            busy: (what) => clock.busy(what),
          }
          const lead = (signal: AbortSignal) =>
            new Promise<void>((resolve) => {
              leading.add(identity)
              most = Math.max(most, leading.size)
              const leave = () => {
                leading.delete(identity)
                resolve()
              }
              if (signal.aborted) leave()
              signal.addEventListener('abort', leave)
            })
          while (!stop.signal.aborted) {
            await runWithLeaderElection({ client, lease: LEASE, identity, clock: own, random, lead }, stop.signal)
            await clock.sleep(100).catch(() => {})
          }
        }
        const all = skews.map((skew, i) => compete(`c${i}`, skew))
        await clock.advance(300_000)
        stormy = false
        await clock.advance(120_000)
        assert.ok(most <= 1, `${most} led at once`)
        assert.equal(leading.size, 1)
        stop.abort()
        await clock.advance(120_000)
        await Promise.all(all)
      },
    ),
    { numRuns: 40 },
  )
})
