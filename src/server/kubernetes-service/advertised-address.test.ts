import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advertisedAddress, canBeEndpoint, defaultInterface } from './advertised-address.ts'

const machine = { address: (family: 'IPv4' | 'IPv6') => (family === 'IPv4' ? '203.0.113.9' : '2001:db8::9') }

for (const [advertise, host, expected] of [
  ['192.0.2.7', '127.0.0.1', '192.0.2.7'],
  ['127.0.0.1', '0.0.0.0', '127.0.0.1'],
  ['0.0.0.0', '192.0.2.8', '192.0.2.8'],
  [undefined, '192.0.2.8', '192.0.2.8'],
  [undefined, '0.0.0.0', '203.0.113.9'],
  [undefined, '::', '2001:db8::9'],
  [undefined, '::1', '2001:db8::9'],
  [undefined, '127.0.0.1', '203.0.113.9'],
] as const) {
  test(`--advertise-address ${advertise ?? '(none)'} and --bind-address ${host}: ${expected}`, () => {
    assert.equal(advertisedAddress({ advertise, host }, machine), expected)
  })
}

test('loopback and link-local addresses are not allowed in Endpoints', () => {
  assert.deepEqual(['127.0.0.1', '::1', '169.254.1.1', 'fe80::1', '0.0.0.0'].filter(canBeEndpoint), [])
  assert.deepEqual(['192.0.2.7', '198.19.0.1', 'fd00::1'].filter(canBeEndpoint), ['192.0.2.7', '198.19.0.1', 'fd00::1'])
})

test("Linux' table of routes names the interface of the default route", () => {
  const table = 'Iface\tDestination\tGateway\neth1\t000200C0\t00000000\neth0\t00000000\t010200C0\n'
  assert.deepEqual([defaultInterface(table), defaultInterface('')], ['eth0', undefined])
})
