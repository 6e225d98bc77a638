import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import type { ConfigMap } from '../../resources/types/core.ts'
import { faultyTransport } from '../../testing/faulty-transport.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { createClient } from '../client/create-client.ts'
import { CONFIG_MAP } from '../kinds/builtin-kinds.ts'
import { targetOf } from '../kinds/kind.ts'
import { BY_OWNER, createKindCache } from './kind-cache.ts'

const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'owner-uid', controller: true }]
const map = (name: string): ConfigMap => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences } })
const at = (name: string) => targetOf(CONFIG_MAP, { name, namespace: 'default' })

test('a write is visible before its watch event, and not after the deletion, in either order of the news', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ parts: ['server'] }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const transport = faultyTransport(cluster.transport(), { clock })
  // No watch ever tells.
  transport.add({ when: (c) => c.verb === 'watch', outcome: 'hang' })
  const cache = createKindCache(
    CONFIG_MAP,
    { indexes: {} },
    { client: createClient(transport), clock, random: seededRandom(2), log: silentLogger },
  )
  const stop = new AbortController()
  const running = cache.run(stop.signal)
  await cache.informer.synced
  const { name: _name, ...collection } = at('a')
  const made = await client.create(collection, map('a'))
  assert.equal(cache.get('a', 'default'), undefined)
  cache.wrote(made)
  assert.equal(cache.get('a', 'default'), made)
  assert.deepEqual([cache.list('default').length, cache.list('other').length], [cache.informer.list('default').length + 1, 0])
  assert.deepEqual(cache.byIndex(BY_OWNER, 'owner-uid'), [made])
  // No event ever reports it: it is not kept for ever.
  await clock.advance(10_001)
  assert.equal(cache.get('a', 'default'), undefined)
  assert.deepEqual(cache.byIndex(BY_OWNER, 'owner-uid'), [])
  stop.abort()
  await clock.advance(60_000)
  await running
})

test('a response that arrives after the deletion event restores nothing', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ parts: ['server'] }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const cache = createKindCache(CONFIG_MAP, { indexes: {} }, { client, clock, random: seededRandom(2), log: silentLogger })
  const stop = new AbortController()
  const running = cache.run(stop.signal)
  await cache.informer.synced
  const { name: _name, ...collection } = at('a')
  const made = await client.create(collection, map('a'))
  await client.delete(at('a'))
  await clock.settle()
  cache.wrote(made)
  assert.equal(cache.get('a', 'default'), undefined)
  // One that was made anew under the name is another.
  const again = await client.create(collection, map('a'))
  cache.wrote(again)
  assert.equal(cache.get('a', 'default')?.metadata.uid, again.metadata.uid)
  stop.abort()
  await clock.advance(60_000)
  await running
})
