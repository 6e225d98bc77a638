import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { amountAt, parseScript, parseSeries, ScriptError } from './script.ts'

const shown = (text: string, seconds: number): string => {
  const amount = amountAt(parseScript(text), seconds * 1000)
  return amount === undefined ? 'nothing' : `${amount.quantity}${amount.shared ? '/replicas' : ''}`
}

const TABLE: readonly (readonly [text: string, seconds: number, amount: string])[] = [
  ['100m', 0, '100m'],
  ['100m', 9999, '100m'],
  ['100m,30s:400m', 29.999, '100m'],
  ['100m,30s:400m', 30, '400m'],
  ['100m, 30s: 400m , 1m30s:0', 90, '0'],
  ['10s:1', 9, 'nothing'],
  ['10s:1', 10, '1'],
  ['1200m/replicas,1m:64Mi', 0, '1200m/replicas'],
  ['1200m/replicas,1m:64Mi', 60, '64Mi'],
  // A clock that went back is no reason to have no figure.
  ['5m', -10, '5m'],
]
for (const [text, seconds, amount] of TABLE)
  test(`${text} after ${seconds} s is ${amount}`, () => {
    assert.equal(shown(text, seconds), amount)
  })

const WRONG: readonly (readonly [text: string, says: RegExp])[] = [
  ['', /"": an amount is a quantity/],
  ['much', /"much": an amount is a quantity such as 100m/],
  ['-1', /an amount/],
  ['1,2', /"2": every step but the first begins with its time/],
  ['1,30:2', /"30": a time is a duration/],
  ['1,-30s:2', /a time is a duration/],
  ['1,30s:2,30s:3', /times must rise/],
  ['0s:1,0s:2', /times must rise/],
  ['1/replica', /an amount/],
]
for (const [text, says] of WRONG)
  test(`${JSON.stringify(text)} is refused with its cause`, () => {
    assert.throws(
      () => parseScript(text),
      (error) => error instanceof ScriptError && says.test(error.message),
    )
  })

test('series are distinguished by their labels', () => {
  const series = parseSeries('{queue=a, zone=x}30;{queue=b}20,1m:40;7')
  assert.deepEqual(
    series.map(({ labels, script }) => [labels, String(amountAt(script, 60_000)?.quantity)]),
    [
      [{ queue: 'a', zone: 'x' }, '30'],
      [{ queue: 'b' }, '40'],
      [{}, '7'],
    ],
  )
  assert.throws(() => parseSeries('{queue=a 30'), /the labels end with }/)
  assert.throws(() => parseSeries('{queue}30'), /a label is KEY=VALUE/)
})

test('any text is read, or refused by a ScriptError', () => {
  const piece = fc.constantFrom(
    '1',
    '100m',
    '64Mi',
    ':',
    ',',
    ';',
    '{',
    '}',
    '=',
    '30s',
    '1m',
    '/replicas',
    ' ',
    '-',
    '1e99',
    '__proto__',
    'é',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (t) => {
      try {
        for (const { script } of parseSeries(t)) amountAt(script, 1e6)
      } catch (error) {
        assert.ok(error instanceof ScriptError, String(error))
      }
    }),
    { numRuns: 2000 },
  )
})

test('what is written is what is read', () => {
  const step = fc.record({ seconds: fc.integer({ min: 1, max: 1e6 }), milli: fc.integer({ min: 0, max: 1e9 }), shared: fc.boolean() })
  fc.assert(
    fc.property(fc.uniqueArray(step, { selector: (s) => s.seconds, minLength: 1, maxLength: 8 }), (steps) => {
      const sorted = steps.toSorted((a, b) => a.seconds - b.seconds)
      const script = parseScript(sorted.map((s) => `${s.seconds}s:${s.milli}m${s.shared ? '/replicas' : ''}`).join(','))
      for (const { seconds, milli, shared } of sorted) {
        const amount = amountAt(script, seconds * 1000)
        assert.deepEqual([amount?.quantity.milliValue(), amount?.shared], [milli, shared])
      }
    }),
  )
})
