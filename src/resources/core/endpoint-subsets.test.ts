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
