import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asJson, asKubeObject, type JsonObject } from '../../machinery/object.ts'
import type { Schema } from '../../machinery/schema/schema.ts'
import type { CustomResourceDefinition } from '../../resources/apiextensions/types.ts'
import { customDefinition } from './custom-definition.ts'

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          n: { type: 'integer', default: 7 },
          any: { 'x-kubernetes-preserve-unknown-fields': true },
          res: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  },
}
const definition = customDefinition(
  asKubeObject({
    metadata: { name: 'things.x.io' },
    spec: {
      group: 'x.io',
      scope: 'Namespaced',
      names: {},
      versions: [
        { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } },
        { name: 'v2', served: true, storage: false, schema },
      ],
    },
    status: { acceptedNames: { plural: 'things', kind: 'Thing' } },
  }) as CustomResourceDefinition,
)
const thing = (apiVersion: string, spec: JsonObject) => asKubeObject({ apiVersion, kind: 'Thing', metadata: { name: 'a' }, spec })

test('a conversion adds no defaults, reading back from storage does', async () => {
  const [converted = thing('', {})] = (await definition.convert?.([thing('x.io/v2', {})], 'x.io/v1')) ?? []
  assert.deepEqual(converted.spec, {})
  definition.readBack?.(converted)
  assert.deepEqual(converted.spec, { n: 7 })
})

test('nulls that the schema does not allow are not stored', () => {
  const given = thing('x.io/v1', { any: null, n: 1 })
  assert.deepEqual(definition.rules.withoutNulls?.(given).spec, { n: 1 })
  assert.deepEqual(given.spec, { any: null, n: 1 })
})

test('an object inside the object has metadata of a known type, and what the schema keeps beside it', () => {
  const fieldOf = (of: Schema | undefined, name: string) => (of?.type === 'struct' ? of.fields.get(name)?.schema : undefined)
  const res = fieldOf(fieldOf(definition.versions[0]?.schema(), 'spec'), 'res')
  assert.equal(asJson(res ?? {}).preserveUnknown, true)
  assert.equal(fieldOf(fieldOf(res, 'metadata'), 'labels')?.type, 'map')
})

test('the status of a custom object owns no metadata', () => {
  const { status } = definition.versions.find((v) => v.version === 'v1')?.subresources ?? {}
  assert.deepEqual(status?.kind === 'status' ? status.rules?.resetFields : undefined, { status: [['metadata'], ['spec']] })
})
