import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, KubeObject } from '../object.ts'
import type { Field, Schema } from '../schema/schema.ts'
import { isStatus } from '../status-error.ts'
import { applyPatch } from './apply.ts'
import { trackUpdate } from './track-update.ts'

const field = (schema: Schema): Field => ({ schema, tag: 0, omitEmpty: true })
const struct = (fields: Record<string, Schema>): Schema => ({
  type: 'struct',
  fields: new Map(Object.entries(fields).map(([name, schema]) => [name, field(schema)])),
  required: [],
})
const text: Schema = { type: 'scalar', scalar: 'string' }
const strings: Schema = { type: 'map', values: text }
const schema = struct({ apiVersion: text, kind: text, metadata: struct({ name: text, uid: text, annotations: strings }), data: strings })
const context = { apiVersion: 'v1', kind: 'Thing', schema, subresource: '', resetFields: [], now: '2026-01-01T00:00:00Z' }
const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'

/** A live object as client-side apply leaves it: `applied` is the text of its annotation. */
function clientApplied(data: JsonObject, applied: string | undefined): KubeObject {
  const annotations = applied === undefined ? {} : { annotations: { [ANNOTATION]: applied } }
  const updated = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', ...annotations }, data } as KubeObject
  const managedFields = trackUpdate({ ...context, live: undefined, updated, manager: 'kubectl-client-side-apply' })
  return { ...updated, metadata: { ...updated.metadata, uid: 'u', ...(managedFields && { managedFields }) } }
}

const applied = (data: JsonObject, more: JsonObject = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, data, ...more })

function conflictsOf(live: KubeObject, data: JsonObject, manager = 'kubectl'): string {
  try {
    applyPatch({ ...context, live, patch: { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, data }, manager, force: false })
    return ''
  } catch (error) {
    assert.ok(isStatus(error, 'Conflict'))
    return error.message.replace(/^.*using v1:?/s, '').trim()
  }
}

/** The object's fields, those that the annotation names, and which fields are in conflict when kubectl applies `{x: 2, y: 2}`. */
const MIGRATED: readonly (readonly [rule: string, data: JsonObject, annotation: string | undefined, conflicts: string])[] = [
  ['fields that client-side apply set, as they are', { x: '1', y: '1' }, applied({ x: '1', y: '1' }), ''],
  ['a field that was changed since', { x: '1', y: '5' }, applied({ x: '1', y: '1' }), '.data.y'],
  ['a field that it did not set', { x: '1', y: '1' }, applied({ x: '1' }), '.data.y'],
  ['no annotation', { x: '1', y: '1' }, undefined, '- .data.x\n- .data.y'],
  ['an empty annotation', { x: '1', y: '1' }, '', '- .data.x\n- .data.y'],
  ['an annotation that is no JSON', { x: '1', y: '1' }, '{', '- .data.x\n- .data.y'],
  ['an annotation that is no object', { x: '1', y: '1' }, '[1]', '- .data.x\n- .data.y'],
  ['null', { x: '1', y: '1' }, 'null', '- .data.x\n- .data.y'],
  ['another version', { x: '1', y: '1' }, applied({ x: '1', y: '1' }, { apiVersion: 'v2' }), '- .data.x\n- .data.y'],
  ['a field that the type does not have', { x: '1', y: '1' }, applied({ x: '1', y: '1' }, { other: 1 }), '- .data.x\n- .data.y'],
]
for (const [rule, data, annotation, conflicts] of MIGRATED)
  test(`kubectl takes over from its client-side apply: ${rule}`, () =>
    assert.equal(conflictsOf(clientApplied(data, annotation), { x: '2', y: '2' }), conflicts))

/** The annotation after a server-side apply of `{x: 2}`. */
function synced(annotation: string | undefined, manager: string, more: JsonObject = {}): unknown {
  const live = clientApplied({ x: '2' }, annotation)
  const patch = { kind: 'Thing', apiVersion: 'v1', metadata: { name: 'a', ...more }, data: { x: '2<' } }
  const { object } = applyPatch({ ...context, live, patch, manager, force: true })
  return (object as unknown as KubeObject).metadata.annotations?.[ANNOTATION]
}
const NEXT = '{"apiVersion":"v1","data":{"x":"2\\u003c"},"kind":"Thing","metadata":{"name":"a"}}\n'

test("the annotation follows what kubectl applies, in Go's form", () => assert.equal(synced(applied({ x: '1' }), 'kubectl'), NEXT))
test('other appliers leave the annotation as it is', () => assert.equal(synced(applied({ x: '1' }), 'other'), applied({ x: '1' })))
test('an object without the annotation gets none', () => {
  assert.equal(synced(undefined, 'kubectl'), undefined)
  assert.equal(synced('', 'kubectl'), '')
})
test('the annotation does not name itself, and other annotations stay in it', () => {
  const annotations = { [ANNOTATION]: 'x', other: 'b' }
  assert.equal(
    synced(applied({ x: '1' }), 'kubectl', { annotations }),
    NEXT.replace('{"name":"a"}', '{"annotations":{"other":"b"},"name":"a"}'),
  )
})
test('an annotation that would be too large is emptied', () => {
  const large = (length: number) => synced(applied({ x: '1' }), 'kubectl', { annotations: { other: 'b'.repeat(length) } })
  assert.equal(large(140_000), '')
  assert.notEqual(large(120_000), '')
})
