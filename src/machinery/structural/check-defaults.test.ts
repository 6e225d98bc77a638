import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultText } from '../field-error.ts'
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
