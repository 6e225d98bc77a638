import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  contains,
  difference,
  type FieldSet,
  FieldSetBuilder,
  hasPath,
  intersection,
  paths,
  readFieldSet,
  recursiveDifference,
  union,
} from './field-set.ts'
import { pathText } from './path-text.ts'

type Path = readonly string[]
const element = fc.constantFrom('f:a', 'f:b', 'k:{"n":"x"}', 'v:1')
const pathList = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 })

function build(list: readonly Path[]): FieldSet {
  const builder = new FieldSetBuilder()
  for (const path of list) builder.insert(path)
  return builder.set
}
const texts = (list: Iterable<Path>) => [...new Set([...list].map((path) => path.join('/')))].sort()
const listed = (set: FieldSet) => texts(paths(set))

test('a builder is empty until something is put in', () => {
  const builder = new FieldSetBuilder()
  assert.equal(builder.isEmpty, true)
  builder.insert(['f:a'])
  assert.equal(builder.isEmpty, false)
})

test('a set holds the paths that were put in', () => {
  fc.assert(
    fc.property(pathList, (list) => {
      const set = build(list)
      assert.deepEqual(listed(set), texts(list))
      for (const path of list) assert.ok(hasPath(set, path))
      assert.deepEqual(readFieldSet(structuredClone(set) as never), set)
    }),
  )
})

test('union, intersection and difference are those of sets of paths', () => {
  fc.assert(
    fc.property(pathList, pathList, (left, right) => {
      const a = build(left)
      const b = build(right)
      const before = JSON.stringify([a, b])
      const [as, bs] = [texts(left), texts(right)]
      assert.deepEqual(listed(union(a, b)), texts([...left, ...right]))
      assert.deepEqual(
        listed(intersection(a, b)),
        as.filter((path) => bs.includes(path)),
      )
      assert.deepEqual(
        listed(difference(a, b)),
        as.filter((path) => !bs.includes(path)),
      )
      assert.deepEqual(
        listed(recursiveDifference(a, b)),
        as.filter((path) => !bs.some((gone) => path === gone || path.startsWith(`${gone}/`))),
      )
      assert.equal(
        contains(a, b),
        bs.every((path) => as.includes(path)),
      )
      assert.equal(JSON.stringify([a, b]), before, 'sets are never changed')
      for (const result of [union(a, b), intersection(a, b), difference(a, b)])
        assert.deepEqual(readFieldSet(structuredClone(result) as never), result)
    }),
    { numRuns: 500 },
  )
})

test('paths are listed members first, and shown as messages show them', () => {
  const set = {
    'f:spec': { 'f:free': { 'f:a': {} }, 'f:ios': {} },
    'f:data': {},
    'f:list': { 'k:{"name":"x","port":80}': { 'f:image': {} }, 'v:"y"': {} },
  }
  assert.deepEqual([...paths(set)].map(pathText), ['.data', '.list[="y"]', '.list[name="x",port=80].image', '.spec.ios', '.spec.free.a'])
})

test('what is no set is refused, what is not known yet is passed over', () => {
  assert.deepEqual(readFieldSet({ 'q:data': {}, 'f:a': { '.': {} } }), { 'f:a': {} })
  for (const bad of [{ data: {} }, { 'f:a': 5 }, { 'k:x': {} }, { 'k:5': {} }, { 'i:x': {} }, { 'v:1e400': {} }, { 'k:{"a":1e400}': {} }])
    assert.throws(() => readFieldSet(bad))
})

test('objects and lists in the key of a list item are printed as Go prints them', () => {
  assert.equal(pathText(['f:list', 'k:{"name":{"a":"b","c":1}}', 'f:x']), '.list[name=a="b"c=1].x')
  assert.equal(pathText(['k:{"id":9007199254740993}', 'v:-9223372036854775808']), '[id=9007199254740993][=-9223372036854775808]')
  assert.equal(pathText(['k:{"name":["a",null]}']), '[name=["a",null]]')
})
