import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NO_QUERY, parseQuery, queryOf, queryOfPairs } from './query.ts'

const text = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('a', 'b', '', 'é=&+;%', '__proto__', 'toString'))
const pairs = fc.array(fc.tuple(text, text), { maxLength: 6 })

test('what is encoded is read again, repeated names in order, as URLs do', () => {
  fc.assert(
    fc.property(pairs, (given) => {
      const encoded = new URLSearchParams(given)
      const query = parseQuery(encoded.toString())
      for (const name of [...encoded.keys(), 'absent']) {
        assert.deepEqual(query.all(name), encoded.getAll(name))
        assert.equal(query.get(name) ?? null, encoded.get(name))
      }
    }),
  )
})

test('pairs and a record are the same queries as text', () => {
  fc.assert(
    fc.property(pairs, (given) => {
      const parsed = parseQuery(new URLSearchParams(given).toString())
      const names = [...given.map(([name]) => name), 'absent']
      const seen = ({ get, all }: typeof parsed) => names.map((name) => [get(name), all(name)])
      assert.deepEqual(seen(queryOfPairs(given)), seen(parsed))
      const single = Object.fromEntries(given)
      assert.deepEqual(seen(queryOf(single)), seen(parseQuery(new URLSearchParams(single).toString())))
    }),
  )
})

for (const [query, name, values] of [
  ['a', 'a', ['']],
  ['a=', 'a', ['']],
  ['a=b=c', 'a', ['b=c']],
  ['a=1&&a=2', 'a', ['1', '2']],
  ['=x', '', ['x']],
  ['a=1;b=2', 'a', []],
  ['a=%zz&a=1', 'a', ['1']],
  ['%zz=1', '%zz', []],
  ['a=%2B+%20', 'a', ['+  ']],
] as const)
  test(`?${query}: ${name || "''"} is ${JSON.stringify(values)}`, () => assert.deepEqual(parseQuery(query).all(name), values))

test('an empty query has no names', () => assert.equal(parseQuery(''), NO_QUERY))
