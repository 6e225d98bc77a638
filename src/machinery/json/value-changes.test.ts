import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valueChanges } from './value-changes.ts'

const LIMITS = { most: 3, mostText: 20 }
const lines = (before: unknown, after: unknown) => {
  const { changes, unlisted } = valueChanges(before, after, LIMITS)
  return [...changes.map(({ path, from = '', to = '' }) => `${path}: ${from} → ${to}`), ...(unlisted > 0 ? [`${unlisted} more`] : [])]
}

const CASES: readonly [name: string, before: unknown, after: unknown, expected: readonly string[]][] = [
  ['nothing', { a: 1, b: [1] }, { b: [1], a: 1 }, []],
  ['a value', { spec: { replicas: 1 } }, { spec: { replicas: 2 } }, ['spec.replicas: 1 → 2']],
  ['a part that is new is one change', {}, { spec: { a: 1, b: 2 } }, ['spec:  → {"a":1,"b":2}']],
  ['a part that is gone', { a: [1] }, {}, ['a: [1] → ']],
  ['items by name', { c: [{ name: 'm', i: 1 }] }, { c: [{ name: 's' }, { name: 'm', i: 2 }] }, ['c[m].i: 1 → 2', 'c[s]:  → {"name":"s"}']],
  ['items without names by index', { l: [1, 2] }, { l: [1, 3, 4] }, ['l[1]: 2 → 3', 'l[2]:  → 4']],
  ['items with one name twice by index', { l: [{ name: 'a' }, { name: 'a' }] }, { l: [{ name: 'a' }] }, ['l[1]: {"name":"a"} → ']],
  ['keys that are no words', { l: {} }, { l: { 'a.b/c': 'x', __proto__x: 'y' } }, ['l["a.b/c"]:  → "x"', 'l.__proto__x:  → "y"']],
  ['a long value is cut', {}, { a: 'x'.repeat(30) }, ['a:  → "xxxxxxxxxxxxxxxxxxx… (32 characters)']],
  ['most', {}, { a: 1, b: 2, c: 3, d: 4, e: 5 }, ['a:  → 1', 'b:  → 2', 'c:  → 3', '2 more']],
  ['a member called __proto__', JSON.parse('{}'), JSON.parse('{"__proto__":1}'), ['__proto__:  → 1']],
]
for (const [name, before, after, expected] of CASES)
  test(`the changes of values: ${name}`, () => assert.deepEqual(lines(before, after), expected))
