import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Json } from '../object.ts'
import { compileJsonPath, JsonPathError } from './jsonpath.ts'

const object = {
  metadata: { name: 'x', labels: { 'app.kubernetes.io/name': 'lab' } },
  spec: { n: 1, list: [{ x: 'a' }, { x: 'b', y: 2 }], empty: [], nested: { list: [1, 2, 3] } },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
}

test('a path leads to values', () => {
  const table: [path: string, found: Json[]][] = [
    ['.spec.n', [1]],
    ['.spec.none', []],
    ['.metadata.labels.app\\.kubernetes\\.io/name', ['lab']],
    [".metadata.labels['app\\.kubernetes\\.io/name']", ['lab']],
    ['.spec.list[0].x', ['a']],
    ['.spec.list[-1].x', ['b']],
    ['.spec.list[*].x', ['a', 'b']],
    ['.spec.list[0:1].x', ['a']],
    ['.spec.list[0,1].x', ['a', 'b']],
    ['.spec.list[?(@.x=="b")].y', [2]],
    ['.spec.list[?(@.y)].x', ['b']],
    ['.spec.nested.list[?(@>1)]', [2, 3]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ['$.spec.n', [1]],
    ['..x', ['a', 'b']],
    ['.spec.a}', []],
    ['.__proto__', []],
  ]
  for (const [path, found] of table) assert.deepEqual(compileJsonPath(path).find(object), found, path)
})

for (const path of ['.spec.list[9]', '.spec.n[0]', '.spec.n b', '.spec.n[?(@.x)]', '.spec.list[?(@.x==1)]'])
  test(`a path that cannot be followed has no first value: ${JSON.stringify(path)}`, () =>
    assert.equal(compileJsonPath(path).first(object), undefined, path))

test('a path that cannot be read is refused', () => {
  const table: [path: string, message: string][] = [
    ['.spec[a', 'unterminated array'],
    ['.spec[a]', 'invalid array index a'],
    ['.spec[?(@.a=="x"]', 'unterminated filter'],
    ['.spec[?(@.a=="x")', 'unclosed array expect ]'],
    ['....', 'invalid multiple recursive descent'],
    ["'a", 'unterminated quoted string'],
  ]
  for (const [path, message] of table) assert.throws(() => compileJsonPath(path), { message }, path)
})

test('any text is a path or a JsonPathError, and any path can be followed', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom('.', '..', '[', ']', '*', '?(', ')', '@', '$', "'", '"', ',', ':', '0', '-1', 'a', 'spec', 'list', '=='),
      fc.string(),
    ),
  )
  fc.assert(
    fc.property(pieces, (parts) => {
      try {
        compileJsonPath(parts.join('')).find(object)
      } catch (error) {
        assert.ok(error instanceof JsonPathError, String(error))
      }
    }),
    { numRuns: 2000 },
  )
})

test('a path that leads to more than anybody reads is given up in the middle of a step', () => {
  let deep: Json = { a: 1 }
  for (let i = 0; i < 200; i++) deep = { a: deep, b: 1 }
  assert.equal(compileJsonPath('..a').find(deep).length, 201)
  const started = reads
  assert.throws(() => compileJsonPath('..a..a..a..a').find(watched(deep)), { message: 'too many results' })
  assert.ok(reads - started < 1_000_000, `${reads - started} looks`)
})

let reads = 0
/** The same value, counting how often one looks into its objects. */
function watched(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  const inner = Array.isArray(value)
    ? value.map(watched)
    : Object.fromEntries(Object.entries(value).map(([k, v]) => [k, watched(v ?? null)]))
  return new Proxy(inner, {
    ownKeys: (target) => {
      reads++
      return Reflect.ownKeys(target)
    },
  }) as Json
}
