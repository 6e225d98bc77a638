import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  apiVersionOf,
  cloneJson,
  copyOwn,
  deepFreeze,
  getOwn,
  isObject,
  nextGeneration,
  parseApiVersion,
  qualifiedResource,
  setOwn,
} from './object.ts'

const VERSIONS: readonly (readonly [apiVersion: string, group: string, version: string])[] = [
  ['v1', '', 'v1'],
  ['apps/v1', 'apps', 'v1'],
  ['/v1', '', 'v1'],
  ['', '', ''],
  ['a.b/', 'a.b', ''],
]
for (const [apiVersion, group, version] of VERSIONS)
  test(`the API version "${apiVersion}" is of the group "${group}"`, () =>
    assert.deepEqual(parseApiVersion(apiVersion), { group, version }))

test('a text with two slashes is no API version', () => assert.equal(parseApiVersion('a/b/c'), undefined))

test('the core group is not written', () => {
  assert.deepEqual(
    ['', 'apps'].map((group) => [apiVersionOf({ group, version: 'v1' }), qualifiedResource({ group, resource: 'pods' })]),
    [
      ['v1', 'pods'],
      ['apps/v1', 'pods.apps'],
    ],
  )
})

test('lists and null are no objects', () =>
  assert.deepEqual([{}, [], null, 'a', undefined].map(isObject), [true, false, false, false, false]))

test('a copy shares nothing, and has a field __proto__ as its own', () => {
  const original = JSON.parse('{"a":[1,{"b":null}],"__proto__":{"c":[2]}}')
  const copy = cloneJson(original)
  assert.equal(JSON.stringify(copy), '{"a":[1,{"b":null}],"__proto__":{"c":[2]}}')
  assert.equal(Object.getPrototypeOf(copy), Object.prototype)
  copy.a[1].b = 5
  assert.equal(original.a[1].b, null)
})

test('freezing goes to the bottom', () => {
  const value = deepFreeze({ list: [{ a: 1 }], none: null })
  assert.ok(Object.isFrozen(value) && Object.isFrozen(value.list) && Object.isFrozen(value.list[0]))
})

test('inherited properties are no fields', () => {
  assert.equal(getOwn({}, 'constructor'), undefined)
  assert.equal(getOwn({ a: 1 }, 'a'), 1)
  const target: Record<string, unknown> = { a: 1, b: 2 }
  copyOwn(target, { a: 3 }, 'a')
  copyOwn(target, { a: 3 }, 'b')
  copyOwn(target, {}, 'toString')
  assert.deepEqual(target, { a: 3 })
  setOwn(target, '__proto__', 'x')
  assert.ok(Object.hasOwn(target, '__proto__'))
  assert.equal(Object.getPrototypeOf(target), Object.prototype)
})

const MOST = 2n ** 63n - 1n

for (const [generation, next] of [
  [undefined, 1],
  [0, 1],
  [41, 42],
  [Number.MAX_SAFE_INTEGER, 2n ** 53n],
  [2n ** 53n + 1n, 2n ** 53n + 2n],
  [-(2n ** 53n), -Number.MAX_SAFE_INTEGER],
  [MOST, -MOST - 1n],
] as const)
  test(`after generation ${generation} comes ${next}`, () =>
    assert.equal(nextGeneration(generation === undefined ? {} : { generation: generation as number }), next))
