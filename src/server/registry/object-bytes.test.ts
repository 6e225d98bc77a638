import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { Item } from './item.ts'
import { encodeObject } from './object-bytes.ts'

const object = (extra: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', resourceVersion: '99' },
  ...extra,
})

test('stored bytes carry no revision; the item puts its own in', () => {
  const value = encodeObject(object())
  assert.ok(!value.includes('resourceVersion'))
  const item = new Item({ key: 'n/a', revision: 7, value })
  assert.deepEqual(JSON.parse(String(item.json())).metadata, { name: 'a', resourceVersion: '7' })
  assert.equal(item.object.metadata.resourceVersion, '7')
  assert.deepEqual(Object.keys(JSON.parse(String(item.listElement()))), ['metadata'])
})

test('integers beyond 2^53 survive, and so do hostile keys', () => {
  const value = encodeObject(object({ spec: { big: 9007199254740993n }, data: JSON.parse('{"__proto__":"x","constructor":"y"}') }))
  const item = new Item({ key: 'n/a', revision: 7, value })
  assert.equal(item.object.spec.big, 9007199254740993n)
  assert.deepEqual(Object.keys(item.object.data), ['__proto__', 'constructor'])
  assert.match(String(item.json()), /"big":9007199254740993/)
})
