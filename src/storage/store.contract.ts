import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { byText } from '../base/by-text.ts'
import { type Clock, VirtualClock } from '../base/clock.ts'
import { giveTurn } from '../base/turns.ts'
import type { EngineConfig } from './engine.ts'
import { changedKey } from './keyspace.ts'
import {
  type Change,
  type Entry,
  type LocalStore,
  type Proposal,
  type Revision,
  type Store,
  StoreError,
  type StoreErrorCode,
  type Watcher,
} from './store.ts'

/** Opens a new, empty store. */
export type OpenStore = (clock: Clock) => Promise<Store>
export type OpenLocalStore = (config: EngineConfig, clock: Clock) => Promise<LocalStore>

interface ContractOptions {
  readonly numRuns?: number
  /** Behind a connection, which may delay a request, and split what was written together. */
  readonly distant?: boolean
  /** Commits to different keys, too, take effect in the order of the calls. */
  readonly ordered?: boolean
}

const bytes = (text: string) => Buffer.from(text)
const text = (entry: Entry | undefined) => (entry === undefined ? undefined : Buffer.from(entry.value).toString())
const failsWith = (code: StoreErrorCode) => (error: unknown) => error instanceof StoreError && error.code === code
const put = (store: Store, key: string, value = 'v') => store.commit({ key, expect: { absent: true }, value: bytes(value) })

async function stored(store: Store, proposal: Proposal): Promise<Revision> {
  const result = await store.commit(proposal)
  assert.equal(result.kind, 'stored')
  return result.kind === 'stored' ? result.revision : 0
}

/** `+a=1@2` is a put, `-a@3` a deletion. */
function notation(change: Change): string {
  return change.kind === 'put' ? `+${change.entry.key}=${text(change.entry)}@${change.revision}` : `-${change.key}@${change.revision}`
}

async function take(watcher: Watcher, count: number): Promise<string[]> {
  const seen: string[] = []
  const iterator = watcher.changes[Symbol.asyncIterator]()
  while (seen.length < count) {
    const { value, done } = await iterator.next()
    if (done === true) break
    seen.push(...value.map(notation))
  }
  return seen
}

/** The contract of every store. Each test gets a new one. */
export function storeContract(name: string, open: OpenStore, { numRuns = 20, ordered = false }: ContractOptions = {}): void {
  const rule = (title: string, check: (store: Store) => Promise<void>) =>
    test(`${name}: ${title}`, async () => {
      await using store = await open(new VirtualClock())
      await check(store)
    })

  rule('an empty store is at revision 1, and the first commit is 2', async (store) => {
    assert.equal(await store.latest(), 1)
    assert.deepEqual(await store.range(''), { entries: [], revision: 1, more: false, remaining: 0 })
    assert.deepEqual(await put(store, 'a'), { kind: 'stored', revision: 2 })
    assert.equal(await store.latest(), 2)
  })

  rule('the latest revision is at least that of acknowledged writes', async (store) => {
    assert.equal(await store.latest(), 1)
    const underway = put(store, 'b')
    assert.ok((await store.latest()) <= 2)
    await underway
    assert.equal(await store.latest(), 2)
  })

  rule('a put is read back with its revisions, and with the bytes that were given', async (store) => {
    const value = bytes('one')
    await store.commit({ key: 'a', expect: { absent: true }, value })
    await store.commit({ key: 'b', expect: { absent: true }, value })
    await store.commit({ key: 'a', expect: { revision: 2 }, value })
    const entry = await store.get('a')
    const { key, revision, createRevision, expiresAt, sizeBytes } = entry ?? {}
    assert.deepEqual([key, revision, createRevision, expiresAt, sizeBytes], ['a', 4, 2, undefined, value.byteLength])
    assert.deepEqual(Buffer.from(entry?.value ?? ''), value)
    assert.equal(await store.get('c'), undefined)
  })

  rule('a commit whose condition does not hold changes nothing and returns the present value', async (store) => {
    await put(store, 'a', 'one')
    const absent = await put(store, 'a', 'two')
    assert.equal(absent.kind === 'conflict' && text(absent.current), 'one')
    const stale = await store.commit({ key: 'a', expect: { revision: 1 }, value: bytes('two') })
    assert.equal(stale.kind === 'conflict' && stale.current?.revision, 2)
    const missing = await store.commit({ key: 'b', expect: { revision: 2 }, value: undefined })
    assert.deepEqual(missing, { kind: 'conflict', current: undefined })
    assert.equal(await store.latest(), 2)
  })

  rule('a deleted key can be created again, with a new beginning', async (store) => {
    await put(store, 'a')
    assert.equal(await stored(store, { key: 'a', expect: { revision: 2 }, value: undefined }), 3)
    assert.equal(await store.get('a'), undefined)
    await put(store, 'a')
    assert.equal((await store.get('a'))?.createRevision, 4)
  })

  rule('of many commits at once on one condition, one is stored and the others see it', async (store) => {
    const results = await Promise.all(Array.from({ length: 50 }, (_, i) => put(store, 'a', `w${i}`)))
    assert.deepEqual(results[0], { kind: 'stored', revision: 2 })
    for (const result of results.slice(1)) assert.equal(result.kind === 'conflict' && text(result.current), 'w0')
    assert.equal(await store.latest(), 2)
  })

  rule('commits to one key may be under way together, each on what the one before leaves', async (store) => {
    await put(store, 'a')
    const results = await Promise.all([
      store.commit({ key: 'a', expect: { revision: 2 }, value: undefined }),
      put(store, 'a', 'again'),
      put(store, 'a', 'too late'),
      store.commit({ key: 'a', expect: { revision: 4 }, value: bytes('guessed') }),
    ])
    assert.deepEqual(
      results.map((result) => (result.kind === 'stored' ? result.revision : text(result.current))),
      [3, 4, 'again', 5],
    )
    assert.equal(text(await store.get('a')), 'guessed')
  })

  rule('a range is in key order, of its prefix alone, and pages with limit and from', async (store) => {
    await Promise.all(['/p/b', '/p/a', '/q/a', '/p', '/p/c', '/o/z', '/p/d\uffff', '/p0'].map((key) => put(store, key)))
    const keys = async (prefix: string, options = {}) => {
      const { entries, more, remaining } = await store.range(prefix, options)
      return `${entries.map((entry) => entry.key).join(' ')}|${more}|${remaining}`
    }
    assert.equal(await keys('/p/'), '/p/a /p/b /p/c /p/d\uffff|false|0')
    assert.equal(await keys('/p/', { limit: 2 }), '/p/a /p/b|true|2')
    assert.equal(await keys('/p/', { limit: 2, from: '/p/b\0' }), '/p/c /p/d\uffff|false|0')
    assert.equal(await keys('/p/', { limit: 4 }), '/p/a /p/b /p/c /p/d\uffff|false|0')
    assert.equal(await keys('/p/', { from: '/a' }), '/p/a /p/b /p/c /p/d\uffff|false|0')
    assert.equal(await keys('/p/d\uffff', { limit: 0 }), '|true|1')
    assert.equal(await keys('', { limit: 6 }), '/o/z /p /p/a /p/b /p/c /p/d\uffff|true|2')
    assert.equal(await keys('/r/'), '|false|0')
  })

  rule('odd keys and values come back as they are', async (store) => {
    const keys = ['', ' ', '__proto__', 'constructor', 'é😀', 'a\0b', "'; DROP TABLE log", '\u{10ffff}']
    await Promise.all(keys.map((key) => store.commit({ key, expect: { absent: true }, value: new Uint8Array() })))
    const { entries } = await store.range('')
    assert.deepEqual(
      entries.map((entry) => entry.key),
      keys.toSorted(byText),
    )
    assert.ok(entries.every((entry) => entry.value.byteLength === 0))
    await assert.rejects(put(store, 'half\ud800'), failsWith('bad-key'))
  })

  rule('the past is read as it was', async (store) => {
    await put(store, 'a', '1')
    await put(store, 'b', '1')
    await store.commit({ key: 'a', expect: { revision: 2 }, value: bytes('2') })
    await store.commit({ key: 'b', expect: { revision: 3 }, value: undefined })
    await put(store, 'c', '1')
    const at = async (revision: Revision) => (await store.range('', { revision })).entries.map((entry) => entry.key + text(entry)).join(' ')
    assert.deepEqual(await Promise.all([1, 2, 3, 4, 5, 6].map(at)), ['', 'a1', 'a1 b1', 'a2 b1', 'a2', 'a2 c1'])
    assert.equal((await store.range('', { revision: 3, limit: 1 })).remaining, 1)
    assert.equal(await store.latest(), 6)
    await assert.rejects(store.range('', { revision: 7 }), failsWith('future'))
  })

  rule('what is compacted can be neither read nor watched, and the present is untouched', async (store) => {
    for (const key of ['a', 'b', 'c', 'd']) await put(store, key)
    await store.commit({ key: 'b', expect: { revision: 3 }, value: undefined })
    await store.compact(4)
    await assert.rejects(store.range('', { revision: 3 }), failsWith('compacted'))
    assert.equal((await store.range('', { revision: 4 })).entries.length, 3)
    assert.equal((await store.range('')).entries.length, 3)
    await assert.rejects(take(store.watch('', 2), 1), failsWith('compacted'))
    assert.deepEqual(await take(store.watch('', 4), 2), ['+d=v@5', '-b@6'])
    await store.compact(2)
    await assert.rejects(store.range('', { revision: 3 }), failsWith('compacted'))
    await assert.rejects(store.compact(7), failsWith('future'))
  })

  rule('a watcher gets the past after its revision, then what comes, in order, each once', async (store) => {
    await put(store, '/p/a', '1')
    await put(store, '/q/a', '1')
    await store.commit({ key: '/p/a', expect: { revision: 2 }, value: bytes('2') })
    const watcher = store.watch('/p/', 2)
    const seen = take(watcher, 3)
    await put(store, '/q/b')
    await store.commit({ key: '/p/a', expect: { revision: 4 }, value: undefined })
    await put(store, '/p/b')
    assert.deepEqual(await seen, ['+/p/a=2@4', '-/p/a@6', '+/p/b=v@7'])
  })

  rule('a change shows what stood there before', async (store) => {
    await put(store, 'a', '1')
    await store.commit({ key: 'a', expect: { revision: 2 }, value: bytes('2') })
    await store.commit({ key: 'a', expect: { revision: 3 }, value: undefined })
    for await (const changes of store.watch('', 1).changes) {
      assert.deepEqual(
        changes.map((change) => text(change.previous)),
        [undefined, '1', '2'],
      )
      break
    }
  })

  rule('a watcher may start in the future', async (store) => {
    const seen = take(store.watch('', 3), 1)
    for (const key of ['a', 'b', 'c']) await put(store, key)
    assert.deepEqual(await seen, ['+c=v@4'])
  })

  rule('a watcher that is disposed of ends quietly; one consumer is enough', async (store) => {
    const watcher = store.watch('', 1)
    const iterator = watcher.changes[Symbol.asyncIterator]()
    const waiting = iterator.next()
    await assert.rejects(iterator.next(), TypeError)
    await watcher[Symbol.asyncDispose]()
    assert.deepEqual(await waiting, { done: true, value: undefined })
    assert.deepEqual(await iterator.next(), { done: true, value: undefined })
    await put(store, 'a')
  })

  test(`${name}: closing waits for commits under way, and refuses what comes after`, async () => {
    const store = await open(new VirtualClock())
    const waiting = take(store.watch('', 100), 1)
    const committing = put(store, 'a')
    const closing = store[Symbol.asyncDispose]()
    assert.deepEqual(await committing, { kind: 'stored', revision: 2 })
    await assert.rejects(waiting, failsWith('closed'))
    await closing
    await assert.rejects(put(store, 'b'), failsWith('closed'))
    await assert.rejects(store.get('a'), failsWith('closed'))
    await assert.rejects(store.range(''), failsWith('closed'))
    await assert.rejects(take(store.watch('', 1), 1), failsWith('closed'))
    await store[Symbol.asyncDispose]()
  })

  test(`${name}: behaves as the model does, whatever is done`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        await using store = await open(new VirtualClock())
        await compare(store, steps, ordered)
      }),
      { numRuns },
    )
  })
}

/** The contract of engines in this process, which keep the time of leases and of the past themselves. */
export function localStoreContract(name: string, open: OpenLocalStore, options: ContractOptions = {}): void {
  const { distant = false } = options
  storeContract(name, (clock) => open({}, clock), { ...options, ordered: true })
  const rule = (title: string, check: (store: LocalStore, clock: VirtualClock) => Promise<void>, config: EngineConfig = {}) =>
    test(`${name}: ${title}`, async () => {
      const clock = new VirtualClock()
      await using store = await open(config, clock)
      await check(store, clock)
    })

  rule('the latest revision, and the oldest that is kept, are known at once', async (store) => {
    for (const key of ['a', 'b', 'c', 'd']) await put(store, key)
    assert.deepEqual([store.revision, store.compacted], [5, 1])
    await store.compact(4)
    await store.compact(2)
    assert.deepEqual([store.revision, store.compacted], [5, 4])
  })

  rule('an entry holds the very bytes that were given', async (store) => {
    const value = bytes('one')
    await store.commit({ key: 'a', expect: { absent: true }, value })
    assert.equal((await store.get('a'))?.value, value)
  })

  if (!distant)
    rule('nothing is seen before it is durable', async (store) => {
      const committing = put(store, 'a')
      assert.equal(store.revision, 1)
      assert.equal(await store.get('a'), undefined)
      await committing
      assert.equal(text(await store.get('a')), 'v')
    })

  if (!distant)
    rule('changes of one turn reach a watcher together', async (store) => {
      const iterator = store.watch('', 1).changes[Symbol.asyncIterator]()
      const next = iterator.next()
      await Promise.all(Array.from({ length: 10 }, (_, i) => put(store, `k${i}`)))
      assert.equal((await next).value?.length, 10)
    })

  rule('values that are too large are refused', (store) => assert.rejects(put(store, 'a', 'x'.repeat(101)), failsWith('too-large')), {
    maxValueBytes: 100,
  })

  rule(
    'beyond the quota nothing is added; what shrinks or is deleted makes room, and replacing may take an eighth more',
    async (store) => {
      await put(store, 'a', 'x'.repeat(60))
      await assert.rejects(put(store, 'b', 'x'.repeat(21)), failsWith('over-quota'))
      await put(store, 'b', 'x'.repeat(20))
      const revisionOf = async (key: string) => (await store.get(key))?.revision ?? 0
      const replace = async (key: string, size: number) =>
        store.commit({ key, expect: { revision: await revisionOf(key) }, value: bytes('x'.repeat(size)) })
      await replace('a', 70)
      await assert.rejects(replace('b', 21), failsWith('over-quota'))
      await replace('a', 10)
      await put(store, 'c', 'x'.repeat(50))
      await assert.rejects(put(store, 'd'), failsWith('over-quota'))
      await store.commit({ key: 'b', expect: { revision: await revisionOf('b') }, value: undefined })
      await put(store, 'd')
    },
    { quotaBytes: 80 },
  )

  rule('a key with a lease is deleted when it ends, and the deletion is watched', async (store, clock) => {
    await store.commit({ key: 'a', expect: { absent: true }, value: bytes('v'), ttlMs: 1000 })
    await store.commit({ key: 'b', expect: { absent: true }, value: bytes('v'), ttlMs: 500 })
    await store.commit({ key: 'c', expect: { absent: true }, value: bytes('v'), ttlMs: 1000 })
    await store.commit({ key: 'c', expect: { revision: 4 }, value: bytes('kept') })
    const seen = take(store.watch('', 5), 2)
    await clock.advance(499)
    assert.equal((await store.get('b'))?.expiresAt, clock.now() + 1)
    await clock.advance(1)
    const firstGone = await take(store.watch('', 5), 1)
    assert.deepEqual(firstGone, ['-b@6'])
    await clock.advance(500)
    assert.deepEqual(await seen, ['-b@6', '-a@7'])
    assert.equal(text(await store.get('c')), 'kept')
  })

  rule(
    'the past is kept for its time, then forgotten',
    async (store, clock) => {
      await put(store, 'a')
      await clock.advance(500)
      await put(store, 'b')
      await clock.advance(800)
      await put(store, 'c')
      assert.equal(store.compacted, 1, 'its age is known from now on')
      await clock.advance(800)
      assert.equal(store.compacted, 3)
      await clock.advance(1000)
      assert.equal(store.compacted, 4)
      assert.equal((await store.range('')).entries.length, 3)
    },
    { retention: { keepMs: 1000, maxRevisions: 100, maxBytes: 1 << 20 } },
  )

  rule(
    'the past has limits, and a watcher that is far behind is told so',
    async (store) => {
      const sleeping = store.watch('', 1)
      let revision = await stored(store, { key: 'a', expect: { absent: true }, value: bytes('v') })
      const write = async () => {
        revision = await stored(store, { key: 'a', expect: { revision }, value: bytes('v') })
      }
      for (let i = 0; i < 30; i++) await write()
      assert.equal(store.compacted, 1, 'the watcher may still read it')
      for (let i = 0; i < 100; i++) await write()
      assert.ok(store.revision - store.compacted <= 41, 'but not for ever')
      await assert.rejects(take(sleeping, 1), failsWith('compacted'))
      await write()
      assert.ok(store.revision - store.compacted <= 41)
    },
    { retention: { keepMs: 1e9, maxRevisions: 10, maxBytes: 1 << 20 } },
  )
}

type Step =
  | {
      readonly kind: 'commit'
      readonly key: string
      readonly expect: 'absent' | 'current' | 'stale'
      readonly value: string | undefined
      readonly wait: boolean
    }
  | { readonly kind: 'range'; readonly prefix: string; readonly back: number; readonly limit: number }
  | { readonly kind: 'compact'; readonly back: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      key: fc.constantFrom('a', 'aa', 'ab', 'b', 'ba'),
      expect: fc.constantFrom('absent' as const, 'current' as const, 'current' as const, 'stale' as const),
      value: fc.option(fc.string({ maxLength: 3 }), { nil: undefined }),
      wait: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('range' as const),
      prefix: fc.constantFrom('', 'a', 'b'),
      back: fc.nat(8),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const), back: fc.nat(10) }) },
)

/** The simplest store there can be: a whole copy of the map for each revision. */
class Model {
  readonly states = new Map<Revision, ReadonlyMap<string, { value: string; revision: Revision }>>([[1, new Map()]])
  revision = 1

  get now() {
    return this.states.get(this.revision) ?? new Map()
  }

  commit(key: string, expected: Revision | undefined, value: string | undefined): string {
    const current = this.now.get(key)
    if (current?.revision !== expected) return `conflict ${current?.revision}`
    const next = new Map(this.now)
    this.revision++
    if (value === undefined) next.delete(key)
    else next.set(key, { value, revision: this.revision })
    this.states.set(this.revision, next)
    return `stored ${this.revision}`
  }

  range(prefix: string, revision: Revision): string[] {
    const state = this.states.get(revision) ?? new Map()
    return [...state].flatMap(([key, { value }]) => (key.startsWith(prefix) ? [`${key}=${value}`] : [])).sort(byText)
  }
}

async function compare(store: Store, steps: readonly Step[], ordered: boolean): Promise<void> {
  const model = new Model()
  let compacted = 1
  const watched = new Map<string, string>()
  let seen = 1
  const watcher = store.watch('', 1)
  const watching = (async () => {
    for await (const changes of watcher.changes) {
      for (const change of changes) {
        assert.equal(change.revision, ++seen)
        if (change.kind === 'put') watched.set(changedKey(change), text(change.entry) ?? '')
        else watched.delete(change.key)
      }
    }
  })()
  let running: Promise<void>[] = []
  for (const s of steps) {
    if (s.kind === 'commit') {
      running.push(commitBoth(store, model, s))
      if (ordered && !s.wait) continue
    }
    await Promise.all(running)
    running = []
    assert.equal(await store.latest(), model.revision)
    if (s.kind === 'range') {
      const revision = Math.max(compacted, model.revision - s.back)
      const { entries, more, remaining } = await store.range(s.prefix, { revision, limit: s.limit })
      const all = model.range(s.prefix, revision)
      assert.deepEqual(
        entries.map((entry) => `${entry.key}=${text(entry)}`),
        all.slice(0, s.limit),
      )
      assert.equal(remaining, Math.max(0, all.length - s.limit))
      assert.equal(more, remaining > 0)
    } else if (s.kind === 'compact') {
      const revision = Math.max(1, Math.min(seen, model.revision - s.back))
      if (revision > 1) await store.compact(revision)
      compacted = Math.max(compacted, revision)
    }
  }
  await Promise.all(running)
  while (seen < model.revision) await giveTurn()
  await watcher[Symbol.asyncDispose]()
  await watching
  assert.deepEqual([...watched].map(([key, value]) => `${key}=${value}`).sort(), model.range('', model.revision).sort())
}

async function commitBoth(store: Store, model: Model, s: Extract<Step, { kind: 'commit' }>): Promise<void> {
  const current: Revision | undefined = model.now.get(s.key)?.revision
  const expected = s.expect === 'absent' ? undefined : s.expect === 'stale' ? 1 : current
  if (expected === undefined && s.value === undefined) return
  const want = model.commit(s.key, expected, s.value)
  const expect = expected === undefined ? ({ absent: true } as const) : { revision: expected }
  const result =
    s.value !== undefined
      ? await store.commit({ key: s.key, expect, value: bytes(s.value) })
      : await store.commit({ key: s.key, expect: { revision: expected ?? 0 }, value: undefined })
  assert.equal(result.kind === 'stored' ? `stored ${result.revision}` : `conflict ${result.current?.revision}`, want)
}
