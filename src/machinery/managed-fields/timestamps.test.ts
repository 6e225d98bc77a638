import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject, ManagedFieldsEntry } from '../object.ts'
import { changesOnlyTimes } from './timestamps.ts'

const entry = (more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: 'm',
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': {} },
  time: '2026-01-01T00:00:00Z',
  ...more,
})
const object = (managedFields: ManagedFieldsEntry[] | undefined, more: object = {}, resourceVersion = '1'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', resourceVersion, ...(managedFields && { managedFields }) },
  ...more,
})

const WRITES: readonly (readonly [rule: string, updated: KubeObject, live: KubeObject, onlyTimes: boolean])[] = [
  ['nothing', object([entry()]), object([entry()]), true],
  ['a time', object([entry({ time: '2027-01-01T00:00:00Z' })]), object([entry()]), true],
  ['the version', object([entry()], {}, '2'), object([entry()], {}, '1'), true],
  ['no entries at all', object(undefined), object(undefined), true],
  ['a manager', object([entry({ manager: 'n' })]), object([entry()]), false],
  ['the fields', object([entry({ fieldsV1: { 'f:data': { 'f:a': {} } } })]), object([entry()]), false],
  ['one entry more', object([entry(), entry({ manager: 'n' })]), object([entry()]), false],
  ['entries at all', object([entry()]), object(undefined), false],
  ['entries no more', object(undefined), object([entry()]), false],
  ['the object', object([entry()], { data: { a: 'b' } }), object([entry()]), false],
  ['the order of entries', object([entry({ manager: 'n' }), entry()]), object([entry(), entry({ manager: 'n' })]), false],
]
for (const [rule, updated, live, onlyTimes] of WRITES)
  test(`a write that changes ${rule} is ${onlyTimes ? 'none' : 'a write'}`, () => assert.equal(changesOnlyTimes(updated, live), onlyTimes))
