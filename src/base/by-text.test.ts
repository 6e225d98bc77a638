import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { byKey, byText, sortedByKey } from './by-text.ts'

test('texts are in the order of `sort` without a comparison', () =>
  fc.assert(fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => assert.deepEqual(texts.toSorted(byText), texts.toSorted()))))

test('equal texts compare as 0', () => assert.equal(byText('a', 'a'), 0))

test('entries are compared by key alone', () => {
  assert.ok(byKey(['a', 2], ['b', 1]) < 0)
  assert.equal(byKey(['a', 2], ['a', 1]), 0)
})

test('a record has its keys in order', () => assert.deepEqual(Object.keys(sortedByKey({ b: 1, a: 2, 'a.b': 3 })), ['a', 'a.b', 'b']))
