import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { asKubeObject, deepFreeze, type KubeObject } from '../../machinery/object.ts'
import { withPartsOf } from './shared-parts.ts'

const fields = fc.dictionary(fc.constantFrom('spec', 'status', 'data', '__proto__'), fc.jsonValue({ maxDepth: 3 }))
const metadata = fc.dictionary(fc.constantFrom('labels', 'annotations', 'finalizers'), fc.jsonValue({ maxDepth: 1 }))
const object = fc
  .tuple(fields, metadata)
  .map(([rest, meta]) => deepFreeze(asKubeObject({ ...rest, apiVersion: 'v1', kind: 'K', metadata: { name: 'a', ...meta } })))

test('a draft equals itself with shared parts of the old state, and the input is unchanged', () => {
  fc.assert(
    fc.property(object, object, fc.boolean(), (draft, old, deep) => {
      const { object: shared, parts } = withPartsOf(draft, old, deep)
      assert.deepEqual(shared, draft)
      const partsOfOld = new Set(everyPart(old))
      for (const part of parts) assert.ok(partsOfOld.has(part))
    }),
  )
})

/** All lists and maps in a value, itself included. */
function everyPart(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(everyPart)] : []
}

test('looked into, a field that changed shares what it has in common with the old one, however it is nested', () => {
  const old: KubeObject<object> = {
    apiVersion: 'v1',
    kind: 'K',
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'a', env: [{ name: 'b' }] }, { name: 'c' }], tolerations: [{ key: 'd' }], volumes: [1] },
  }
  const draft = structuredClone(old)
  draft.spec = { ...old.spec, node: 'n', containers: [{ name: 'a', env: [{ name: 'b' }], image: 'i' }, { name: 'c' }, { name: 'e' }] }
  const { object: shared, parts } = withPartsOf(deepFreeze(structuredClone(draft)), deepFreeze(old), true)
  assert.deepEqual(shared, draft)
  const [was, is] = [old.spec as Spec, shared.spec as Spec]
  assert.equal(is.tolerations, was.tolerations)
  assert.equal(is.containers[0]?.env, was.containers[0]?.env)
  assert.equal(is.containers[1], was.containers[1])
  assert.deepEqual(new Set(parts), new Set([was.containers[0]?.env, was.containers[1], was.tolerations, was.volumes]))
})

interface Spec {
  readonly containers: readonly { readonly env?: unknown }[]
  readonly tolerations: unknown
  readonly volumes: unknown
}

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
