import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LruMap } from './lru-map.ts'

test('the entry that was not used for the longest leaves first', () => {
  const map = new LruMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  assert.equal(map.get('a'), 1)
  map.set('c', 3)
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [1, undefined, 3])
})

test('an entry heavier than the bound pushes all others out and stays', () => {
  const map = new LruMap<string, number>(10)
  map.set('a', 1, 4)
  map.set('b', 2, 11)
  assert.deepEqual([map.get('a'), map.get('b'), map.size], [undefined, 2, 1])
  map.set('c', 3, 1)
  assert.deepEqual([map.get('b'), map.get('c')], [undefined, 3])
})

test('an entry that is set anew weighs what it weighs now', () => {
  const map = new LruMap<string, number>(10)
  map.set('a', 1, 9)
  map.set('a', 2, 1)
  map.set('b', 3, 9)
  assert.deepEqual(map.values(), [2, 3])
})

test('whatever is set, read and deleted, the weight stays within the bound and the latest entry is there', () => {
  const operation = fc.record({
    key: fc.integer({ min: 0, max: 8 }),
    weight: fc.integer({ min: 0, max: 5 }),
    what: fc.constantFrom('set', 'get', 'delete'),
  })
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
      const map = new LruMap<number, number>(10)
      for (const { key, weight, what } of operations) {
        if (what === 'set') {
          map.set(key, weight, weight)
          assert.equal(map.get(key), weight)
        } else if (what === 'get') map.get(key)
        else {
          map.delete(key)
          assert.equal(map.get(key), undefined)
        }
        assert.ok(map.values().reduce((sum, w) => sum + w, 0) <= 10)
      }
    }),
  )
})
