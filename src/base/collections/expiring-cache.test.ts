import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExpiringCache } from './expiring-cache.ts'

function cacheOf(maxEntries: number) {
  let now = 0
  const cache = new ExpiringCache<string>(maxEntries, { monotonic: () => now })
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
