import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repackSubsets } from './endpoint-subsets.ts'

test('the same endpoints are stored in one form, however they were written', () => {
  const http = { name: 'http', port: 80, protocol: 'TCP' }
  const dns = { name: 'dns', port: 53, protocol: 'UDP' }
  const together = repackSubsets([{ addresses: [{ ip: '10.0.0.2' }, { ip: '10.0.0.1' }], ports: [http, dns] }])
  const apart = repackSubsets([
    { addresses: [{ ip: '10.0.0.1' }], ports: [http] },
    { addresses: [{ ip: '10.0.0.2' }], ports: [http] },
    { addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], ports: [dns] },
  ])
  assert.deepEqual(together, [{ addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], ports: [dns, http] }])
  assert.deepEqual(apart, together)
})

test('an address that is not ready anywhere is not ready', () => {
  const port = { port: 80, protocol: 'TCP' }
  const packed = repackSubsets([
    { addresses: [{ ip: '10.0.0.1' }], ports: [port] },
    { notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [port] },
  ])
  assert.deepEqual(packed, [{ notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [port] }])
})

test('many addresses with many ports are one subset; what would be all their pairs is too large', () => {
  const addresses = Array.from({ length: 20_000 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }))
  const ports = Array.from({ length: 10_000 }, (_, i) => ({ name: `p${i}`, port: i + 1, protocol: 'TCP' }))
  const [subset, ...others] = repackSubsets([{ addresses, ports }])
  assert.deepEqual([subset?.addresses?.length, subset?.ports?.length, others.length], [20_000, 10_000, 0])
  const each = ports.map((port, i) => ({ addresses: [{ ip: `10.9.${i >> 8}.${i & 255}` }], ports: [port] }))
  assert.throws(() => repackSubsets([{ addresses, ports }, ...each]), /request is too large/)
})
