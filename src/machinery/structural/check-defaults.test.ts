import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../base/steps.ts'
import { faultText } from '../field-error.ts'
import type { Json } from '../object.ts'
import { checkDefaults } from './check-defaults.ts'
import type { SchemaProps } from './schema-props.ts'

const rule = 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))'

test('the rules of all defaults share the budget of one request, and are run in steps', { timeout: 60_000 }, () => {
  const numbers = Array.from({ length: 40 }, (_, i) => i)
  const dear: SchemaProps = {
    type: 'array',
    maxItems: 40,
    items: { type: 'integer' },
    default: numbers,
    'x-kubernetes-validations': [{ rule }],
  }
  const properties = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, dear]))
  const work = checkDefaults({ type: 'object', properties }, 'x', { type: 'any' })
  let steps = 0
  let step = work.next()
  for (; step.done !== true; step = work.next()) steps++
  const texts = step.value.map(faultText)
  assert.ok(steps >= 3, `${steps} steps`)
  assert.equal(texts.length, 1)
  assert.match(texts[0] ?? '', /no further validation rules will be run due to call cost exceeds limit/)
})

const WHOLE: readonly (readonly [value: Json, ...faults: string[]])[] = [
  [{ apiVersion: 'v1', kind: 'A', metadata: { name: 'a' }, spec: 'a' }],
  [
    { apiVersion: 'v1', kind: 'A', spec: 1, b: 1 },
    'x.default: Invalid value: {"apiVersion":"v1","b":1,"kind":"A","spec":1}: must not have unknown fields',
    'x.default.spec: Invalid value: "integer": spec in body must be of type string: "integer"',
  ],
  [{}, 'x.default.apiVersion: Required value', 'x.default.kind: Required value'],
  [{ kind: 'A', apiVersion: 'v1', b: 1 }, 'x.default: Invalid value: {"apiVersion":"v1","b":1,"kind":"A"}: must not have unknown fields'],
  [
    { apiVersion: 'v1', kind: 'A', metadata: 1 },
    'x.default.metadata: Invalid value: 1: json: cannot unmarshal number into Go value of type v1.ObjectMeta',
  ],
]

for (const [value, ...faults] of WHOLE)
  test(`the default of a whole object ${JSON.stringify(value)}: ${faults.join(', ') || 'valid'}`, () => {
    const schema: SchemaProps = { type: 'object', properties: { spec: { type: 'string' } }, default: value }
    assert.deepEqual(atOnce(checkDefaults(schema, 'x', { type: 'any' })).map(faultText), faults)
  })
