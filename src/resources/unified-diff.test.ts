import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonDifference as difference } from './unified-diff.ts'

const jsonDifference = (before: unknown, after: unknown) => difference(before, after, (value) => value)

test('a difference shows three lines around each change, by the line numbers of both texts', () => {
  assert.equal(jsonDifference({ a: 1, b: 2 }, { a: 1, b: 3 }), '@@ -1,4 +1,4 @@\n {\n  "a": 1,\n- "b": 2\n+ "b": 3\n }\n')
})

/** The lines after the changes of a unified difference; each line that stays or goes must be there. */
function applied(before: readonly string[], text: string): string[] {
  const out: string[] = []
  let at = 0
  for (const line of text.split('\n').slice(0, -1)) {
    const [, start = '', length = '1'] = /^@@ -(\d+)(?:,(\d+))? \+/.exec(line) ?? []
    if (start !== '') {
      // Of an empty range, the line in front of it is named.
      const first = length === '0' ? Number(start) : Number(start) - 1
      out.push(...before.slice(at, first))
      at = first
    } else if (line.startsWith('+')) out.push(line.slice(1))
    else {
      assert.equal(before[at++], line.slice(1))
      if (line.startsWith(' ')) out.push(line.slice(1))
    }
  }
  return [...out, ...before.slice(at)]
}

test('applying a difference to the first text gives the second', () => {
  const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
  const linesOf = (value: unknown) => JSON.stringify(value, null, 1).split('\n')
  fc.assert(
    fc.property(list, list, (before, after) => {
      assert.deepEqual(applied(linesOf(before), jsonDifference(before, after)), linesOf(after))
    }),
    { numRuns: 500 },
  )
})

test('distant changes have hunks of their own', () => {
  const before = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, 0]))
  const text = jsonDifference(before, { ...before, k1: 1, k18: 1 })
  assert.deepEqual(text.match(/^@@.*@@$/gm), ['@@ -1,6 +1,6 @@', '@@ -17,6 +17,6 @@'])
})

test('what is the same has no difference, and Go escapes of HTML are kept', () => {
  assert.equal(jsonDifference({ a: '<' }, { a: '<' }), '')
  assert.match(jsonDifference({ a: '<' }, { a: '>' }), /\\u003c[\s\S]*\\u003e/)
})

test('of a long text the changed part is found, and of one that changes everywhere the first part is shown', () => {
  const numbers = (n: number, other = -1) => Array.from({ length: n }, (_, i) => (i === other ? -1 : i))
  assert.equal(jsonDifference({ a: numbers(1900) }, { a: numbers(1900, 7) }).split('\n').length, 10)
  const form = (value: readonly number[]) => value.flatMap((n) => [n, n])
  assert.equal(difference(numbers(1800), numbers(1800, 900), form).match(/^-/gm)?.length, 2)
  const shown = jsonDifference(numbers(60_000), numbers(60_000).reverse())
  assert.ok(shown.length > 1000 && shown.length < 60_000, `${shown.length} characters`)
})
