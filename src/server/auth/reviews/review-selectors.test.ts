import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ReadSelector, readFieldSelector, readLabelSelector, type SelectorAttributes } from './review-selectors.ts'

const requirements = (...all: readonly (readonly [key: string, operator: string, ...values: string[]])[]): SelectorAttributes => ({
  requirements: all.map(([key, operator, ...values]) => ({ key, operator, values })),
})

const textOf = ({ text, ignored }: ReadSelector) => ({ text, ignored })

const fields: readonly (readonly [SelectorAttributes | undefined, string | undefined, string])[] = [
  [undefined, undefined, ''],
  [{ rawSelector: 'a=b' }, 'a=b', ''],
  [{ rawSelector: 'broken' }, undefined, 'ignored'],
  [requirements(['a', 'In', 'b']), 'a=b', ''],
  [requirements(['a', 'NotIn', 'b,c']), 'a!=b\\,c', ''],
  [requirements(['a', 'In', 'b', 'c']), undefined, 'ignored'],
  [requirements(['a', 'Exists'], ['d', 'In', 'e']), 'd=e', 'partially ignored'],
]

for (const [selector, text, ignored] of fields) {
  test(`a field selector of a review: ${JSON.stringify(selector)}`, () =>
    assert.deepEqual(textOf(readFieldSelector(selector)), { text, ignored }))
}

const labels: readonly (readonly [SelectorAttributes, string | undefined, string])[] = [
  [{ rawSelector: 'a in (b),c' }, 'a in (b),c', ''],
  [{ rawSelector: 'a b' }, undefined, 'ignored'],
  [requirements(['a', 'In', 'c', 'b'], ['d', 'Exists'], ['e', 'DoesNotExist']), 'a in (b,c),d,!e', ''],
  [requirements(['a', 'Gt', '1']), undefined, 'ignored'],
  [requirements(['a', 'In'], ['b', 'Exists']), 'b', 'partially ignored'],
]

for (const [selector, text, ignored] of labels) {
  test(`a label selector of a review: ${JSON.stringify(selector)}`, () =>
    assert.deepEqual(textOf(readLabelSelector(selector)), { text, ignored }))
}

test('requirements that can be read are passed on as they came', () => {
  const { requirements: kept } = readLabelSelector(requirements(['z', 'In', 'c', 'b'], ['a', 'Gt', '1'], ['b', 'Exists']))
  assert.deepEqual(kept, [
    { key: 'z', operator: 'In', values: ['c', 'b'] },
    { key: 'b', operator: 'Exists', values: [] },
  ])
})
