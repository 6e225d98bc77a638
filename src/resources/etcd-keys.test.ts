import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinPrefix, customPrefix, storedAs } from '../apiserver/cache/storage-keys.ts'
import { builtinResources } from './builtin.ts'
import { keyNames } from './etcd-keys.ts'

const names = keyNames()

for (const [group, resource, rest, outside] of [
  ['', 'pods', 'default/p', '/registry/pods/default/p'],
  ['', 'services', 'default/sv', '/registry/services/specs/default/sv'],
  ['', 'endpoints', 'default/kubernetes', '/registry/services/endpoints/default/kubernetes'],
  ['', 'nodes', 'n', '/registry/minions/n'],
  ['', 'replicationcontrollers', 'default/rc', '/registry/controllers/default/rc'],
  ['apps', 'deployments', 'default/d', '/registry/deployments/default/d'],
  ['networking.k8s.io', 'ingresses', 'default/i', '/registry/ingress/default/i'],
  ['networking.k8s.io', 'ingressclasses', 'ic', '/registry/ingressclasses/ic'],
  ['apiregistration.k8s.io', 'apiservices', 'v1.events.k8s.io', '/registry/apiregistration.k8s.io/apiservices/v1.events.k8s.io'],
  [
    'apiextensions.k8s.io',
    'customresourcedefinitions',
    'crons.ex.com',
    '/registry/apiextensions.k8s.io/customresourcedefinitions/crons.ex.com',
  ],
  ['rbac.authorization.k8s.io', 'clusterroles', 'system:node', '/registry/clusterroles/system:node'],
] as const)
  test(`${group}/${resource} is stored at ${outside}`, () => {
    const inside = builtinPrefix(group, resource) + rest
    assert.deepEqual([names.outside(inside), names.inside(outside)], [outside, inside])
  })

test('a custom object is stored under its group', () => {
  const inside = `${customPrefix('ex.com', 'crons')}default/x`
  assert.deepEqual([names.outside(inside), names.inside('/registry/ex.com/crons/default/x')], ['/registry/ex.com/crons/default/x', inside])
})

test('every built-in resource comes back as it went out, and no two meet', () => {
  const inside = builtinResources().map((d) => {
    const { group, resource } = storedAs(d)
    return `${builtinPrefix(group, resource)}ns/name`
  })
  const outside = inside.map((key) => names.outside(key))
  assert.deepEqual(
    outside.map((key) => names.inside(key)),
    inside,
  )
  assert.equal(new Set(outside).size, new Set(inside).size)
})

for (const key of ['', '/', '/registry', '/registry/', '/other/x', '/registry/unknown/x', '/registry/pods', 'registry/pods/a'])
  test(`${JSON.stringify(key)} belongs to no resource`, () => assert.deepEqual([names.outside(key), names.inside(key)], [key, key]))
