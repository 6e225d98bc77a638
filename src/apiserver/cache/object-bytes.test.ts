import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { ByteWriter } from '../http/byte-writer.ts'
import { encodeObject } from './object-bytes.ts'
import { StoredObject } from './stored-object.ts'

const object = (extra: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', resourceVersion: '99' },
  ...extra,
})

test('stored bytes carry no revision; the item puts its own in', () => {
  const value = encodeObject(object())
  assert.ok(!value.includes('resourceVersion'))
  const item = new StoredObject({ key: 'n/a', revision: 7, value })
  assert.deepEqual(JSON.parse(String(item.json())).metadata, { name: 'a', resourceVersion: '7' })
  assert.equal(item.object.metadata.resourceVersion, '7')
  const written = (write: (out: ByteWriter) => void) => {
    const out = new ByteWriter(1)
    write(out)
    return JSON.parse(String(out.end()))
  }
  assert.deepEqual(
    written((out) => item.writeJson(out)),
    JSON.parse(String(item.json())),
  )
  assert.deepEqual(Object.keys(written((out) => item.writeListElement(out))), ['metadata'])
})

test('metadata is cut out of the stored bytes', () => {
  const labels = { 'a"}': '\\"{', é: '[' }
  for (const metadata of [{}, { name: 'a', labels, finalizers: ['x'] }]) {
    const value = encodeObject({ ...object({ data: { k: '}' } }), metadata } as KubeObject)
    const out = new ByteWriter(1)
    new StoredObject({ key: 'n/a', revision: 7, value }).writeMetadata(out, 'v1')
    const shown = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: '7', ...metadata } }
    assert.deepEqual(JSON.parse(String(out.take())), shown)
  }
})

test('integers beyond 2^53 survive, and so do hostile keys', () => {
  const value = encodeObject(object({ spec: { big: 9007199254740993n }, data: JSON.parse('{"__proto__":"x","constructor":"y"}') }))
  const item = new StoredObject({ key: 'n/a', revision: 7, value })
  assert.equal(item.object.spec.big, 9007199254740993n)
  assert.deepEqual(Object.keys(item.object.data), ['__proto__', 'constructor'])
  assert.match(String(item.json()), /"big":9007199254740993/)
})
