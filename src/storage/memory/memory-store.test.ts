import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { localStoreContract } from '../store.contract.ts'
import { openMemoryStore } from './memory-store.ts'

localStoreContract('memory', async (config, clock) => openMemoryStore(config, { clock }), { numRuns: 200 })

const value = Buffer.from('v')

test("a fork begins at the store's revision, history and leases included, and is independent", async () => {
  const clock = new VirtualClock()
  await using store = openMemoryStore({}, { clock })
  await store.commit({ key: 'a', expect: { absent: true }, value })
  await store.commit({ key: 'b', expect: { absent: true }, value, ttlMs: 100 })
  const underway = store.commit({ key: 'c', expect: { absent: true }, value })
  await using fork = store.fork()
  await underway
  assert.equal(fork.revision, 3)
  await fork.commit({ key: 'd', expect: { absent: true }, value })
  await store.commit({ key: 'a', expect: { revision: 2 }, value: undefined })
  const keys = async (s: typeof store, revision = s.revision) =>
    (await s.range('', { revision })).entries.map((entry) => entry.key).join('')
  assert.deepEqual([await keys(store), await keys(fork), await keys(fork, 2)], ['bc', 'abd', 'a'])
  await clock.advance(100)
  assert.deepEqual([await keys(store), await keys(fork)], ['c', 'ad'])
})

test('a fork of a large store costs next to nothing', async () => {
  await using store = openMemoryStore({}, { clock: new VirtualClock() })
  await Promise.all(Array.from({ length: 20_000 }, (_, i) => store.commit({ key: `k${i}`, expect: { absent: true }, value })))
  const forks = Array.from({ length: 1000 }, () => store.fork())
  assert.ok(forks.every((fork) => fork.revision === 20_001))
  await Promise.all(forks.map((fork) => fork[Symbol.asyncDispose]()))
})

test('writers that never rest leave the event loop its turns', async () => {
  await using store = openMemoryStore({}, { clock: new VirtualClock() })
  let turns = 0
  const turn = () => {
    turns++
    if (turns < 10) setImmediate(turn)
  }
  turn()
  let i = 0
  while (turns < 10) await store.commit({ key: `k${i++}`, expect: { absent: true }, value })
  assert.ok(i < 10_000)
})
