import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchCacheDouble } from '../../apiserver/cache/watch-cache.double.ts'
import { VirtualClock } from '../../base/clock.ts'
import { OwnVersions } from './own-versions.ts'

const definition = (group: string, ...versions: string[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: { group, versions: versions.map((name) => ({ name })) },
})
const service = (version: string, reference: object | undefined) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${version}.foreign.example.com` },
  spec: { group: 'foreign.example.com', version, ...(reference && { service: reference }) },
})

test('versions of definitions and of aggregated servers are this server’s own, those that it serves itself are not named', () => {
  const watchCache = watchCacheDouble()
  watchCache.put('apiextensions.k8s.io', 'customresourcedefinitions', definition('example.com', 'v1', 'v2'))
  using own = new OwnVersions({ watchCache, clock: new VirtualClock(), changed: () => {} })
  watchCache.put('apiregistration.k8s.io', 'apiservices', service('v1', { name: 's', namespace: 'n' }), service('v2', undefined))
  assert.deepEqual([...own.all].sort(), ['example.com/v1', 'example.com/v2', 'foreign.example.com/v1'])
})

test('a version that was deleted is remembered for five minutes', async () => {
  const [watchCache, clock] = [watchCacheDouble(), new VirtualClock()]
  let changes = 0
  using own = new OwnVersions({ watchCache, clock, changed: () => changes++ })
  watchCache.put('apiextensions.k8s.io', 'customresourcedefinitions', definition('example.com', 'v1', 'v2'))
  watchCache.put('apiextensions.k8s.io', 'customresourcedefinitions', definition('example.com', 'v2'))
  watchCache.remove('apiextensions.k8s.io', 'customresourcedefinitions', 'widgets.example.com')
  assert.deepEqual([[...own.all].sort(), changes], [['example.com/v1', 'example.com/v2'], 3])
  await clock.advance(5 * 60_000)
  assert.deepEqual([[...own.all], changes], [[], 5])
})
