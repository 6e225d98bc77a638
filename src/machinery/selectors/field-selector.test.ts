import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FieldSelector } from './field-selector.ts'

test('a selector is all of its requirements, however often it names a field', () => {
  const field = fc.constantFrom('metadata.name', 'spec.nodeName')
  const value = fc.constantFrom('', 'a', 'b')
  const one = fc.record({ field, operator: fc.constantFrom<'=' | '!='>('=', '!='), value })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 6 }), value, value, (requirements, name, node) => {
      const read = (of: string) => (of === 'metadata.name' ? name : node)
      const wanted = requirements.every((r) => (read(r.field) === r.value) === (r.operator === '='))
      assert.equal(new FieldSelector(requirements).matches(read), wanted)
    }),
    { numRuns: 2000 },
  )
})

test('a field is read once, however often it is named', () => {
  let reads = 0
  const many = Array.from({ length: 5000 }, (_, i) => ({ field: 'metadata.name', operator: '!=' as const, value: `a${i}` }))
  const read = () => {
    reads++
    return 'b'
  }
  assert.equal(new FieldSelector(many).matches(read), true)
  assert.equal(reads, 1)
})
