import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce, type Steps } from '../../base/steps.ts'
import { faultText } from '../field-error.ts'
import type { Json } from '../object.ts'
import { checkListTypes } from './list-types.ts'
import { matchPatterns } from './match-patterns.ts'
import { compilePattern } from './pattern.ts'
import type { SchemaProps } from './schema-props.ts'
import { validateInSteps, validateValue } from './validator.ts'

const open: SchemaProps = { type: 'number', minimum: 0.5, maximum: 1.5, exclusiveMinimum: true, exclusiveMaximum: true }

const VALUES: readonly (readonly [string, SchemaProps, Json, string])[] = [
  ['a whole number is compared with whole bounds', open, 1, 'a: Invalid value: 1: a in body should be less than 1'],
  ['another is compared with the bounds as they are', open, 1.25, ''],
  ['an exclusive bound is none', open, 1.5, 'a: Invalid value: 1.5: a in body should be less than 1.5'],
  [
    'a whole number is a multiple of whole factors only',
    { type: 'number', multipleOf: 0.1 },
    1,
    'a: Invalid value: 0: factor MultipleOf declared for a must be positive: 0',
  ],
  ['another of any', { type: 'number', multipleOf: 0.1 }, 1.5, ''],
  [
    'null is no value of an enumeration',
    { type: 'string', nullable: true, enum: ['x'] },
    null,
    'a: Unsupported value: null: supported values: "x"',
  ],
  ['a text of the least length', { type: 'string', minLength: 2 }, 'ab', ''],
  ['a shorter one', { type: 'string', minLength: 2 }, 'a', 'a: Invalid value: "a": a in body should be at least 2 chars long'],
  ['a text of the greatest length', { type: 'string', maxLength: 2 }, 'ab', ''],
  ['a longer one', { type: 'string', maxLength: 2 }, 'abc', 'a: Too long: may not be more than 2 bytes'],
  [
    'of length and pattern one is named',
    { type: 'string', minLength: 2, pattern: '^b' },
    'a',
    'a: Invalid value: "a": a in body should be at least 2 chars long',
  ],
  ['a text that matches', { type: 'string', minLength: 1, pattern: '^a' }, 'a', ''],
  ['nothing is no base64', { type: 'string', format: 'byte' }, '', 'a: Invalid value: "": a in body must be of type byte: ""'],
  ['base64 is', { type: 'string', format: 'byte' }, 'eA==', ''],
  ['an IPv4 address may be written as an IPv6 one', { type: 'string', format: 'ipv6' }, '::ffff:1.2.3.4', ''],
  [
    'but not as itself',
    { type: 'string', format: 'ipv6' },
    '1.2.3.4',
    'a: Invalid value: "1.2.3.4": a in body must be of type ipv6: "1.2.3.4"',
  ],
]
for (const [title, schema, value, expected] of VALUES) {
  test(title, () => {
    const faults = validateValue({ type: 'object', properties: { a: schema } }, { a: value })
    assert.equal(faults.map(faultText).join('; '), expected)
  })
}

test('a duplicate is shown with its keys in order', () => {
  const schema: SchemaProps = { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }
  const faults = atOnce(
    checkListTypes(
      {
        a: [
          { b: 1, c: 2 },
          { c: 2, b: 1 },
        ],
      },
      { type: 'object', properties: { a: schema } },
    ),
  )
  assert.deepEqual(faults.map(faultText), ['a[1]: Duplicate value: {"b":1,"c":2}'])
})

test('an item that cannot have keys is reported, and no duplicates of its list', () => {
  const list: SchemaProps = {
    type: 'array',
    items: { type: 'object' },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
  }
  const faults = atOnce(checkListTypes({ l: [{ a: 1 }, { a: 1 }, null, 5] }, { type: 'object', properties: { l: list } }))
  assert.deepEqual(faults.map(faultText), ['l[3]: Invalid value: 5: must be an object for an array of list-type map'])
})

test('texts are looked up in a long enumeration', { timeout: 60_000 }, () => {
  const texts = Array.from({ length: 30_000 }, (_, i) => `e${i}`)
  const schema: SchemaProps = { type: 'array', items: { type: 'string', enum: texts } }
  assert.deepEqual(validateValue(schema, texts), [])
  const [fault] = validateValue({ type: 'string', enum: ['a', 1] }, '1')
  assert.equal(fault?.type, 'FieldValueNotSupported')
})

test('a heavy value is validated in steps, more of them for twice as much work', () => {
  const alternatives = Array.from({ length: 100 }, (_, i) => ({ minimum: i }))
  const schema: SchemaProps = { type: 'array', items: { type: 'integer', allOf: alternatives } }
  const stepsFor = (items: number) => {
    let steps = 0
    const work = validateInSteps(schema, Array(items).fill(1000))
    for (let step = work.next(); step.done !== true; step = work.next()) steps++
    return steps
  }
  const steps = stepsFor(1000)
  assert.ok(steps >= 15, `${steps} steps for 100,000 alternatives`)
  assert.ok(Math.abs(stepsFor(2000) - 2 * steps) <= 2)
})

/** How often the work may be interrupted. */
function countSteps(work: Steps<unknown>): number {
  let count = 0
  while (work.next().done !== true) count++
  return count
}

const list = (items: SchemaProps): SchemaProps => ({ type: 'array', items })
const texts = Array.from({ length: 300 }, (_, i) => `a${i}`)

test('whatever multiplies with the length of a list is done in steps', () => {
  const patterns = list({ type: 'string', anyOf: Array.from({ length: 200 }, (_, i) => ({ pattern: `^${i}x$` })) })
  assert.ok(countSteps(matchPatterns(patterns, texts)) >= 5, 'patterns of alternatives')
  const numbers = list({ type: 'integer', enum: Array.from({ length: 5000 }, (_, i) => i) })
  assert.ok(countSteps(validateInSteps(numbers, Array(100).fill(-1))) >= 5, 'an enumeration of numbers')
  const set: SchemaProps = { ...list({ type: 'string' }), 'x-kubernetes-list-type': 'set' }
  assert.ok(
    countSteps(
      checkListTypes(
        Array.from({ length: 50_000 }, (_, i) => `${i}`),
        set,
      ),
    ) >= 5,
    'a set',
  )
})

test('a pattern that takes long to compile is refused', () => {
  assert.match(String(compilePattern('a'.repeat(100_001))), /expression too large/)
})
