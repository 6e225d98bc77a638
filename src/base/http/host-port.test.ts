import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostPort } from './host-port.ts'

test('an address of IPv6 has brackets', () => {
  assert.deepEqual(
    [hostPort('::1', 1), hostPort('192.0.2.1', '1'), hostPort('a.example.com', 1)],
    ['[::1]:1', '192.0.2.1:1', 'a.example.com:1'],
  )
})
