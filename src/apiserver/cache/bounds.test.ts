import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '../../base/logger.ts'
import { nextTurn } from '../../base/turns.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { BatchPool } from './batch-pool.ts'
import { MemoryBudget } from './memory-budget.ts'
import { encodeObject } from './object-bytes.ts'
import { ResourceCache } from './resource-cache.ts'
import { bytesOf, StoredObject } from './stored-object.ts'
import { EVERYTHING, type Filter } from './view.ts'
import { BATCH_BYTES } from './view-log.ts'

const KIB = 1024
const batches = new BatchPool()
const cacheOf = (resource: string, budget: MemoryBudget) =>
  new ResourceCache({ group: '', resource, floor: 1, reached: () => 1, budget, batches, log: silentLogger })
const configMap = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })
const fat = (name: string, revision: number, sizeBytes: number) =>
  new StoredObject({
    key: `n/${name}`,
    revision,
    source: bytesOf(encodeObject(configMap(name, { x: 'x'.repeat(sizeBytes) }))),
  })

test('updates of fat objects shorten the past of their own resource, and of no other', () => {
  const budget = new MemoryBudget(1024 * KIB)
  const [fats, thin] = [cacheOf('fats', budget), cacheOf('thin', budget)]
  for (let r = 2; r < 200; r += 2) {
    thin.put(fat('a', r, 10))
    fats.put(fat('a', r + 1, 100 * KIB))
    assert.ok(budget.heldBytes <= 1024 * KIB)
  }
  assert.equal(thin.history.floor, 1, 'all of it is there')
  assert.ok(fats.history.floor > 150)
})

test('a stalled watcher retains nothing that the history has dropped', () => {
  const cache = cacheOf('fats', new MemoryBudget(1024 * KIB))
  const slow = cache.watchers.add(EVERYTHING, 1, () => {})
  assert.equal(slow.take(), undefined)
  for (let r = 2; r < 100; r++) {
    cache.put(fat('a', r, 100 * KIB))
    cache.watchers.flush()
  }
  assert.equal(slow.cursor, undefined)
  assert.equal(slow.take(), 'forgotten')
  assert.equal(slow.view.isEmpty, true)
})

test('a batch ends when it is large enough, whether it comes from the log, the history or the beginning', () => {
  const cache = cacheOf('fats', new MemoryBudget(1 << 30))
  const active = cache.watchers.add(EVERYTHING, 1, () => {})
  active.take()
  const lagging = cache.watchers.add({ key: 'other', prefix: '' }, 1, () => {})
  for (let r = 2; r < 22; r++) cache.put(fat(`k${r}`, r, 100 * KIB))
  for (const watcher of [active, lagging]) {
    let events = 0
    for (let batch = watcher.take(); batch !== undefined && batch !== 'forgotten'; batch = watcher.take()) {
      assert.ok(batch.events.length <= 1 + BATCH_BYTES / (100 * KIB))
      events += batch.events.length
    }
    assert.equal(events, 20)
  }
  const items = cache.list(EVERYTHING)
  const first = cache.initialBatch(items, 0)
  assert.equal(first.events.length, 3)
  assert.equal(cache.initialBatch(cache.list(EVERYTHING), 0), first, 'who begins at the same time shares the bytes')
})

test('looking through a long history for little gives others their turn', async () => {
  const cache = cacheOf('fats', new MemoryBudget(1 << 30))
  for (let r = 2; r < 102; r++) cache.put(fat('a', r, 100 * KIB))
  cache.put(fat('b', 102, 1))
  const only: Filter = { key: 'b', prefix: 'n/', exact: 'n/b', index: { field: 'metadata.name', value: 'b' } }
  const reported = Promise.withResolvers<void>()
  let turns = 0
  const watcher = cache.watchers.add(only, 1, () => {
    turns++
    const batch = watcher.take()
    if (batch === undefined) return
    assert.deepEqual(batch !== 'forgotten' && batch.events.map((e) => e.item.name), ['b'])
    reported.resolve()
  })
  assert.equal(watcher.take(), undefined)
  await reported.promise
  assert.ok(turns > 5)
})

test('a filter without watchers leaves nothing behind', () => {
  const cache = cacheOf('secrets', new MemoryBudget(1 << 30))
  for (let i = 0; i < 1000; i++) {
    const filter = (field: string): Filter => ({ key: `${field}${i}`, prefix: 'n/', index: { field, value: String(i) } })
    const [known, unknown] = [cache.watchers.add(filter('metadata.name'), 1, () => {}), cache.watchers.add(filter('no.such'), 1, () => {})]
    known.close()
    unknown.close()
  }
  assert.deepEqual(cache.watchers.kept, { views: 0, buckets: 0 })
})

test('states kept for lists expire, also while they are in use', () => {
  const budget = new MemoryBudget(1024 * KIB)
  const cache = cacheOf('fats', budget)
  for (let r = 2; r < 12; r++) cache.put(fat(`k${r}`, r, 10))
  cache.firstPage({ filter: EVERYTHING, from: '', limit: 2 }, 11)
  assert.equal(cache.keptStates, 1)
  for (const revision of [0, 4, 11]) {
    cache.age(revision)
    assert.notEqual(cache.nextPage({ filter: EVERYTHING, from: 'n/k4', limit: 2 }, 11), undefined)
  }
  cache.age(12)
  assert.deepEqual([cache.keptStates, cache.nextPage({ filter: EVERYTHING, from: '', limit: 2 }, 11)], [0, undefined])
  assert.equal(cache.history.floor, 11)
  assert.equal(budget.heldBytes, 0)
})

test('the remaining item count of a page is computed without visiting each', async () => {
  const cache = cacheOf('many', new MemoryBudget(1 << 30))
  const value = encodeObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } })
  for (let i = 0; i < 5000; i++)
    cache.load(new StoredObject({ key: `${i % 2 === 0 ? 'a' : 'b'}/${10_000 + i}`, revision: 2, source: bytesOf(value) }))
  const page = await cache.firstPage({ filter: { key: 'a/', prefix: 'a/' }, from: '', limit: 100 }, 2)
  assert.deepEqual([page.items.length, page.remaining, page.next], [100, 2400, 'a/10198'])
  const last = await cache.nextPage({ filter: EVERYTHING, from: 'b/14900', limit: 40 }, 2)
  assert.deepEqual([last?.items.length, last?.remaining], [40, 10])
})

test('a lens shows all objects, those of the past too, and is changed without touching one', () => {
  const cache = cacheOf('crontabs', new MemoryBudget(1 << 30))
  const value = encodeObject({ apiVersion: 'v1', kind: 'CronTab', metadata: { name: 'a' }, spec: { old: 1 } })
  cache.load(cache.item({ key: 'n/a', revision: 2, source: bytesOf(value) }))
  cache.put(cache.item({ key: 'n/a', revision: 3, source: bytesOf(value) }))
  let looks = 0
  const adding = (extra: string) => ({
    read: (object: KubeObject) => {
      looks++
      return { ...object, spec: { [extra]: true } }
    },
  })
  cache.readThrough(adding('one'))
  const item = cache.get('n/a')
  assert.equal(looks, 0, 'nothing is done before somebody looks')
  assert.deepEqual([item?.object.spec, JSON.parse(String(item?.json())).spec], [{ one: true }, { one: true }])
  assert.equal(looks, 1)
  cache.readThrough(adding('two'))
  assert.deepEqual([item?.object.spec, item?.object.metadata.resourceVersion], [{ two: true }, '3'])
  const past = cache.history.after(2, 1)?.events[0]?.previous
  assert.deepEqual(past?.object.spec, { two: true })
  cache.readThrough(undefined)
  assert.deepEqual([item?.object.spec, item?.value], [{ old: 1 }, item?.stored])
})

test('a selector over many objects gives others their turn, and finds the state of the call', async () => {
  const cache = cacheOf('many', new MemoryBudget(1 << 30))
  const labelled = (i: number) =>
    encodeObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `k${i}`, labels: { third: String(i % 3 === 0) } } })
  for (let i = 0; i < 6000; i++) cache.load(new StoredObject({ key: `n/${10_000 + i}`, revision: 2, source: bytesOf(labelled(i)) }))
  const filter: Filter = { key: 'third', prefix: '', matches: (o) => o.object.metadata.labels?.third === 'true' }
  let turns = 0
  let listed = false
  const count = () => {
    turns++
    if (!listed) nextTurn(count)
  }
  nextTurn(count)
  const listing = cache.firstPage({ filter, from: '', limit: 1900 }, 2)
  cache.delete('n/15997', 3)
  cache.put(new StoredObject({ key: 'n/15999', revision: 4, source: bytesOf(labelled(0)) }))
  const first = await listing
  listed = true
  assert.ok(turns >= 10, `${turns} turns`)
  assert.equal(first.items.length, 1900)
  const rest = await cache.nextPage({ filter, from: `${first.next}\u0000`, limit: 1900 }, 2)
  assert.deepEqual([rest?.items.length, rest?.next], [100, undefined])
  assert.equal(rest?.items.at(-1)?.key, 'n/15997')
})

test('objects of an expiring kind keep their decoded form only while fresh; later reads decode them anew', () => {
  const budget = new MemoryBudget(1 << 30)
  const cache = new ResourceCache({
    group: '',
    resource: 'events',
    floor: 1,
    reached: () => 1,
    budget,
    batches,
    log: silentLogger,
    cools: true,
  })
  for (let r = 2; r < 600; r++) cache.put(fat(`e${r}`, r, 10))
  const [fresh, old] = [cache.get('n/e599'), cache.get('n/e2')]
  const made = fresh?.object
  assert.equal(fresh?.object, made)
  const requested = old?.object
  assert.equal(requested?.metadata.name, 'e2')
  assert.equal(old?.object, requested, 'who asks again soon gets the same')
  cache.age(1)
  assert.notEqual(old?.object, requested)
  assert.deepEqual(old?.object, requested)
})

test('what is known by key alone is forgotten from time to time, and found all the same', () => {
  const cache = cacheOf('many', new MemoryBudget(1 << 30))
  for (let i = 0; i < 5000; i++) cache.put(fat(`o-${i}`, i + 2, 1))
  const [first, last] = [cache.get('n/o-0'), cache.get('n/o-4999')]
  cache.age(0)
  assert.deepEqual([cache.get('n/o-0'), cache.get('n/o-4999'), cache.get('n/absent')], [first, last, undefined])
  assert.notEqual(first, undefined)
  cache.delete('n/o-0', 6000)
  assert.deepEqual([cache.get('n/o-0'), cache.size], [undefined, 4999])
})
