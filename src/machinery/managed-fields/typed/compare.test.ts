import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../../base/steps.ts'
import { equalJson } from '../../equal.ts'
import { isObject, type Json } from '../../object.ts'
import type { Schema } from '../../schema/schema.ts'
import { type FieldSet, paths } from '../field-set/field-set.ts'
import { compareInSteps, compareTyped } from './compare.ts'
import { mergeTyped } from './merge-typed.ts'
import { typedNode } from './typed-node.ts'

const schema = { type: 'any' } as const
const value: fc.Arbitrary<Json> = fc.letrec<{ v: Json }>((tie) => ({
  v: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    fc.constantFrom<Json>(1, 'x', true),
    fc.array(fc.constantFrom<Json>(1, 2), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('v'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).v
const root = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3, noNullPrototype: true })

/** Every path of a value, its own included. */
function whole(path: readonly string[], of: Json): string[] {
  const own = path.join('/')
  if (!isObject(of)) return [own]
  return [own, ...Object.keys(of).flatMap((name) => whole([...path, `f:${name}`], of[name] ?? null))]
}

/** The difference by its definition: path by path, nothing remembered. */
function naive(
  left: Json | undefined,
  right: Json | undefined,
  path: readonly string[],
  into: Record<'added' | 'modified' | 'removed', string[]>,
): void {
  if (left === undefined && right !== undefined) into.added.push(...whole(path, right))
  else if (right === undefined && left !== undefined) into.removed.push(...whole(path, left))
  else if (isObject(left) && isObject(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const of = (object: typeof left) => (Object.hasOwn(object, name) ? object[name] : undefined)
      naive(of(left), of(right), [...path, `f:${name}`], into)
    }
  } else if (!equalJson(left, right)) {
    into.modified.push(path.join('/'))
    if (!Array.isArray(left) && isObject(left)) into.removed.push(...whole(path, left).slice(1))
    if (!Array.isArray(right) && isObject(right)) into.added.push(...whole(path, right).slice(1))
  }
}

const listed = (set: FieldSet) => [...paths(set)].map((path) => path.join('/')).sort()

test('what a comparison finds is what comparing path by path finds', () => {
  fc.assert(
    fc.property(root, root, (left, right) => {
      const wanted = { added: [] as string[], modified: [] as string[], removed: [] as string[] }
      naive(left, right, [], wanted)
      const found = compareTyped(typedNode(schema), left, right)
      for (const kind of ['added', 'modified', 'removed'] as const) assert.deepEqual(listed(found[kind]), wanted[kind].sort(), kind)
    }),
    { numRuns: 3000 },
  )
})

for (const [before, after, added, modified, removed] of [
  [['a'], ['a', 'b'], ['f:l/v:"b"'], [], []],
  [['a', 'b'], ['b', 'a'], [], [], []],
  [['a', 'b'], ['a'], [], [], ['f:l/v:"b"']],
  // An element that occurs more than once is compared as a whole.
  [['b'], ['a', 'a', 'b'], ['f:l/v:"a"'], [], []],
  [['a', 'a', 'b'], ['a', 'b'], ['f:l/v:"a"'], [], ['f:l/v:"a"']],
  [['a', 'b'], ['a', 'a', 'b'], ['f:l/v:"a"'], [], ['f:l/v:"a"']],
  [['a', 'a', 'b'], ['b'], [], [], ['f:l/v:"a"']],
  [['a', 'a'], ['a', 'a'], [], [], []],
] as const)
  test(`the set ${before} becomes ${after}: added ${added}, modified ${modified}, removed ${removed}`, () => {
    const items = { type: 'scalar', scalar: 'string' } as const
    const set = { type: 'map', values: { type: 'list', listType: 'set', items } } as const
    const found = compareTyped(typedNode(set), { l: [...before] }, { l: [...after] })
    assert.deepEqual([found.added, found.modified, found.removed].map(listed), [added, modified, removed])
  })

for (const [before, after, added, modified, removed] of [
  // Null has the form of the map on the other side.
  [{ x: 1 }, null, [], [], ['f:a/f:x']],
  [null, { x: 1 }, ['f:a/f:x'], [], []],
  [{}, null, [], ['f:a'], []],
  [1, null, [], ['f:a'], []],
  [{ x: 1 }, 1, [], ['f:a'], ['f:a/f:x']],
] as const)
  test(`without a schema ${JSON.stringify(before)} becomes ${JSON.stringify(after)}`, () => {
    for (const compare of [compareTyped, (...sides: Parameters<typeof compareTyped>) => atOnce(compareInSteps(...sides))]) {
      const found = compare(typedNode(schema), { a: before }, { a: after })
      assert.deepEqual([found.added, found.modified, found.removed].map(listed), [added, modified, removed])
    }
  })

const padding = 'x'.repeat(130 * 1024)

/** The same value, each map and list of which is heavy. */
function padded(of: Json): Json {
  if (Array.isArray(of)) return [...of.map(padded), padding]
  if (!isObject(of)) return of
  return { ...Object.fromEntries(Object.entries(of).map(([name, below]) => [name, padded(below ?? null)])), padding }
}

test('heavy values are compared in steps with the same result', () => {
  const sets = {
    type: 'map',
    values: { type: 'list', listType: 'set', items: { type: 'scalar', scalar: 'string' } },
  } as const
  const texts = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 })
  const lists = fc.dictionary(fc.constantFrom('a', 'b'), texts, { maxKeys: 2, noNullPrototype: true })
  const same = (type: Parameters<typeof typedNode>[0], left: Json, right: Json) => {
    const [wanted, found] = [compareTyped(typedNode(type), left, right), atOnce(compareInSteps(typedNode(type), left, right))]
    for (const kind of ['added', 'modified', 'removed'] as const) assert.deepEqual(listed(found[kind]), listed(wanted[kind]), kind)
  }
  fc.assert(
    fc.property(root, root, (left, right) => same(schema, padded(left), padded(right))),
    { numRuns: 500 },
  )
  fc.assert(
    fc.property(lists, lists, (left, right) => same(sets, padded(left), padded(right))),
    { numRuns: 500 },
  )
})

test('putting a configuration over an object leaves nothing of it out, and nothing else changed', () => {
  fc.assert(
    fc.property(root, root, (live, config) => {
      const merged = mergeTyped(typedNode(schema), live, config)
      const again = compareTyped(typedNode(schema), merged, mergeTyped(typedNode(schema), merged, config))
      assert.deepEqual([again.added, again.modified, again.removed].map(listed), [[], [], []])
      for (const name of Object.keys(live))
        if (!Object.hasOwn(config, name)) assert.ok(equalJson((merged as typeof live)[name], live[name]))
    }),
    { numRuns: 2000 },
  )
})

const named: Schema = {
  type: 'list',
  listType: 'map',
  listMapKeys: ['name'],
  items: {
    type: 'struct',
    required: [],
    fields: new Map(['name', 'value'].map((name) => [name, { schema: { type: 'scalar', scalar: 'string' }, tag: 0, omitEmpty: true }])),
  },
}
const item = 'k:{"name":"x"}'
for (const [what, left, right, added, removed] of [
  [
    'duplicates that one follows are removed, and all of that one is added',
    ['a', 'b'],
    ['c'],
    [item, `${item}/f:name`, `${item}/f:value`],
    [item],
  ],
  [
    'one that duplicates follow is removed with all of it, and they are added as a whole',
    ['a'],
    ['b', 'c'],
    [item],
    [item, `${item}/f:name`, `${item}/f:value`],
  ],
] as const)
  test(what, () => {
    const items = (values: readonly string[]) => values.map((of) => ({ name: 'x', value: of }))
    const found = compareTyped(typedNode(named), items(left), items(right))
    assert.deepEqual([listed(found.added), listed(found.modified), listed(found.removed)], [added, [], removed])
  })
