import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FailedPodsBackOff } from './back-off.ts'

test('each failure waits twice as long, up to a quarter of an hour, and peace is forgotten', () => {
  let now = 0
  const backOff = new FailedPodsBackOff({ now: () => now })
  assert.equal(backOff.waitMs('a'), 0)
  const waits: number[] = []
  for (let i = 0; i < 12; i++) {
    const wait = backOff.waitMs('a')
    waits.push(wait / 1000)
    now += wait
    assert.equal(backOff.waitMs('a'), 0)
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
  assert.equal(backOff.waitMs('b'), 0)
  now += 31 * 60_000
  assert.equal(backOff.waitMs('a'), 0)
  assert.equal(backOff.waitMs('a'), 1_000)
})
