import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutManagedFields } from './without-managed-fields.ts'

const managedFields = [{ manager: 'a]"}', fieldsV1: { 'f:metadata': { 'k:{"name":"x"}': {} } } }, {}]

test('only the managed fields of the object itself are left out, wherever they lie in its metadata', () => {
  const table: [given: object, expected: object][] = [
    [
      { kind: 'Pod', metadata: { name: 'a', managedFields }, spec: { x: 1 } },
      { kind: 'Pod', metadata: { name: 'a' }, spec: { x: 1 } },
    ],
    [{ metadata: { managedFields, name: 'a' } }, { metadata: { name: 'a' } }],
    [{ metadata: { a: [{}], managedFields, name: 'a' } }, { metadata: { a: [{}], name: 'a' } }],
    [{ metadata: { managedFields } }, { metadata: {} }],
  ]
  for (const [given, expected] of table) assert.equal(withoutManagedFields(JSON.stringify(given)), JSON.stringify(expected))
  for (const same of [
    { metadata: { name: 'a' }, spec: { template: { metadata: { managedFields } } } },
    { metadata: { annotations: { a: JSON.stringify({ managedFields }) } } },
    { metadata: { deep: { managedFields } } },
    { kind: 'Status' },
    { managedFields, metadata: {} },
  ])
    assert.equal(withoutManagedFields(JSON.stringify(same)), JSON.stringify(same))
})
