import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BACK_OFF, BackOff } from './back-off.ts'

/** The waits of something that fails at every attempt. */
function waits(count: number, quietMs = 0): number[] {
  const backOff = new BackOff()
  const seen: number[] = []
  let nowMs = 1_000_000
  for (let i = 0; i < count; i++) {
    nowMs += quietMs
    const waiting = backOff.waiting('k', nowMs, nowMs)
    seen.push((waiting?.delayMs ?? 0) / 1000)
    nowMs = waiting?.untilMs ?? nowMs
    backOff.next('k', nowMs, nowMs)
  }
  return seen
}

test('a restart waits not at all, then 10 s, 20 s, up to 5 min', () => {
  assert.deepEqual(waits(8), [0, 10, 20, 40, 80, 160, 300, 300])
})

test('ten minutes without another failure are forgiven', () => {
  assert.deepEqual(waits(3, BACK_OFF.forgetMs + 1), [0, 0, 0])
})

test('things wait each for themselves, and only as long as their wait lasts', () => {
  const backOff = new BackOff()
  backOff.next('a', 0, 0)
  assert.deepEqual(backOff.waiting('a', 500, 1000), { delayMs: 10_000, untilMs: 10_500 })
  assert.equal(backOff.waiting('a', 500, 10_500), undefined)
  assert.equal(backOff.waiting('b', 500, 1000), undefined)
})
