import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keeperOf } from '../../machinery/kept.ts'
import { type Decoded, DecodedItems } from './decoded-items.ts'
import { bytesOf, StoredObject } from './stored-object.ts'

class Item implements Decoded {
  isDecoded = true
  used = true
  readonly sizeBytes = 100
  pass() {
    this.used = false
  }
  cool() {
    this.isDecoded = false
  }
}

const many = (decoded: DecodedItems, count: number) =>
  Array.from({ length: count }, () => {
    const item = new Item()
    decoded.add(item)
    return item
  })

test('items read between two rounds stay decoded, however many; the rest is dropped, but for the allowance', () => {
  const decoded = new DecodedItems()
  const items = many(decoded, 1000)
  assert.ok(decoded.round(Number.POSITIVE_INFINITY, 5000))
  assert.equal(items.filter((i) => i.isDecoded).length, 1000, 'all were new')
  for (const item of items.slice(0, 300)) item.used = true
  decoded.round(Number.POSITIVE_INFINITY, 5000)
  assert.deepEqual(
    items.slice(0, 300).filter((i) => !i.isDecoded),
    [],
  )
  // Each is weighed before it goes: those behind the bound stay.
  decoded.round(Number.POSITIVE_INFINITY, 5000)
  assert.equal(items.filter((i) => i.isDecoded).length, 50)
  assert.equal(decoded.bytes, 5000)
  assert.equal(decoded.size, 50)
})

test('a round in slices ends, and misses no newcomer', () => {
  const decoded = new DecodedItems()
  const first = many(decoded, 100)
  while (!decoded.round(7, 0)) many(decoded, 1)
  decoded.round(Number.POSITIVE_INFINITY, 0)
  decoded.round(Number.POSITIVE_INFINITY, 0)
  assert.deepEqual([decoded.size, decoded.bytes, first.some((i) => i.isDecoded)], [0, 0, false])
})

test('what was replaced is not held on to: a million versions of one object leave a thousand entries at most', () => {
  const decoded = new DecodedItems()
  let last = new Item()
  for (let i = 0; i < 1_000_000; i++) {
    last.isDecoded = false
    last = new Item()
    decoded.add(last)
  }
  assert.ok(decoded.size <= 1025, `${decoded.size}`)
  assert.ok(decoded.bytes <= 102_500)
})

test('an item that has lost its decoded form shows the same object again, and is known as its keeper', () => {
  const decoded = new DecodedItems()
  const value = Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n"},"data":{"x":"y"}}')
  const item = new StoredObject({ key: 'n/a', source: bytesOf(value), revision: 7, holder: { lens: undefined, sharedUpTo: 0, decoded } })
  const first = item.object
  assert.equal(keeperOf(first), item)
  for (let i = 0; i < 2; i++) decoded.round(Number.POSITIVE_INFINITY, 0)
  assert.equal(item.isDecoded, false)
  assert.notEqual(item.object, first)
  assert.deepEqual(item.object, first)
  assert.equal(item.object, item.object)
})
