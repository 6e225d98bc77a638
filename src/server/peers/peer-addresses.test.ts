import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { PeerAddresses } from './peer-addresses.ts'

test('a server is found at its address while it renews it', async () => {
  const clock = new VirtualClock()
  await using store = openMemoryStore({}, { clock })
  const addresses = new PeerAddresses(store)
  assert.equal(await addresses.of('a'), undefined)
  await addresses.renew('a', { host: '192.0.2.1', port: 6443 })
  await clock.advance(10_000)
  await addresses.renew('a', { host: '192.0.2.1', port: 6443 })
  await clock.advance(10_000)
  assert.deepEqual(await addresses.of('a'), { host: '192.0.2.1', port: 6443 })
  await clock.advance(16_000)
  assert.equal(await addresses.of('a'), undefined)
})

test('a server that leaves is not found, and may leave twice', async () => {
  await using store = openMemoryStore({}, { clock: new VirtualClock() })
  const addresses = new PeerAddresses(store)
  await addresses.renew('a', { host: '192.0.2.1', port: 6443 })
  await addresses.leave('a')
  await addresses.leave('a')
  assert.equal(await addresses.of('a'), undefined)
})
