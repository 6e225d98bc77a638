import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../machinery/object.ts'
import { joinGroups } from './join-groups.ts'

const resource = (name: string, verbs: readonly string[] = ['get']): JsonObject => ({ resource: name, verbs: [...verbs] })
const group = (name: string, versions: Readonly<Record<string, readonly JsonObject[]>>): JsonObject => ({
  metadata: { name },
  versions: Object.entries(versions).map(([version, resources]) => ({ version, resources: [...resources], freshness: 'Current' })),
})
const A = group('apps', { v1: [resource('deployments')] })

test('servers that serve the same are shown as one of them', () => assert.deepEqual(joinGroups([[A], [A], [A]]), [A]))

test('groups, versions and resources of a newer server come behind what they follow there', () => {
  const batch = group('batch', { v1: [resource('jobs')] })
  const newer = [
    group('new', { v1: [resource('things')] }),
    group('apps', { v2: [resource('x')], v1: [resource('deployments'), resource('y')] }),
  ]
  assert.deepEqual(joinGroups([[A, batch], newer]), [
    newer[0],
    group('apps', { v2: [resource('x')], v1: [resource('deployments'), resource('y')] }),
    batch,
  ])
})

test('a resource has the verbs and subresources of all', () => {
  const one = { ...resource('pods', ['get', 'list']), subresources: [{ subresource: 'log' }] }
  const other = { ...resource('pods', ['create', 'get']), subresources: [{ subresource: 'exec' }, { subresource: 'log' }] }
  const joined = { ...resource('pods', ['create', 'get', 'list']), subresources: [{ subresource: 'exec' }, { subresource: 'log' }] }
  assert.deepEqual(joinGroups([[group('g', { v1: [one] })], [group('g', { v1: [other] })]]), [group('g', { v1: [joined] })])
})

test('what is no discovery is passed over', () => {
  assert.deepEqual(
    joinGroups([
      [A],
      [
        { metadata: 1, versions: 'x' },
        { metadata: { name: 'apps' }, versions: [1, { version: 'v1' }] },
      ],
    ]),
    [{ metadata: 1, versions: 'x' }, A],
  )
})
