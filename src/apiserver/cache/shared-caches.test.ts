import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { type ResourceDefinition, readPath } from '../../machinery/resource/definition.ts'
import { type MemoryStore, openMemoryStore } from '../../storage/memory/memory-store.ts'
import { BatchPool } from './batch-pool.ts'
import { MemoryBudget } from './memory-budget.ts'
import { encodeObject } from './object-bytes.ts'
import { ResourceCache, type SharedItems } from './resource-cache.ts'
import { createResourceRegistry } from './resource-registry.ts'
import type { SharedCaches } from './shared-caches.ts'
import { bytesOf, type StoredObject } from './stored-object.ts'
import { EVERYTHING } from './view.ts'
import { openWatchCache, type WatchCache } from './watch-cache.ts'

const things = {
  group: 'test.example',
  names: { kind: 'Thing', listKind: 'ThingList', plural: 'things', singular: 'thing' },
  scope: 'Namespaced',
  versions: [],
  storageVersion: 'v1',
  convert: (objects: readonly KubeObject[]) => objects,
  rules: {},
} as unknown as ResourceDefinition
const gadgets: ResourceDefinition = {
  ...things,
  names: { kind: 'Gadget', listKind: 'GadgetList', plural: 'gadgets', singular: 'gadget' },
  customDefinition: 'gadgets.test.example',
}

const thing = (name: string, data: string) => ({
  apiVersion: 'test.example/v1',
  kind: 'Thing',
  metadata: { namespace: 'n', name },
  data,
})

const dataOf = (item: StoredObject | undefined) => item && readPath(item.object, ['data'])

interface Side {
  readonly store: MemoryStore
  readonly watchCache: WatchCache
  readonly ranges: () => number
}

async function open(clock: VirtualClock, store = openMemoryStore({}, { clock }), shared?: SharedCaches): Promise<Side> {
  let ranges = 0
  const range = store.range.bind(store)
  store.range = (...question) => {
    ranges++
    return range(...question)
  }
  const definitions = createResourceRegistry([things])
  const watchCache = await openWatchCache({ store, definitions, clock, log: silentLogger, ...(shared && { shared }) })
  return { store, watchCache, ranges: () => ranges }
}

const fork = (of: Side, clock: VirtualClock) => {
  const shared = of.watchCache.share()
  return open(clock, of.store.fork(), shared)
}

interface Step {
  readonly side: number
  readonly custom: boolean
  readonly name: string
  readonly data: string | undefined
}

const step: fc.Arbitrary<Step> = fc.record({
  side: fc.nat(2),
  custom: fc.boolean(),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  data: fc.option(fc.string(), { nil: undefined }),
})

async function take({ watchCache }: Side, { custom, name, data }: Step): Promise<void> {
  const definition = custom ? gadgets : things
  const present = watchCache.of(definition).get(`n/${name}`)
  if (data !== undefined) await watchCache.put(definition, `n/${name}`, { object: thing(name, data) }, present)
  else if (present !== undefined) await watchCache.remove(definition, present)
}

/** The content of the caches, and what was read by name, as JSON. */
const seen = ({ watchCache }: Side) =>
  [things, gadgets].map((definition) => {
    const cache = watchCache.of(definition)
    const listed = cache.list(EVERYTHING).map((item) => String(item.json()))
    const named = ['a', 'b', 'c', 'd'].flatMap((name) => cache.get(`n/${name}`)?.json().toString() ?? [])
    assert.deepEqual(named, listed)
    assert.deepEqual(
      cache.list(EVERYTHING).map((item) => item.object),
      listed.map((text) => JSON.parse(text)),
    )
    return listed
  })

test('caches that begin with those of another server show what their own store holds, and read none of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step), fc.array(step), fc.array(step), async (before, between, after) => {
      const clock = new VirtualClock()
      const sides = [await open(clock)]
      const play = async (steps: readonly Step[]) => {
        for (const s of steps) await take(sides[s.side % sides.length] as Side, s)
      }
      await play(before)
      sides.push(await fork(sides[0] as Side, clock))
      await play(between)
      sides.push(await fork(sides[1] as Side, clock))
      await play(after)
      for (const side of sides.slice(1)) assert.equal(side.ranges(), 0)
      for (const side of sides) {
        const alone = await open(clock, side.store.fork())
        assert.deepEqual(seen(side), seen(alone))
        assert.equal(side.watchCache.revision, alone.watchCache.revision)
        await alone.watchCache[Symbol.asyncDispose]()
      }
      for (const { watchCache } of sides) await watchCache[Symbol.asyncDispose]()
    }),
    { numRuns: 100 },
  )
})

test('a change that the caches do not know yet is in those that begin with them', async () => {
  const clock = new VirtualClock()
  const side = await open(clock)
  const value = encodeObject(thing('late', 'x'))
  const committed = side.store.commit({ key: '/registry/test.example/things/n/late', expect: { absent: true }, value })
  await committed
  const other = await fork(side, clock)
  assert.equal(dataOf(other.watchCache.of(things).get('n/late')), 'x')
})

const cacheOf = (make: SharedItems = (init) => new ResourceCache(init)) =>
  make({
    group: '',
    resource: 'things',
    floor: 1,
    reached: () => 1,
    budget: new MemoryBudget(1 << 30),
    batches: new BatchPool(),
    log: silentLogger,
  })

test('what one replaces stays decoded for the other', () => {
  const cache = cacheOf()
  const item = (revision: number, data: string) => cache.item({ key: 'n/a', revision, source: bytesOf(encodeObject(thing('a', data))) })
  cache.load(item(2, 'first'))
  const other = cacheOf(cache.share(2, false))
  const first = cache.get('n/a')?.object
  for (let revision = 3; revision < 600; revision++)
    other.put(other.item({ key: 'n/a', revision, source: bytesOf(encodeObject(thing('a', 'later'))) }))
  assert.equal(cache.get('n/a')?.object, first)
})

test('each sees custom objects through the lens of its own definition', () => {
  const cache = cacheOf()
  cache.load(cache.item({ key: 'n/a', revision: 2, source: bytesOf(encodeObject(thing('a', 'stored'))) }))
  const reading = (data: string) => ({ read: (object: KubeObject) => ({ ...object, data }) })
  cache.readThrough(reading('one'))
  assert.equal(dataOf(cache.get('n/a')), 'one')
  const other = cacheOf(cache.share(2, true))
  assert.equal(dataOf(other.get('n/a')), 'stored')
  other.readThrough(reading('two'))
  cache.readThrough(reading('three'))
  assert.deepEqual(
    [cache, other].map((c) => JSON.parse(String(c.get('n/a')?.json())).data),
    ['three', 'two'],
  )
})
