import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CacheBounds, ExpiringCache, jsonLength } from './expiring-cache.ts'

function cacheOf(entries: number, bounds: Partial<CacheBounds<string>> = {}) {
  let now = 0
  const cache = new ExpiringCache<string>({ entries, ...bounds }, { monotonic: () => now })
  return { cache, pass: (ms: number) => (now += ms) }
}

test('a value is kept for its time', () => {
  const { cache, pass } = cacheOf(10)
  cache.set('a', 'x', 100)
  pass(99)
  assert.equal(cache.get('a'), 'x')
  pass(1)
  assert.equal(cache.get('a'), undefined)
  assert.equal(cache.size, 0)
})

test('asking for a value does not lengthen its time', () => {
  const { cache, pass } = cacheOf(10)
  cache.set('a', 'x', 100)
  for (let i = 0; i < 9; i++) {
    pass(10)
    assert.equal(cache.get('a'), 'x')
  }
  pass(10)
  assert.equal(cache.get('a'), undefined)
})

test('when full, the least recently used entry is evicted', () => {
  const { cache } = cacheOf(2)
  cache.set('a', '1', 100)
  cache.set('b', '2', 100)
  cache.get('a')
  cache.set('c', '3', 100)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], ['1', undefined, '3'])
})

test('a time of zero keeps nothing, and forgets what was there', () => {
  const { cache } = cacheOf(2)
  cache.set('a', '1', 100)
  cache.set('a', '2', 0)
  assert.equal(cache.get('a'), undefined)
})

test('when its size is reached, as many of the least recently used are evicted as make room; what is larger is not kept', () => {
  const { cache, pass } = cacheOf(100, { size: 40, sizeOf: jsonLength })
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, 'seven..', 100)
  cache.get('a')
  cache.set('e', 'a text of fifteen', 100)
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key) !== undefined),
    ['a', 'd', 'e'],
  )
  cache.set('k'.repeat(40), '', 100)
  cache.set('f', 'x'.repeat(40), 100)
  assert.deepEqual([cache.get('k'.repeat(40)), cache.get('f'), cache.size], [undefined, undefined, 3])
  pass(100)
  for (const key of ['a', 'd', 'e']) cache.get(key)
  cache.set('g', 'x'.repeat(30), 100)
  assert.equal(cache.get('g'), 'x'.repeat(30))
})
