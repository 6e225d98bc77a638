import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LONGEST_ID, MOST_DEVICES, readDevices } from './device-list.ts'

const device = (id: string, health = 'Healthy', ...nodes: readonly number[]) => ({
  id,
  health,
  topology: nodes.length === 0 ? undefined : { nodes: nodes.map((n) => ({ id: n })) },
})

test('invalid devices are left out and reported', () => {
  const reported = [
    device('a'),
    device('a', 'Unhealthy'),
    device(''),
    device('x'.repeat(LONGEST_ID + 1)),
    device('b', 'Healthy', 1, -4, 2.5),
  ]
  const { devices, faults } = readDevices(reported)
  assert.deepEqual(
    [...devices.values()],
    [
      { id: 'a', healthy: false, numaNodes: [] },
      { id: 'b', healthy: true, numaNodes: [1] },
    ],
  )
  assert.deepEqual(faults, ['ids that stand twice ("a")', 'ids that are empty or longer than 253 characters, 2 times'])
})

test('devices beyond the limit are left out', () => {
  const { devices, faults } = readDevices(Array.from({ length: 100_000 }, (_, i) => device(`d${i}`)))
  assert.equal(devices.size, MOST_DEVICES)
  assert.deepEqual(faults, [`more than ${MOST_DEVICES} devices, ${100_000 - MOST_DEVICES} times`])
})
