import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { type Clock, VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { giveTurn } from '../../base/turns.ts'
import type { EngineConfig } from '../engine.ts'
import { type MemoryStore, openMemoryStore } from '../memory/memory-store.ts'
import { localStoreContract } from '../store.contract.ts'
import { StoreError } from '../store.ts'
import { frameBytes } from './frames.ts'
import { openRemoteStore } from './remote-store.ts'
import { type SharedStore, serveStore } from './serve-store.ts'

const named = (store: MemoryStore, id = 'one'): SharedStore => Object.assign(store, { id })

/** A store, and the wire to it, which a test may cut. */
function house(clock: Clock, config: EngineConfig = {}) {
  const wires = new Set<{ destroy(): void }>()
  const served: { store: SharedStore | undefined } = { store: named(openMemoryStore(config, { clock })) }
  return {
    served,
    cut: () => {
      for (const wire of wires) wire.destroy()
      wires.clear()
    },
    dial: async () => {
      if (served.store === undefined) throw new Error('nobody there')
      const [near, far] = duplexPair()
      wires.add(near)
      void serveStore(served.store, far)
      return near
    },
  }
}
const open = (at: ReturnType<typeof house>, clock: Clock, config: EngineConfig = {}) =>
  openRemoteStore({ patienceMs: 1000, retryMs: 10, ...config }, { clock, log: silentLogger, dial: at.dial })

localStoreContract('remote', async (config, clock) => open(house(clock, config), clock, config), { distant: true })

const bytes = (text: string) => Buffer.from(text)
const put = (key: string, value = 'v') => ({ key, expect: { absent: true }, value: bytes(value) }) as const
const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await giveTurn()
}

test('two clients see what each other wrote, and decide conflicts in the store', async () => {
  const clock = new VirtualClock()
  const at = house(clock)
  await using a = await open(at, clock)
  await using b = await open(at, clock)
  const results = await Promise.all([a.commit(put('k', 'a')), b.commit(put('k', 'b'))])
  assert.deepEqual(results.map((r) => r.kind).sort(), ['conflict', 'stored'])
  const [one, other] = await Promise.all([a.get('k'), b.get('k')])
  assert.deepEqual(one?.value, other?.value)
})

test('a copy that is made late holds the past that the store keeps', async () => {
  const clock = new VirtualClock()
  const at = house(clock)
  await using early = await open(at, clock)
  await early.commit(put('a'))
  await early.commit(put('b'))
  await early.commit({ key: 'a', expect: { revision: 2 }, value: undefined })
  await using late = await open(at, clock)
  assert.equal(late.revision, 4)
  assert.deepEqual(
    (await late.range('', { revision: 3 })).entries.map((e) => e.key),
    ['a', 'b'],
  )
})

test('a lost connection is opened again, watches continue, and pending calls get their result', async () => {
  const clock = new VirtualClock()
  const at = house(clock)
  await using store = await open(at, clock)
  await using other = await open(house(clock), clock)
  assert.equal(other.revision, 1)
  await store.commit(put('a'))
  const seen: string[] = []
  const watcher = store.watch('', 1)
  const watching = (async () => {
    for await (const changes of watcher.changes) for (const c of changes) seen.push(c.kind === 'put' ? c.entry.key : `-${c.key}`)
  })()
  const { store: there } = at.served
  at.served.store = undefined
  at.cut()
  await turns(5)
  await there?.commit(put('b'))
  const requested = store.commit(put('c'))
  const read = store.latest()
  await clock.advance(500)
  at.served.store = there
  await clock.advance(20)
  await turns(20)
  assert.deepEqual(await requested, { kind: 'stored', revision: 4 })
  assert.ok((await read) >= 3)
  await turns(5)
  assert.deepEqual(seen, ['a', 'b', 'c'])
  await watcher[Symbol.asyncDispose]()
  await watching
})

test('a call without a server fails when its time is over', async () => {
  const clock = new VirtualClock()
  const at = house(clock)
  await using store = await open(at, clock)
  at.served.store = undefined
  at.cut()
  await turns(5)
  const requested = assert.rejects(store.latest(), (e) => e instanceof StoreError && e.code === 'unavailable')
  await turns(2)
  await clock.advance(1001)
  await requested
})

test('without a server at the start: refused when the time is over', async () => {
  const clock = new VirtualClock()
  const at = house(clock)
  at.served.store = undefined
  const opening = assert.rejects(
    open(at, clock),
    (e) => e instanceof StoreError && e.code === 'unavailable' && /nobody there/.test(e.message),
  )
  await turns(2)
  await clock.advance(2000)
  await opening
})

test('another store in the place of the old one ends this one: what was promised cannot be kept', async () => {
  const clock = new VirtualClock()
  const at = house(clock)
  await using store = await open(at, clock)
  await store.commit(put('a'))
  const watcher = store.watch('', 2)
  const ended = assert.rejects(watcher.changes[Symbol.asyncIterator]().next(), (e) => e instanceof StoreError && e.code === 'io')
  at.served.store = named(openMemoryStore({}, { clock }), 'two')
  at.cut()
  await turns(5)
  await clock.advance(20)
  await ended
  await assert.rejects(store.latest(), (e) => e instanceof StoreError && e.code === 'io')
})

test('a client that does not read its responses is not read either', async () => {
  const clock = new VirtualClock()
  const [near, far] = duplexPair()
  void serveStore(named(openMemoryStore({}, { clock })), far)
  const question = frameBytes({ kind: 'latest', ask: 1 })
  let sent = 0
  while (near.write(question) && sent < 100_000) {
    sent++
    if (sent % 64 === 0) await turns(4)
  }
  assert.ok(sent < 10_000, `${sent} questions were read`)
  near.destroy()
})
