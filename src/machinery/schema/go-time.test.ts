import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageOf } from '../../base/message-of.ts'
import { durationText, parseDuration } from '../go/go-duration.ts'
import { canonicalMicroTime, canonicalTime } from './go-time.ts'

const answer = (of: () => string) => {
  try {
    return of()
  } catch (error) {
    return messageOf(error)
  }
}
const as = ' as "2006-01-02T15:04:05Z07:00": cannot parse '

/** Compared with Go's time.Parse. */
const TIMES: readonly (readonly [text: string, answer: string])[] = [
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
  ['2026-01-01T00:00:00.999Z', '2026-01-01T00:00:00Z'],
  ['2026-01-01T00:00:00+01:00', '2025-12-31T23:00:00Z'],
  ['2026-01-01T5:00:00Z', '2026-01-01T05:00:00Z'],
  ['', `parsing time ""${as}"" as "2006"`],
  ['yesterday', `parsing time "yesterday"${as}"yesterday" as "2006"`],
  ['2026-01-01', `parsing time "2026-01-01"${as}"" as "T"`],
  ['2026-01-01T00:00:00', `parsing time "2026-01-01T00:00:00"${as}"" as "Z07:00"`],
  ['2026-13-01T00:00:00Z', 'parsing time "2026-13-01T00:00:00Z": month out of range'],
  ['2023-02-29T00:00:00Z', 'parsing time "2023-02-29T00:00:00Z": day out of range'],
  ['2026-01-01T25:00:00Z', 'parsing time "2026-01-01T25:00:00Z": hour out of range'],
  ['a"\\\n€', `parsing time "a\\"\\\\\\x0a\\xe2\\x82\\xac"${as}"a\\"\\\\\\x0a\\xe2\\x82\\xac" as "2006"`],
  ['2026-01-01T00:00:00Zx', 'parsing time "2026-01-01T00:00:00Zx": extra text: "x"'],
]

for (const [text, expected] of TIMES)
  test(`times are read as Go reads them: ${JSON.stringify(text)}`, () =>
    assert.equal(
      answer(() => canonicalTime(text)),
      expected,
    ))

test('micro times need six digits', () => {
  for (const same of ['2026-01-01T00:00:00.000001Z', '2026-12-31T23:59:59.999999Z', '2024-02-29T00:00:00.120000Z'])
    assert.equal(canonicalMicroTime(same), same)
  for (const wrong of ['2026-01-01T24:00:00.000001Z', '2026-02-30T00:00:00.000001Z', '2026-01-01T00:00:00.00000xZ'])
    assert.match(
      answer(() => canonicalMicroTime(wrong)),
      /^parsing time/,
    )
  assert.equal(canonicalMicroTime('2026-01-01T00:00:00,000001Z'), '2026-01-01T00:00:00.000001Z')
  assert.equal(canonicalMicroTime('2026-01-01T00:00:00.000001+00:00'), '2026-01-01T00:00:00.000001Z')
  assert.equal(
    answer(() => canonicalMicroTime('2026-01-01T00:00:00Z')),
    'parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  )
})

test('durations are read and written as Go does', () => {
  const round = (text: string) => answer(() => durationText(parseDuration(text)))
  assert.deepEqual(['1h', '1.5h', '-2m3s', '100ms', '1us', '0', '36h1ms'].map(round), [
    '1h0m0s',
    '1h30m0s',
    '-2m3s',
    '100ms',
    '1µs',
    '0s',
    '36h0m0.001s',
  ])
  assert.deepEqual(['', '1', '1x'].map(round), [
    'time: invalid duration ""',
    'time: missing unit in duration "1"',
    'time: unknown unit "x" in duration "1x"',
  ])
})
