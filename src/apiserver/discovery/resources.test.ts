import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceDefinition, ResourceVersion } from '../../machinery/resource/definition.ts'
import { createResourceRegistry } from '../cache/resource-registry.ts'
import { groupList, groupOf, resourceList } from './resources.ts'

const version = (name: string, served = true): ResourceVersion => ({
  version: name,
  served,
  schema: () => ({ type: 'any' }),
  columns: [],
})

function resource(group: string, kind: string, more: Partial<ResourceDefinition> = {}): ResourceDefinition {
  const plural = `${kind.toLowerCase()}s`
  return {
    group,
    names: { kind, plural, singular: kind.toLowerCase() },
    scope: 'Namespaced',
    versions: [version('v1')],
    storageVersion: 'v1',
    rules: {},
    ...more,
  }
}

const registry = () =>
  createResourceRegistry([
    resource('', 'Pod', { subresources: { status: { kind: 'status' } } }),
    resource('', 'Binding', { review: { review: 'bindings' } }),
    resource('policy', 'Budget'),
    resource('apps', 'Set', { versions: [version('v1'), version('v1beta1', false)], subresources: scale }),
    resource('example.com', 'Widget', { customDefinition: 'widgets.example.com', versions: [version('v2'), version('v1')] }),
    resource('gone.example.com', 'Gone', { versions: [version('v1', false)] }),
  ])

const scale = { scale: { kind: 'scale', specReplicas: ['spec', 'replicas'], statusReplicas: ['status', 'replicas'] } } as const

test("groups are listed in Kubernetes' order, then others, without unserved ones", () => {
  assert.deepEqual(
    groupList(registry()).groups.map((g) => [g.name, g.preferredVersion?.version]),
    [
      ['apps', 'v1'],
      ['policy', 'v1'],
      ['example.com', 'v2'],
    ],
  )
  assert.equal(groupOf(registry(), 'gone.example.com'), undefined)
  assert.equal(groupOf(registry(), ''), undefined)
})

test('resources are listed with their subresources, by name, and each with what it can do', () => {
  const list = resourceList(registry(), '', 'v1')
  assert.deepEqual(
    list?.resources.map((r) => [r.name, r.verbs.join(' ')]),
    [
      ['bindings', 'create'],
      ['pods', 'create delete deletecollection get list patch update watch'],
      ['pods/status', 'get patch update'],
    ],
  )
})

test('a subresource of another kind names that kind', () => {
  const found = resourceList(registry(), 'apps', 'v1')?.resources.find((r) => r.name === 'sets/scale')
  assert.deepEqual(
    { ...found },
    {
      name: 'sets/scale',
      singularName: '',
      namespaced: true,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    },
  )
})

test('a version that is not served is not there', () => {
  assert.equal(resourceList(registry(), 'apps', 'v1beta1'), undefined)
  assert.equal(resourceList(registry(), 'nobody', 'v1'), undefined)
})
