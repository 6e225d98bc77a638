import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { createClient } from '../client/create-client.ts'
import { memoryTransport } from '../client/memory-transport.ts'
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
