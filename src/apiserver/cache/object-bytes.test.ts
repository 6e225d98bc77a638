import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asJson, type KubeObject } from '../../machinery/object.ts'
import { readPath } from '../../machinery/resource/definition.ts'
import { ByteWriter } from '../http/response/byte-writer.ts'
import { encodeObject } from './object-bytes.ts'
import { bytesOf, StoredObject } from './stored-object.ts'

const object = (extra: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', resourceVersion: '99' },
  ...extra,
})

test('stored bytes carry no revision; the item puts its own in', () => {
  const value = encodeObject(object())
  assert.ok(!value.includes('resourceVersion'))
  const item = new StoredObject({ key: 'n/a', revision: 7, source: bytesOf(value) })
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
    new StoredObject({ key: 'n/a', revision: 7, source: bytesOf(value) }).writeMetadata(out, 'v1')
    const shown = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: '7', ...metadata } }
    assert.deepEqual(JSON.parse(String(out.take())), shown)
  }
})

test('integers beyond 2^53 survive, and so do hostile keys', () => {
  const value = encodeObject(object({ spec: { big: 9007199254740993n }, data: JSON.parse('{"__proto__":"x","constructor":"y"}') }))
  const item = new StoredObject({ key: 'n/a', revision: 7, source: bytesOf(value) })
  assert.equal(readPath(item.object, ['spec', 'big']), 9007199254740993n)
  assert.deepEqual(Object.keys(asJson(item.object).data ?? {}), ['__proto__', 'constructor'])
  assert.match(String(item.json()), /"big":9007199254740993/)
})

test('an object is written in the order of Go: kind first, the revision behind the uid', () => {
  const uid = '0b0c'
  const table: [metadata: object, text: string][] = [
    [{}, '{"resourceVersion":"7"}'],
    [{ name: 'a' }, '{"name":"a","resourceVersion":"7"}'],
    [{ name: 'a"}\\', uid, labels: { a: 'b' } }, '{"name":"a\\"}\\\\","uid":"0b0c","resourceVersion":"7","labels":{"a":"b"}}'],
    [{ labels: { name: 'b' } }, '{"resourceVersion":"7","labels":{"name":"b"}}'],
    [{ name: 'a', namespace: 'n', uid, generation: 1 }, '{"name":"a","namespace":"n","uid":"0b0c","resourceVersion":"7","generation":1}'],
  ]
  for (const [metadata, text] of table) {
    const value = encodeObject({ ...object(), metadata } as KubeObject)
    const item = new StoredObject({ key: 'n/a', revision: 7, source: bytesOf(value) })
    assert.equal(String(item.json()), `{"kind":"ConfigMap","apiVersion":"v1","metadata":${text}}`)
    const out = new ByteWriter(1)
    item.writeJson(out)
    item.writeListElement(out)
    item.writeMetadata(out, 'v1')
    const partial = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${text}}`
    assert.equal(String(out.take()), `${item.json()}{"metadata":${text}}${partial}`)
  }
})

test('what an older version stored is answered too', () => {
  const item = new StoredObject({
    key: 'a',
    revision: 7,
    source: bytesOf(Buffer.from('{"apiVersion":"v1","kind":"X","metadata":{"name":"a","uid":"u"}}')),
  })
  assert.equal(String(item.json()), '{"apiVersion":"v1","kind":"X","metadata":{"name":"a","resourceVersion":"7","uid":"u"}}')
})

test('a custom object has sorted keys, and its revision among them', () => {
  const table: [extra: object, text: string][] = [
    [{}, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"7"}}'],
    [{ metadata: {} }, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"7"}}'],
    [
      { metadata: { uid: 'u', generation: 1, labels: { uid: 'x', a: '"}' }, name: 'a' }, spec: { b: 1, a: [{ d: 1, c: '}' }] } },
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generation":1,"labels":{"a":"\\"}","uid":"x"},"name":"a","resourceVersion":"7","uid":"u"},"spec":{"a":[{"c":"}","d":1}],"b":1}}',
    ],
    [
      { A: 5, data: { metadata: { uid: 'y' } }, 'e\\"': ['metadata'] },
      '{"A":5,"apiVersion":"v1","data":{"metadata":{"uid":"y"}},"e\\\\\\"":["metadata"],"kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"7"}}',
    ],
  ]
  for (const [extra, text] of table) {
    const item = new StoredObject({ key: 'n/a', revision: 7, source: bytesOf(encodeObject({ ...object(), ...extra }, true)) })
    assert.equal(String(item.json()), text)
    assert.equal(item.object.metadata.resourceVersion, '7')
  }
})

for (const data of [{ k: 'plain' }, { k: 'ä€😀' }, { k: '\ud800' }])
  test(`stored bytes hold on to no memory but their own, whatever characters they have: ${JSON.stringify(data)}`, () => {
    const value = encodeObject(object({ data }))
    assert.equal(value.buffer.byteLength, value.length)
    assert.deepEqual(JSON.parse(value.toString()).data, data)
  })
