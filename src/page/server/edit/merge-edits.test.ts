import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeEdits } from './merge-edits.ts'

const merge = (base: unknown, mine: unknown, theirs: unknown) => mergeEdits({ base, mine, theirs }, [], [])
const item = (name: string, image = 'a') => ({ name, image })

for (const [what, base, mine, theirs, merged] of [
  ['what only I changed', { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 1 }, { a: 2, b: 1 }],
  ['what only others changed', { a: 1, b: 1 }, { a: 1, b: 1 }, { a: 1, b: 3 }, { a: 1, b: 3 }],
  ['changes of different fields', { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 3 }, { a: 2, b: 3 }],
  ['fields that each of us added', {}, { m: { a: 1 } }, { m: { b: 2 } }, { m: { a: 1, b: 2 } }],
  ['the same change', { a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }],
  ['a field that I removed', { a: 1, b: 1 }, { b: 1 }, { a: 1, b: 2 }, { b: 2 }],
  ['a field that others removed', { a: 1, b: 1 }, { a: 1, b: 2 }, { b: 1 }, { b: 2 }],
  [
    'named items by name',
    [item('x'), item('y')],
    [item('x', 'b'), item('y')],
    [item('x'), item('y'), item('z')],
    [item('x', 'b'), item('y'), item('z')],
  ],
  ['an item that I removed', [item('x'), item('y')], [item('y')], [item('x'), item('y'), item('z')], [item('y'), item('z')]],
  ['the order that others gave', [item('x'), item('y')], [item('x', 'b'), item('y')], [item('y'), item('x')], [item('y'), item('x', 'b')]],
  ['a list of values as one', { l: [1, 2] }, { l: [1, 2, 3] }, { l: [1, 2], a: 1 }, { l: [1, 2, 3], a: 1 }],
  [
    'hostile keys',
    JSON.parse('{"__proto__":1}'),
    JSON.parse('{"__proto__":2}'),
    JSON.parse('{"__proto__":1,"a":1}'),
    JSON.parse('{"a":1,"__proto__":2}'),
  ],
] as const)
  test(`${what} is merged`, () => {
    const result = merge(base, mine, theirs)
    assert.deepEqual(result.merged, merged)
    assert.deepEqual(result.conflicts, [])
  })

for (const [what, base, mine, theirs, path] of [
  ['a value', { spec: { a: 1 } }, { spec: { a: 2 } }, { spec: { a: 3 } }, 'spec.a'],
  ['a field that others removed', { a: 1, b: 1 }, { a: 2, b: 1 }, { b: 1 }, 'a'],
  ['a field that I removed', { a: 1, b: 1 }, { b: 1 }, { a: 2, b: 1 }, 'a'],
  ['a field of a named item', [item('x')], [item('x', 'b')], [item('x', 'c')], '[x].image'],
  ['a list without names', { l: [1] }, { l: [1, 2] }, { l: [1, 3] }, 'l'],
  ['a map in whose place there is a text', { a: { b: 1 } }, { a: { b: 2 } }, { a: 'x' }, 'a'],
] as const)
  test(`${what} that both changed is a conflict, and is chosen`, () => {
    const versions = { base, mine, theirs }
    const { merged, conflicts } = mergeEdits(versions, [], [])
    assert.deepEqual(merged, mine)
    assert.deepEqual(
      conflicts.map((conflict) => [conflict.path, conflict.keep]),
      [[path, '']],
    )
    const id = conflicts[0]?.id ?? ''
    assert.deepEqual(mergeEdits(versions, [], [{ id, keep: 'theirs' }]).merged, theirs)
    assert.equal(mergeEdits(versions, [], [{ id, keep: 'mine' }]).conflicts[0]?.keep, 'mine')
  })

test('a choice is for the values that were seen: another change asks again', () => {
  const choose = mergeEdits({ base: { a: 1 }, mine: { a: 2 }, theirs: { a: 3 } }, [], []).conflicts[0]?.id ?? ''
  const later = mergeEdits({ base: { a: 1 }, mine: { a: 2 }, theirs: { a: 4 } }, [], [{ id: choose, keep: 'theirs' }])
  assert.equal(later.conflicts[0]?.keep, '')
})

test('a conflict tells who owns the field now', () => {
  const owners = [{ manager: 7, fields: { 'f:spec': { 'f:a': {} } }, whole: false }]
  const { conflicts } = mergeEdits({ base: { spec: { a: 1 } }, mine: { spec: { a: 2 } }, theirs: { spec: { a: 3 } } }, owners, [])
  assert.deepEqual(
    conflicts[0]?.owners.map(({ manager }) => manager),
    [7],
  )
})
