import assert from 'node:assert/strict'
import { test } from 'node:test'
import { millisecondsOf } from './go-duration.ts'

// What `(time.Duration(n) * time.Second).Seconds() * 1000` is in Go.
for (const [seconds, ms] of [
  [0, 0],
  [30, 30_000],
  [-1, -1000],
  [9_223_372_036, 9_223_372_036_000],
  [2n ** 54n, -(2 ** 63) / 1e6],
  [2n ** 63n - 1n, -1000],
  [2n ** 55n, 0],
] as const)
  test(`${seconds} seconds are ${ms} milliseconds`, () => assert.equal(millisecondsOf(seconds), ms))
