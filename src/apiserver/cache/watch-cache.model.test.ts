import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { giveTurn } from '../../base/turns.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { ChaoticStore } from '../../storage/chaotic-store.double.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import type { ResourceCache } from './resource-cache.ts'
import { createResourceRegistry } from './resource-registry.ts'
import type { Filter } from './view.ts'
import { openWatchCache, type WatchCache } from './watch-cache.ts'
import type { CacheWatcher } from './watchers.ts'

const things: ResourceDefinition = {
  group: 'test.example',
  names: { kind: 'Thing', listKind: 'ThingList', plural: 'things', singular: 'thing' },
  scope: 'Namespaced',
  versions: [],
  storageVersion: 'v1',
  convert: (objects: readonly KubeObject[]) => objects,
  rules: {},
} as unknown as ResourceDefinition

const thing = (name: string, label: string, size: number) => ({
  apiVersion: 'test.example/v1',
  kind: 'Thing',
  metadata: { namespace: 'n', name, labels: { l: label } },
  data: 'x'.repeat(size),
})

/** A few fat objects' worth. */
const MAX_PAST = 4000

const FILTERS: readonly Filter[] = [
  { key: 'all', prefix: '' },
  { key: 'label', prefix: '', matches: (i) => i.object.metadata.labels?.l === 'a' },
  { key: 'name', prefix: 'n/', exact: 'n/k1', index: { field: 'metadata.name', value: 'k1' } },
]

/**
 * A reader as informers are: a list, then the watch from there; and again when its place is forgotten. It may never see anything twice, or
 * backwards.
 */
class InformerLike {
  readonly filter: Filter
  readonly #cache: ResourceCache
  readonly #watchCache: WatchCache
  readonly state = new Map<string, number>()
  #watcher: CacheWatcher
  lists = 0

  constructor(watchCache: WatchCache, filter: Filter) {
    this.filter = filter
    this.#watchCache = watchCache
    this.#cache = watchCache.of(things)
    this.#watcher = this.#list()
  }

  /** Takes at most `batches` of what there is. */
  read(batches: number): void {
    for (let i = 0; i < batches; i++) {
      const before = this.#watcher.position
      const batch = this.#watcher.take()
      if (batch === undefined) return
      if (batch === 'forgotten') {
        assert.ok(this.#watcher.position < this.#cache.history.floor, 'only what is forgotten is called so')
        this.#watcher.close()
        this.#watcher = this.#list()
        continue
      }
      let last = before
      for (const { type, item, revision } of batch.events) {
        // Every commit of these runs is to a thing, and revisions have no gaps: who sees all things sees all revisions.
        assert.ok(this.filter.key === 'all' ? revision === last + 1 : revision > last, `@${revision} after @${last}`)
        last = revision
        assert.equal(this.state.has(item.key), type !== 'ADDED', `${type} ${item.key}@${revision}`)
        if (type === 'DELETED') this.state.delete(item.key)
        else this.state.set(item.key, item.revision)
      }
    }
  }

  close(): void {
    this.#watcher.close()
  }

  #list(): CacheWatcher {
    this.lists++
    this.state.clear()
    for (const item of this.#cache.list(this.filter)) this.state.set(item.key, item.revision)
    return this.#cache.watchers.add(this.filter, this.#watchCache.revision, () => {})
  }
}

type Step =
  | { readonly do: 'write'; readonly key: string; readonly label: string; readonly size: number; readonly elsewhere: boolean }
  | { readonly do: 'remove'; readonly key: string }
  | { readonly do: 'deliver' | 'answer' | 'informer' | 'future' | 'throw' | 'wait'; readonly n: number }
  | { readonly do: 'read'; readonly n: number; readonly batches: number }
  | { readonly do: 'fail'; readonly when: 'before' | 'after' }

const key = fc.constantFrom('k0', 'k1', 'k2', 'k3')
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('write'),
      key,
      label: fc.constantFrom('a', 'b'),
      size: fc.constantFrom(0, 1000),
      elsewhere: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove'), key }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('deliver'), n: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('answer'), n: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('informer', 'future', 'throw', 'wait'), n: fc.nat(5) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('read'), n: fc.nat(3), batches: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail'), when: fc.constantFrom('before', 'after') }) },
) as fc.Arbitrary<Step>

interface Future {
  readonly watcher: CacheWatcher
  readonly after: number
}

/** Everything that goes on in one run. */
class Run {
  readonly store: ChaoticStore
  readonly watchCache: WatchCache
  readonly clock: VirtualClock
  readonly informers: InformerLike[] = []
  readonly futures: Future[] = []
  readonly outcomes: Promise<string>[] = []
  readonly waits: { readonly revision: number; readonly reached: Promise<boolean | string> }[] = []
  throws = 0

  constructor(store: ChaoticStore, watchCache: WatchCache, clock: VirtualClock) {
    this.store = store
    this.watchCache = watchCache
    this.clock = clock
    watchCache.onChange(things.group, things.names.plural, () => {
      if (this.throws > 0) {
        this.throws--
        throw new Error('a listener that fails')
      }
    })
  }

  async take(s: Step): Promise<void> {
    const cache = this.watchCache.of(things)
    if (s.do === 'write') this.#write(s)
    else if (s.do === 'remove') {
      const item = cache.get(`n/${s.key}`)
      if (item !== undefined) this.#watchOutcome(this.watchCache.remove(things, item).then((r) => r.kind))
    } else if (s.do === 'deliver') this.store.deliver(s.n)
    else if (s.do === 'answer') this.store.answer(s.n)
    else if (s.do === 'informer') this.informers.push(new InformerLike(this.watchCache, FILTERS[s.n % FILTERS.length] as Filter))
    else if (s.do === 'future') {
      const after = this.watchCache.revision + s.n
      const watcher = cache.watchers.add(FILTERS[0] as Filter, after, () => {})
      assert.equal(watcher.take(), undefined)
      this.futures.push({ after, watcher })
    } else if (s.do === 'throw') this.throws = s.n
    else if (s.do === 'wait') {
      const revision = this.watchCache.revision + s.n
      const reached = this.watchCache.reach(revision, 1000 * (1 + s.n)).catch((error: unknown) => String(error))
      this.waits.push({ revision, reached })
    } else if (s.do === 'fail') this.store.failNext(s.when)
    else if (s.do === 'read') this.informers[s.n % Math.max(1, this.informers.length)]?.read(s.batches)
    await giveTurn()
  }

  #write(s: Extract<Step, { do: 'write' }>): void {
    const object = thing(s.key, s.label, s.size)
    const standing = this.watchCache.of(things).get(`n/${s.key}`)
    if (!s.elsewhere) {
      const put = this.watchCache.put(things, `n/${s.key}`, { object }, standing)
      this.#watchOutcome(
        put.then((written) => {
          if (written.kind === 'stored') assert.ok(this.watchCache.revision >= written.item.revision, 'who wrote sees what it wrote')
          return written.kind
        }),
      )
      return
    }
    const value = Buffer.from(JSON.stringify(object))
    const expect = standing === undefined ? ({ absent: true } as const) : { revision: standing.revision }
    this.#watchOutcome(this.store.below.commit({ key: `/registry/test.example/things/n/${s.key}`, expect, value }).then((r) => r.kind))
  }

  #watchOutcome(outcome: Promise<string>): void {
    this.outcomes.push(
      outcome.catch((error: unknown) => {
        if (isStatus(error)) return error.status.reason ?? ''
        throw error
      }),
    )
  }

  /** Lets everything come that is on its way. */
  async finish(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet++) {
      this.store.deliver(1_000_000)
      while (this.store.heldResponses > 0) {
        quiet = 0
        this.store.answer(0)
        await giveTurn()
      }
      await giveTurn()
    }
  }
}

async function start(): Promise<Run> {
  const clock = new VirtualClock()
  const store = new ChaoticStore(openMemoryStore({}, { clock }))
  const watchCache = await openWatchCache({
    store,
    definitions: createResourceRegistry([things]),
    clock,
    log: silentLogger,
    maxPastBytes: MAX_PAST,
  })
  return new Run(store, watchCache, clock)
}

const summary = (cache: ResourceCache, filter: Filter) => cache.list(filter).map((i) => `${i.key}@${i.revision}`)

let relists = 0
test('property: with late, reordered, lost or failing events readers never miss, repeat or go back, and every read ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 150 }), async (steps) => {
      const run = await start()
      const { store, watchCache, clock } = run
      run.informers.push(new InformerLike(watchCache, FILTERS[0] as Filter))
      for (const s of steps) await run.take(s)
      await run.finish()
      await Promise.all(run.outcomes)
      const cache = watchCache.of(things)
      const stands = (await store.below.range('/registry/')).entries.map(
        (e) => `${e.key.slice('/registry/test.example/things/'.length)}@${e.revision}`,
      )
      assert.deepEqual(summary(cache, FILTERS[0] as Filter), stands, 'the cache shows what the store holds')
      for (const informer of run.informers) {
        informer.read(10_000)
        assert.deepEqual([...informer.state].map(([k, r]) => `${k}@${r}`).sort(), summary(cache, informer.filter).sort())
        relists += informer.lists - 1
        informer.close()
      }
      for (const { watcher, after } of run.futures) {
        for (let batch = watcher.take(); batch !== undefined && batch !== 'forgotten'; batch = watcher.take())
          for (const e of batch.events) assert.ok(e.revision > after, `@${e.revision} was told to who asked for what is after @${after}`)
        watcher.close()
      }
      const reached = Promise.all(run.waits.map(async (w) => [w.revision, await w.reached] as const))
      await clock.advance(10_000)
      for (const [revision, answer] of await reached) if (revision <= watchCache.revision) assert.equal(typeof answer, 'boolean')
      assert.deepEqual(cache.watchers.kept, { views: 0, buckets: 0 }, 'nothing is kept for those who left')
      assert.ok(watchCache.pastBytes <= MAX_PAST)
      await watchCache[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    }),
    { numRuns: 150 },
  )
  assert.ok(relists > 0, 'some of them were behind what is kept')
})

test('a broken watch of the store fails all waiting readers, and later ones', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const run = await start()
      for (const s of steps) await run.take(s)
      const item = run.watchCache.of(things).get('n/k0')
      run.store.breakWatches()
      await giveTurn()
      while (run.store.heldResponses > 0) run.store.answer(0)
      await Promise.all(run.outcomes)
      for (const { reached, revision } of run.waits) assert.ok(revision <= run.watchCache.revision || (await reached) !== true)
      assert.equal(run.watchCache.failed.aborted, true)
      const unavailable = (error: unknown) => isStatus(error, 'ServiceUnavailable')
      await assert.rejects(run.watchCache.consistent(), unavailable)
      await assert.rejects(run.watchCache.put(things, 'n/new', { object: thing('new', 'a', 0) }, undefined), unavailable)
      if (item !== undefined) await assert.rejects(run.watchCache.remove(things, item), unavailable)
      await run.watchCache[Symbol.asyncDispose]()
      await run.store[Symbol.asyncDispose]()
    }),
    { numRuns: 50 },
  )
})

test('a wait that is too long ends alone: others that wait for the same revision go on', async () => {
  const { watchCache, store, clock } = await start()
  const [short, long] = [watchCache.reach(2, 1000), watchCache.reach(2, 10_000)]
  await clock.advance(2000)
  assert.equal(await short, false)
  const put = watchCache.put(things, 'n/a', { object: thing('a', 'a', 0) }, undefined)
  await giveTurn()
  store.answer(0)
  store.deliver(1)
  assert.deepEqual([await long, (await put).kind], [true, 'stored'])
})

test('an answer that comes before the watch waits for it', async () => {
  const { watchCache, store } = await start()
  let done = false
  const put = watchCache.put(things, 'n/a', { object: thing('a', 'a', 0) }, undefined).then((w) => {
    done = true
    return w
  })
  await giveTurn()
  store.answer(0)
  await giveTurn()
  assert.equal(done, false)
  store.deliver(1)
  const written = await put
  assert.equal(written.kind === 'stored' && written.item, watchCache.of(things).get('n/a'), 'the item of the cache, decoded once')
})

test('a listener that throws does not keep others from their events', async () => {
  const { watchCache, store } = await start()
  const heard: string[] = []
  watchCache.onChange(things.group, things.names.plural, () => {
    throw new Error('always')
  })
  watchCache.onChange(things.group, things.names.plural, (o) => heard.push(o?.metadata.name ?? ''))
  for (const name of ['a', 'b']) {
    const put = watchCache.put(things, `n/${name}`, { object: thing(name, 'a', 0) }, undefined)
    await giveTurn()
    store.answer(0)
    store.deliver(1)
    await put
  }
  assert.deepEqual([heard, watchCache.failed.aborted], [['a', 'b'], false])
})

test('an event carries the very object that was written, whatever the store returns', async () => {
  const { watchCache, store } = await start()
  const object = thing('a', 'a', 0)
  let reported: KubeObject | undefined
  watchCache.onChange(things.group, things.names.plural, (o) => {
    reported = o
  })
  const put = watchCache.put(things, 'n/a', { object }, undefined)
  await giveTurn()
  store.answer(0)
  store.deliver(1)
  await put
  assert.equal(reported, object)
})
