import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../base/clock.ts'
import { KeptEntry } from './kept-entry.ts'
import { openMemoryStore } from './memory/memory-store.ts'
import { Packing } from './packing.ts'
import type { Entry } from './store.ts'
import { UnpackedBlocks, ValueBlock } from './value-block.ts'

const bytes = (text: string) => Buffer.from(text)
const value = (i: number) => bytes(`{"kind":"Pod","name":"p-${i}","rest":"${'the same in all of them '.repeat(40)}"}`)
const bounds = { freshBytes: 0, freshMs: 1000, mostFreshBytes: 1 << 20 }

/** A packing with entries put into it; `current` may be changed. */
function packingOf(clock: VirtualClock, own: Partial<typeof bounds> = {}) {
  const current = new Map<string, Entry>()
  let revision = 1
  const packing = new Packing(
    { ...bounds, ...own },
    { clock, revision: () => revision, isCurrent: (entry) => current.get(entry.key) === entry },
  )
  const put = (key: string, held: Uint8Array) => {
    const entry = new KeptEntry({ key, value: held, revision: ++revision, createRevision: revision, expiresAt: undefined })
    current.set(key, entry)
    packing.add(entry)
    return entry
  }
  return { packing, put, current }
}

test('what has stood for a while is packed, and reads as it was', async () => {
  const clock = new VirtualClock()
  const { put } = packingOf(clock)
  const entries = Array.from({ length: 64 }, (_, i) => put(`/registry/core/pods/default/p-${i}`, value(i)))
  await clock.advance(999)
  assert.equal(entries.filter((e) => e.isPacked).length, 0)
  await clock.advance(3000)
  assert.equal(entries.filter((e) => e.isPacked).length, 64)
  for (const [i, entry] of entries.entries()) assert.deepEqual(Buffer.from(entry.value), value(i))
})

test('what was replaced is not packed, nor are the latest bytes', async () => {
  const clock = new VirtualClock()
  const { put } = packingOf(clock, { freshBytes: 32 * value(10).byteLength })
  const replaced = Array.from({ length: 32 }, () => put('/registry/core/pods/default/a', value(10)))
  const entries = Array.from({ length: 64 }, (_, i) => put(`/registry/core/pods/default/p-${i + 10}`, value(i + 10)))
  await clock.advance(5000)
  // The last one stands.
  assert.deepEqual(
    replaced.map((e) => e.isPacked),
    replaced.map((_, i) => i === 31),
  )
  assert.deepEqual(
    entries.map((e) => e.isPacked),
    entries.map((_, i) => i < 31),
  )
})

test('too much at once is packed however young it is', async () => {
  const clock = new VirtualClock()
  const { put } = packingOf(clock, { freshMs: 1e9, mostFreshBytes: 16 * value(10).byteLength })
  const entries = Array.from({ length: 64 }, (_, i) => put(`/registry/core/pods/default/p-${i + 10}`, value(i + 10)))
  await clock.advance(5000)
  assert.equal(entries.filter((e) => e.isPacked).length, 48)
})

test('kinds do not lie in one block, and a block of few waits for more', async () => {
  const clock = new VirtualClock()
  const { put } = packingOf(clock)
  const pods = Array.from({ length: 15 }, (_, i) => put(`/registry/core/pods/default/p-${i}`, value(i)))
  const events = Array.from({ length: 15 }, (_, i) => put(`/registry/core/events/default/p-${i}`, value(i)))
  await clock.advance(5000)
  assert.equal([...pods, ...events].filter((e) => e.isPacked).length, 0)
  pods.push(put('/registry/core/pods/default/p-15', value(15)))
  await clock.advance(5000)
  assert.deepEqual([pods.every((e) => e.isPacked), events.some((e) => e.isPacked)], [true, false])
})

test('a value that would hold up the others while it is packed stays as it is', async () => {
  const clock = new VirtualClock()
  const { put } = packingOf(clock)
  const large = [
    put('/registry/core/configmaps/default/a', Buffer.alloc(128 << 10)),
    put('/registry/core/configmaps/default/b', Buffer.alloc(8 << 20)),
  ]
  const small = Array.from({ length: 16 }, (_, i) => put(`/registry/core/configmaps/default/c-${i}`, value(i)))
  await clock.advance(5000)
  assert.deepEqual([large.some((e) => e.isPacked), small.every((e) => e.isPacked)], [false, true])
})

test('a store that packs answers as one that does not, of the past too', async () => {
  const clock = new VirtualClock()
  await using store = openMemoryStore({ packing: bounds }, { clock })
  for (let i = 0; i < 64; i++) await store.commit({ key: `/r/g/k/${i + 10}`, expect: { absent: true }, value: value(i) })
  await clock.advance(5000)
  const before = await store.range('')
  assert.equal(before.entries.filter((e) => e instanceof KeptEntry && e.isPacked).length, 64)
  for (let i = 0; i < 64; i += 2) await store.commit({ key: `/r/g/k/${i + 10}`, expect: { revision: i + 2 }, value: bytes('new') })
  await using fork = store.fork()
  for (const one of [store, fork]) {
    const past = await one.range('', { revision: before.revision })
    const now = await one.range('')
    for (let i = 0; i < 64; i++) {
      assert.deepEqual(Buffer.from(past.entries[i]?.value ?? bytes('')), value(i))
      assert.deepEqual(Buffer.from(now.entries[i]?.value ?? bytes('')), i % 2 === 0 ? bytes('new') : value(i))
    }
  }
})

test('property: values in a block are unchanged, and the memory for unpacked ones is bounded', () => {
  const unpacked = new UnpackedBlocks()
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 20 }), (values) => {
      const block = new ValueBlock(values, unpacked)
      let at = 0
      for (const one of values) {
        assert.deepEqual(Buffer.from(block.read(at, one.byteLength)), Buffer.from(one))
        at += one.byteLength
      }
    }),
  )
  for (let i = 0; i < 100; i++) new ValueBlock([Buffer.alloc(200_000, i)], unpacked).read(0, 1)
  assert.ok(unpacked.bytes <= 8 << 20, String(unpacked.bytes))
})
