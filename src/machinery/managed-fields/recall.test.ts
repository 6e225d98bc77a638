import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { builtinSchema } from '../../resources/schema.ts'
import type { Json, KubeObject } from '../object.ts'
import { decodeObject } from '../schema/decode.ts'
import type { Schema } from '../schema/schema.ts'
import { trackUpdate } from './track-update.ts'

const RESET = [['status']]
const context = { apiVersion: 'v1', kind: 'Pod', subresource: '', resetFields: RESET, now: '2026-01-01T00:00:00Z' }
const created = (schema: Schema, updated: KubeObject) => trackUpdate({ ...context, schema, live: undefined, updated, manager: 'm' })
/** The same type for somebody who remembers nothing of it. */
const afresh = (schema: Schema): Schema => {
  assert.equal(schema.type, 'struct')
  return schema.type === 'struct' ? { type: 'struct', go: schema.go ?? '', required: schema.required, fields: schema.fields } : schema
}

const word = fc.constantFrom('a', 'b', 'c', '')
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const containers = fc.uniqueArray(
  fc.record({
    name: word,
    image: some(word),
    env: some(fc.uniqueArray(fc.record({ name: word, value: word }), { selector: (e) => e.name, maxLength: 2 })),
    ports: some(fc.array(fc.record({ containerPort: fc.constantFrom(1, 2) }), { maxLength: 2 })),
    resources: some(fc.constantFrom<Json>({}, { limits: { cpu: '1' } }, { limits: { cpu: '2', memory: '1' } })),
  }),
  { selector: (c) => c.name, maxLength: 2 },
)
const pod = fc
  .record({
    metadata: fc.record({ name: word, labels: some(fc.dictionary(word, word)), finalizers: some(fc.uniqueArray(word)) }),
    spec: some(
      fc.record({ containers: some(containers), nodeName: some(word), tolerations: some(fc.constantFrom<Json>([], [{ key: 'a' }])) }),
    ),
    status: some(fc.constantFrom<Json>({}, { phase: 'Running' }, null)),
  })
  .map((value) => JSON.parse(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...value })) as Json)

test('what is remembered of a creation is what would be found out anew', () => {
  const schema = builtinSchema('', 'v1', 'Pod')()
  const remembering = afresh(schema)
  fc.assert(
    fc.property(pod, fc.boolean(), (json, typed) => {
      const object = (typed ? decodeObject(schema, json).object : json) as unknown as KubeObject
      assert.deepEqual(created(remembering, object), created(afresh(schema), object))
    }),
    { numRuns: 400 },
  )
})

const configMap = (name: string, data: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { a: name } },
  data,
})

test('objects of one shape share the fields that their creator owns', () => {
  const schema = afresh(builtinSchema('', 'v1', 'ConfigMap')())
  const map = (name: string, data: Record<string, string>) => created(schema, configMap(name, data))?.[0]?.fieldsV1
  const first = map('one', { x: '1' })
  assert.equal(map('two', { x: '2' }), first)
  assert.notDeepEqual(map('three', { y: '2' }), first)
  assert.equal(map('four', { x: '4' }), first)
})
