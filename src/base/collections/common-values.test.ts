import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CommonValues } from './common-values.ts'

test('values that say the same are one value, others are themselves, and only so many are remembered', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.array(fc.integer()), fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }))),
      (values) => {
        const common = new CommonValues(4)
        for (const value of values) {
          const copy = structuredClone(value)
          const first = common.of(value)
          assert.deepEqual(first, value)
          assert.equal(common.of(copy), first)
          assert.ok(common.size <= 4)
        }
      },
    ),
  )
})
