import assert from 'node:assert/strict'
import { test } from 'node:test'
import { age, humanDuration } from './human-duration.ts'

test('a span is shown by its two largest units while it is short', () => {
  const cases: [seconds: number, text: string][] = [
    [-5, '<invalid>'],
    [-1, '0s'],
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [303, '5m3s'],
    [600, '10m'],
    [179 * 60, '179m'],
    [180 * 60, '3h'],
    [5 * 3600 + 60, '5h1m'],
    [47 * 3600, '47h'],
    [50 * 3600, '2d2h'],
    [324 * 86400, '324d'],
    [3 * 365 * 86400 + 12 * 86400, '3y12d'],
    [8 * 365 * 86400 - 1, '7y364d'],
    [8 * 365 * 86400, '8y'],
    [8 * 365 * 86400 + 86400, '8y'],
    [2000 * 365 * 86400, '292y'],
  ]
  for (const [seconds, text] of cases) assert.equal(humanDuration(seconds * 1000), text)
  assert.equal(age(undefined, 0), '<unknown>')
  assert.equal(age('2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1, 0, 1)), '60s')
})
