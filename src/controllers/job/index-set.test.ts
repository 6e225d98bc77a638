import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { IndexSet } from './index-set.ts'

for (const [indexes, text] of [
  [[], ''],
  [[0], '0'],
  [[0, 1], '0,1'],
  [[2, 1, 0, 5], '0-2,5'],
  [[7, 7], '7'],
] as const)
  test(`[${indexes}] is written ${text || 'as an empty text'}`, () => {
    assert.equal(String(IndexSet.of(indexes)), text)
    assert.equal(String(IndexSet.parse(text)), text)
  })

for (const [text, read] of [
  ['3-1', ''],
  ['a,1', '1'],
  ['1-,2', '2'],
  ['4-6,5-9', '4-9'],
  [undefined, ''],
] as const)
  test(`${text} is read as ${read || 'no index'}`, () => assert.equal(String(IndexSet.parse(text)), read))

const END = 40
const indexes = fc.array(fc.nat(END - 1))
const all = Array.from({ length: END }, (_, i) => i)

test('an index set agrees with a Set of numbers', () => {
  fc.assert(
    fc.property(indexes, indexes, fc.nat(END), (a, b, end) => {
      const [left, right] = [new Set(a), new Set(b)]
      const set = IndexSet.of(a)
      const other = IndexSet.of(b)
      assert.equal(set.size, left.size)
      assert.deepEqual(
        all.filter((i) => set.has(i)),
        [...left].sort((x, y) => x - y),
      )
      assert.deepEqual([...set.missing(end)], [...new Set(all.slice(0, end)).difference(left)])
      assert.equal(String(set.union(other)), String(IndexSet.of(left.union(right))))
      assert.equal(set.countShared(other), left.intersection(right).size)
      assert.equal(String(set.below(end)), String(IndexSet.of(a.filter((i) => i < end))))
      assert.equal(String(IndexSet.parse(String(set))), String(set))
    }),
  )
})

test('two billion indexes are one interval, and what is missing is made one by one', () => {
  const END_OF_INT32 = 2 ** 31 - 1
  const set = IndexSet.parse('0-2147483645')
  assert.equal(set.size, END_OF_INT32 - 1)
  assert.deepEqual([...set.missing(END_OF_INT32)], [END_OF_INT32 - 1])
  assert.deepEqual([...IndexSet.EMPTY.missing(END_OF_INT32).take(2)], [0, 1])
})
