import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memo } from './memo.ts'

/** A memo of lengths, and the texts that it was computed for. */
function lengths(options: Parameters<typeof memo<number>>[1]) {
  const made: string[] = []
  const length = memo((text) => made.push(text) && text.length, options)
  return { made, length }
}

test('a result is computed once', () => {
  const { made, length } = lengths({ most: 2 })
  assert.deepEqual([length('ab'), length('ab'), length('c')], [2, 2, 1])
  assert.deepEqual(made, ['ab', 'c'])
})

test('beyond the bound, all earlier results are dropped', () => {
  const { made, length } = lengths({ most: 2 })
  for (const text of ['a', 'b', 'c', 'c', 'a']) length(text)
  assert.deepEqual(made, ['a', 'b', 'c', 'a'])
})

test('a result that is not to be kept is computed again', () => {
  const { made, length } = lengths({ most: 9, keeps: (text, of) => of < 2 && text !== 'x' })
  for (const text of ['a', 'a', 'long', 'long', 'x', 'x']) length(text)
  assert.deepEqual(made, ['a', 'long', 'long', 'x', 'x'])
})

test('a failure is not kept', () => {
  let calls = 0
  const failing = memo(
    () => {
      calls++
      throw new Error('no')
    },
    { most: 9 },
  )
  assert.throws(() => failing('a'), /no/)
  assert.throws(() => failing('a'), /no/)
  assert.equal(calls, 2)
})
