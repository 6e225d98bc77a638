import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { equalJson, semanticEqual } from './equal.ts'

/** [a, b, equal as JSON, semantically equal]; both ways round. */
for (const [a, b, asJson, semantically] of [
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true, true],
  [{ a: 1 }, { a: 1, b: undefined }, true, true],
  [{ a: 1 }, { a: 1, b: null }, false, true],
  [{ a: 1 }, { a: 1, b: [] }, false, true],
  [{ a: 1 }, { a: 1, b: {} }, false, false],
  [{ a: 1 }, { b: 1 }, false, false],
  [{ a: null }, { b: null }, false, true],
  [{ a: { b: [null] } }, { a: { b: [[]] } }, false, true],
  [null, [], false, true],
  [null, {}, false, false],
  [[], {}, false, false],
  [[1, 2], [2, 1], false, false],
  [[1], [1, 1], false, false],
  [{ 0: 1 }, [1], false, false],
  [{ toString: 1 }, {}, false, false],
  [1n, 1, true, true],
  [1n, 2, false, false],
  [1n, '1', false, false],
  [2n ** 60n, 2n ** 60n + 1n, false, false],
  [1, '1', false, false],
  [0, false, false, false],
  ['', null, false, false],
] as const)
  for (const [left, right] of [
    [a, b],
    [b, a],
  ])
    test(`${show(left)} and ${show(right)}: ${asJson}, ${semantically}`, () =>
      assert.deepEqual([equalJson(left, right), semanticEqual(left, right)], [asJson, semantically]))

test('equality of JSON is that of Node; what is equal is semantically equal, and so is what differs in empty parts only', () => {
  const json = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, 0, 1, 'a', true),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b'), tie('value')).map((o) => ({ ...o })),
    ),
  })).value
  fc.assert(
    fc.property(json, json, (a, b) => {
      assert.equal(equalJson(a, b), isDeepStrictEqual(a, b))
      assert.equal(semanticEqual(a, b), isDeepStrictEqual(withoutEmpty(a), withoutEmpty(b)))
    }),
    { numRuns: 2000 },
  )
})

/** Null for empty lists, and maps without such members. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, v]) => (withoutEmpty(v) === null ? [] : [[key, withoutEmpty(v)]])))
}

function show(value: unknown): string {
  return JSON.stringify(value, (_key, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v))
}
