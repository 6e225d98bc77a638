import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJson } from './strict-json.ts'
import { ValueSnapshot } from './value-snapshot.ts'

const VALUES: readonly unknown[] = [
  'text',
  '',
  0,
  2n ** 60n,
  true,
  null,
  [],
  {},
  [[], [[]], {}],
  ['a', 'b'],
  { a: 'b' },
  { a: { b: [1, { c: null }] }, d: [] },
  { a: ['b'], c: 'd' },
  { a: ['b', 'c'], d: {} },
  decodeJson('{"__proto__": {"a": 1}, "constructor": "x"}').value,
]

function snapshotOf(value: unknown): ValueSnapshot {
  const snapshot = ValueSnapshot.of(value, 100)
  assert.ok(snapshot)
  return snapshot
}

test('a value with too many parts has no snapshot', () => {
  assert.ok(ValueSnapshot.of(['a', 'b'], 4))
  assert.equal(ValueSnapshot.of(['a', 'b'], 3), undefined)
  assert.equal(ValueSnapshot.of({ a: { b: 'c' } }, 6), undefined)
})

test('a value equals its own snapshot alone, and is read again as it was', () => {
  for (const [i, value] of VALUES.entries()) {
    const snapshot = snapshotOf(value)
    for (const [j, other] of VALUES.entries()) assert.equal(snapshot.equals(other), i === j, `${i} ${j}`)
    assert.deepEqual(snapshot.value(), value)
    assert.ok(snapshot.equals(structuredClone(snapshot.value())) || Object.hasOwn(value as object, '__proto__'))
  }
})

test('a snapshot stays as it is when the value changes', () => {
  const value = { metadata: { labels: { a: 'b' } }, items: [1] }
  const snapshot = snapshotOf(value)
  value.metadata.labels.a = 'c'
  assert.ok(!snapshot.equals(value))
  value.metadata.labels.a = 'b'
  value.items.push(2)
  assert.ok(!snapshot.equals(value))
  assert.deepEqual(snapshot.value(), { metadata: { labels: { a: 'b' } }, items: [1] })
})

test('members that are undefined are absent', () => {
  assert.ok(snapshotOf({ a: 1, b: undefined }).equals({ a: 1 }))
  assert.ok(snapshotOf({ a: 1 }).equals({ b: undefined, a: 1 }))
})
