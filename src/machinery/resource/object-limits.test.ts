import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OBJECT_LIMITS, readObjectLimits } from './object-limits.ts'

test('the limits that are given replace the default ones', () => {
  const limits = readObjectLimits(
    new Map<string, string | number>([
      ['pods', '7'],
      ['*', 9],
    ]),
  )
  assert.deepEqual([limits.get('pods'), limits.get('*'), limits.get('events')], [7, 9, OBJECT_LIMITS.get('events')])
})

for (const value of ['', '0', '-1', '1.5', 'many', Number.NaN, Number.POSITIVE_INFINITY])
  test(`the limit ${JSON.stringify(value)} is refused`, () => {
    assert.throws(() => readObjectLimits(new Map([['pods', value]])), /^RangeError: pods=.*: the limit must be a positive integer$/)
  })
