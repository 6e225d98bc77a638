import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ResourceDefinition, type ResourceVersion, readPath } from '../../../machinery/resource/definition.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { Prefix } from '../../request/request-info.ts'
import { selection } from './selection.ts'

const version: ResourceVersion = {
  version: 'v1',
  served: true,
  schema: () => ({ type: 'any' }),
  columns: [],
  selectableFields: { 'spec.nodeName': (o) => String(readPath(o, ['spec', 'nodeName']) ?? '') },
}
const definition: ResourceDefinition = {
  group: '',
  names: { kind: 'Pod', plural: 'pods', singular: 'pod' },
  scope: 'Namespaced',
  versions: [version],
  storageVersion: 'v1',
  rules: {},
}
const served = { definition, version }
const none = { labelSelector: '', fieldSelector: '' }
const select = (namespace: string, name: string, fieldSelector: string, prefix: Prefix = '') =>
  selection(served, { namespace, name, prefix }, { ...none, fieldSelector })

test('what names one object is looked up by its key; what cannot be is an index', () => {
  assert.equal(select('ns', 'a', '').filter.exact, 'ns/a')
  assert.equal(select('ns', '', 'metadata.name=a').filter.exact, 'ns/a')
  assert.equal(select('', '', 'metadata.name=a').filter.exact, undefined)
  assert.deepEqual(select('', '', 'metadata.name=a').filter.index, { field: 'metadata.name', value: 'a' })
  assert.deepEqual(select('', '', 'spec.nodeName=n').filter.index, { field: 'spec.nodeName', value: 'n' })
  assert.equal(select('ns', '', '').filter.prefix, 'ns/')
})

test('only what does more than name a place is selective', () => {
  assert.equal(select('ns', '', '').selective, false)
  assert.equal(select('ns', '', 'spec.nodeName=n').selective, true)
})

test('a watch of one object by its path may name no other', () => {
  const refused = (run: () => unknown) => assert.throws(run, (error) => isStatus(error, 'BadRequest'))
  refused(() => select('ns', 'a', 'metadata.name=b', 'watch'))
  assert.equal(select('ns', 'a', 'metadata.name=a', 'watch').filter.exact, 'ns/a')
  refused(() => select('ns', '', 'spec.unknown=x'))
})
