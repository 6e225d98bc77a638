import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiCall } from '../../../machinery/api-call.ts'
import { callTarget, isWork } from './operator-work.ts'

const call = (verb: ApiCall['verb'], resource: string, more: Partial<ApiCall> & { subresource?: string } = {}): ApiCall => {
  const { subresource, ...rest } = more
  const target = { group: '', version: 'v1', resource, namespace: 'default', ...(subresource !== undefined && { subresource }) }
  return { verb, target, query: {}, ...rest }
}
const lock = { metadata: { annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } } }

const ROWS: readonly (readonly [name: string, call: ApiCall, isWork: boolean])[] = [
  ['a read', call('list', 'configmaps'), false],
  ['a write', call('update', 'configmaps'), true],
  ['a custom kind whose name ends like that of reviews', call('create', 'bookreviews'), true],
  ['its review', call('create', 'subjectaccessreviews'), false],
  ['its lease', call('update', 'leases'), false],
  ['an event', call('create', 'events'), false],
  ['a dry run', call('create', 'configmaps', { query: { dryRun: 'All' } }), false],
  ['a command in a pod', call('create', 'pods', { subresource: 'exec' }), false],
  ['a status', call('patch', 'pods', { subresource: 'status' }), true],
  ['a lock of an old client-go', call('update', 'configmaps', { body: lock }), false],
]

for (const [name, of, expected] of ROWS) test(`work of an operator: ${name}`, () => assert.equal(isWork(of), expected))

test('a request that creates an object is about the name in its body', () => {
  assert.equal(callTarget(call('create', 'configmaps', { body: { metadata: { name: 'a' } } })).name, 'a')
  assert.equal(callTarget(call('list', 'configmaps')).name, undefined)
})
