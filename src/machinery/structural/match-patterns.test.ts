import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { atOnce } from '../../base/steps.ts'
import { matchPatterns } from './match-patterns.ts'
import { matchesPattern } from './pattern.ts'
import { ruleSteps } from './rules.ts'
import type { SchemaProps } from './schema-props.ts'
import { validateValue } from './validator.ts'

test('the quick way to match finds what the other one finds', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '.',
    '[a-c]',
    '(a|b)',
    'a*',
    'b+?',
    '(ab)?',
    '^',
    '$',
    '\\b',
    '\\w',
    '[^a]',
    'a{2,3}',
    '(?i:B)',
    '|',
  )
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 6 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'B', ' ', '\n', 'é') }),
      (parts, text) => {
        const pattern = parts.join('')
        let compiled: RE2JS
        try {
          compiled = RE2JS.compile(pattern)
        } catch {
          return
        }
        assert.equal(matchesPattern(pattern, text), compiled.matcher(text).find(), `${pattern} on ${JSON.stringify(text)}`)
      },
    ),
    { numRuns: 5000 },
  )
})

const pattern = '(a|b)*a(a|b){90}(c|d)'
const schema: SchemaProps = {
  type: 'object',
  properties: {
    l: { type: 'array', items: { type: 'string', anyOf: [{ pattern }, { pattern: '^x' }] } },
    s: { type: 'string', pattern: '^a' },
  },
}

test('long texts are matched in steps, and validation finds the same', () => {
  const value = { l: Array.from({ length: 60 }, (_, i) => 'ab'.repeat(1500 + i)), s: 'b' }
  const steps = matchPatterns(schema, value)
  let count = 0
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) count++
  assert.ok(count >= 5, `${count} steps`)
  assert.ok(step.value !== undefined)
  assert.deepEqual(validateValue(schema, value, { matches: step.value }), validateValue(schema, value))
  assert.equal(atOnce(matchPatterns(schema, { l: ['a'], s: 'b' })), undefined, 'short ones are left to the validation')
})

test('a text that is too long for its pattern has an error of its own', () => {
  const faults = validateValue({ type: 'object', properties: { s: { type: 'string', pattern } } }, { s: 'ab'.repeat(200_000) })
  assert.deepEqual(
    faults.map((f) => f.message),
    [`Invalid value: "<long text>": s in body is too long to be matched against '${pattern}'`],
  )
})

test('rules are judged in steps, and give up after a thousand faults', () => {
  const ruled: SchemaProps = {
    type: 'object',
    properties: {
      l: { type: 'array', items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }, { rule: 'self < 10' }] } },
    },
  }
  const steps = ruleSteps(ruled, { l: Array(5000).fill(1) }, { root: false })
  let count = 0
  while (steps.next().done !== true) count++
  assert.ok(count >= 4, `${count} steps`)
  assert.equal(atOnce(ruleSteps(ruled, { l: Array(5000).fill(0) }, { root: false })).length, 1000)
})
