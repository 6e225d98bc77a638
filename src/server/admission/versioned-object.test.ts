import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionRequest } from '../../apiserver/admission/plugin.ts'
import { asJson, asKubeObject } from '../../machinery/object.ts'
import type { CustomResourceDefinition } from '../../resources/apiextensions/types.ts'
import { customDefinition } from '../custom/custom-definition.ts'
import { replaceObject } from './versioned-object.ts'

const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }
const definition = customDefinition(
  asKubeObject({
    metadata: { name: 'things.x.io' },
    spec: { group: 'x.io', scope: 'Namespaced', names: {}, versions: [version] },
    status: { acceptedNames: { plural: 'things', kind: 'Thing' } },
  }) as CustomResourceDefinition,
)

for (const [field, value] of [
  ['labels', { a: 1 }],
  ['finalizers', 'x'],
  ['generation', 1.5],
] as const)
  test(`what a patch of a custom object made ill-typed is absent: ${field}`, async () => {
    const seen = asKubeObject({ apiVersion: 'x.io/v1', kind: 'Thing', metadata: { name: 'a', annotations: { b: 'c' } } })
    const resource = { group: 'x.io', version: 'v1', resource: 'things' }
    const request: Partial<AdmissionRequest> = { resource, subresource: '', object: seen }
    const patched = { apiVersion: 'x.io/v1', kind: 'Thing', metadata: { name: 'a', annotations: { b: 'c' }, [field]: value } }
    await replaceObject({ get: () => definition }, request as AdmissionRequest, seen, patched, { version: 'v1' })
    assert.deepEqual(request.object?.metadata, { name: 'a', annotations: { b: 'c' } })
  })

test('what a policy adds that the schema does not keep is noted, so that it counts as a change', async () => {
  const seen = asKubeObject({ apiVersion: 'x.io/v1', kind: 'Thing', metadata: { name: 'a' } })
  const resource = { group: 'x.io', version: 'v1', resource: 'things' }
  const patched = { ...asJson(seen), spec: { a: 1 }, other: { b: { c: 2 } } }
  for (const ofPolicy of [true, false]) {
    const request: Partial<AdmissionRequest> = { resource, subresource: '', object: seen }
    await replaceObject({ get: () => definition }, request as AdmissionRequest, seen, patched, { version: 'v1', ofPolicy })
    assert.deepEqual(request.object, seen)
    assert.deepEqual(request.prunedFields && [...request.prunedFields].sort(), ofPolicy ? ['other', 'spec'] : undefined)
  }
})
