/**
 * Numbers of a million digits that are none after all: who reads them looks at each digit a few times, or this file does not come to its
 * end.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createEnvironment } from './cel/environment.ts'
import { KUBERNETES_LIBRARIES } from './cel/kubernetes/libraries.ts'
import { compile } from './cel/program.ts'
import { parseDuration } from './cel/standard/time.ts'
import { float } from './flags/kinds.ts'
import { parseGoDuration } from './go/go-duration.ts'
import { textFormat } from './structural/formats.ts'

const LONG = `${'1'.repeat(1_000_000)}x`
const env = createEnvironment(KUBERNETES_LIBRARIES)
const run = (source: string) => compile(source, { env, variables: [] }).run({}, { spent: 0, limit: 10_000_000 })

for (const { name, read } of [
  { name: 'a duration of Go', read: () => assert.equal(parseGoDuration(LONG), undefined) },
  { name: 'a duration in CEL', read: () => assert.throws(() => parseDuration(LONG)) },
  { name: 'a double in CEL', read: () => assert.throws(() => run(`double("${LONG}")`)) },
  { name: 'a duration in a schema', read: () => assert.equal(textFormat('duration')?.(LONG), false) },
  { name: 'a flag', read: () => assert.throws(() => float(0).take(LONG, 0)) },
]) {
  test(`a million digits and a letter are no number: ${name}`, read)
}

test("Go's durations are told apart from other texts", () => {
  const part = fc.constantFrom('1', '0', '.', 'h', 'm', 's', 'ms', 'us', 'ns', '-', '+', ' ', '12.5h', '.5s', '3.m')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const text = parts.join('')
      const [, sign, rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
      // By hand: digits, at most one point among or beside them, a unit; again and again.
      const pieces = rest.match(/[\d.]+|[^\d.]+/g) ?? []
      const isOne = (amount: string, unit: string | undefined) =>
        /\d/.test(amount) && amount.split('.').length <= 2 && ['h', 'm', 's', 'ms', 'us', 'ns'].includes(unit ?? '')
      const whole = pieces.length > 0 && pieces.length % 2 === 0
      const wanted = rest === '0' || (whole && pieces.every((p, i) => i % 2 === 1 || isOne(p, pieces[i + 1])))
      assert.equal(parseGoDuration(text) !== undefined, wanted, `${sign} ${text}`)
    }),
  )
})
