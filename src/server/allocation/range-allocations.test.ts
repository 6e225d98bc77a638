import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { createRangeAllocations } from './range-allocations.ts'

const RANGE = { first: 30000, last: 32767 }
const KEY = '/ranges/servicenodeports'
const open = () => openMemoryStore({}, { clock: systemClock })

test('a port is a bit of one number, the lowest at the end', async () => {
  await using store = open()
  const ports = createRangeAllocations(RANGE, store)
  assert.equal(await ports.take('30000', 'u'), true)
  assert.equal(await ports.take('30009', 'u'), true)
  assert.equal(await ports.take('30009', 'other'), false)
  const stored = JSON.parse(Buffer.from((await store.get(KEY))?.value ?? []).toString())
  assert.deepEqual(
    [stored.kind, stored.range, Buffer.from(stored.data, 'base64').toString('hex')],
    ['RangeAllocation', '30000-32767', '0201'],
  )
  assert.deepEqual(
    (await ports.all()).map(({ name }) => name),
    ['30000', '30009'],
  )
  await ports.give('30009', 'u')
  await ports.give('30009', 'u')
  assert.deepEqual(
    (await ports.all()).map(({ name }) => name),
    ['30000'],
  )
})

test('of several servers that want one port at once, one gets it; different ports do not disturb each other', async () => {
  await using store = open()
  const servers = Array.from({ length: 5 }, () => createRangeAllocations(RANGE, store))
  const same = await Promise.all(servers.map((ports) => ports.take('30001', 'u')))
  assert.equal(same.filter(Boolean).length, 1)
  const others = await Promise.all(servers.map((ports, i) => ports.take(String(31000 + i), 'u')))
  assert.deepEqual(others, [true, true, true, true, true])
})

test('a server with another range of ports reports the mismatch', async () => {
  await using store = open()
  await createRangeAllocations(RANGE, store).take('30001', 'u')
  await assert.rejects(
    createRangeAllocations({ first: 1, last: 9 }, store).take('5', 'u'),
    /are of the range 30000-32767, those of this server of 1-9/,
  )
})
