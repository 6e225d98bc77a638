import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deepFreeze, type KubeObject } from '../../machinery/object.ts'
import { withPartsOf } from './shared-parts.ts'

const fields = fc.dictionary(fc.constantFrom('spec', 'status', 'data', '__proto__'), fc.jsonValue({ maxDepth: 2 }))
const metadata = fc.dictionary(fc.constantFrom('labels', 'annotations', 'finalizers'), fc.jsonValue({ maxDepth: 1 }))
const object = fc
  .tuple(fields, metadata)
  .map(([rest, meta]) => deepFreeze({ ...rest, apiVersion: 'v1', kind: 'K', metadata: { name: 'a', ...meta } }) as unknown as KubeObject)

test('a draft says the same with the parts of the old state as without them, and nothing is changed', () => {
  fc.assert(
    fc.property(object, object, (draft, old) => {
      const { object: shared, parts } = withPartsOf(draft, old)
      assert.deepEqual(shared, draft)
      for (const part of parts) assert.ok(Object.values(old).includes(part) || Object.values(old.metadata).includes(part as never))
    }),
  )
})

test('what is repeated becomes the very part of the old state', () => {
  const old: KubeObject = { apiVersion: 'v1', kind: 'K', metadata: { name: 'a', labels: { a: 'b' } }, spec: { x: [1] }, status: { y: 1 } }
  const draft = structuredClone(old)
  draft.status = { y: 2 }
  const { object: shared, parts } = withPartsOf(draft, old)
  assert.equal(shared.spec, old.spec)
  assert.equal(shared.metadata.labels, old.metadata.labels)
  assert.equal(shared.status, draft.status)
  assert.deepEqual([...parts], [old.metadata.labels, old.spec])
})
