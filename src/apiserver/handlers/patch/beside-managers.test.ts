import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json, JsonObject, ManagedFieldsEntry } from '../../../machinery/object.ts'
import { readPath } from '../../../machinery/resource/definition.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import { builtinSchema } from '../../../resources/schema.ts'
import { createResourceRegistry } from '../../cache/resource-registry.ts'
import { NO_KINDS } from '../../store/store.double.ts'
import { namesManagers, patchBesideManagers } from './beside-managers.ts'
import { mergePatch } from './patch-merge.ts'
import type { PatchSource, PatchTarget } from './patch-source.ts'

for (const [patch, names] of [
  ['{"spec":{"a":1}}', false],
  ['{"metadata":{"labels":{"a":"managedFields"}}}', false],
  ['{"metadata":{"labels":{"$patch":"replace"}}}', false],
  ['{"metadata":{"managedFields":[]}}', true],
  ['{"metadata":{"managed\\u0046ields":null}}', true],
  ['{"metadata":null}', true],
  ['{"metadata":{"$patch":"replace"}}', true],
  ['{"metadata":{"$setElementOrder/managedFields":[]}}', true],
  ['{"$patch":"replace"}', true],
  ['[]', false],
  ['null', false],
] as const)
  test(`${patch} ${names ? 'names' : 'does not name'} managed fields`, () => {
    const json = JSON.parse(patch) as Json
    assert.equal(namesManagers({ value: json }), names)
    assert.equal(namesManagers({ bytes: Buffer.from(patch), read: { json, duplicates: [], numbers: new Map() } }), names)
  })

const gvk = { group: '', version: 'v1', kind: 'ConfigMap' }
const target: PatchTarget = {
  deps: { kinds: NO_KINDS, definitions: createResourceRegistry([]) },
  gvk,
  schema: builtinSchema('', 'v1', 'ConfigMap')(),
  fieldValidation: 'Strict',
  warn() {},
}
const managedFields: ManagedFieldsEntry[] = [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }]
const before = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n', managedFields }, data: { a: '1' } }
const patch = (value: Json) => patchBesideManagers({ patcher: mergePatch, target, source: { value } satisfies PatchSource }, before, false)

test('managed fields that a patch does not name stay the very same', async () => {
  const patched = await patch({ data: { b: '2' }, metadata: { labels: { a: 'b' } } })
  assert.equal(patched.metadata.managedFields, managedFields)
  assert.deepEqual([readPath(patched, ['data']), patched.metadata.labels], [{ a: '1', b: '2' }, { a: 'b' }])
})

test('managed fields that a patch names are patched', async () => {
  assert.deepEqual((await patch({ metadata: { managedFields: [] } })).metadata.managedFields ?? [], [])
})

for (const [wrong, order] of [
  [{ data: 7 }, ['name', 'namespace', 'managedFields']],
  [{ data: 7, metadata: { labels: { a: 'b' } } }, ['labels', 'managedFields', 'name', 'namespace']],
] as const)
  test(`the refusal of ${JSON.stringify(wrong)} shows the whole object, managed fields in their place`, async () => {
    await assert.rejects(patch(wrong), (error) => {
      assert.ok(isStatus(error, 'Invalid'))
      const shown = JSON.parse(/Invalid value: "(.*)": /.exec(error.message)?.[1]?.replaceAll('\\"', '"') ?? '{}') as JsonObject
      assert.deepEqual(Object.keys((shown.metadata ?? {}) as JsonObject), order)
      return true
    })
  })
