import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import type { PageOptions } from './client.ts'
import { createDiscovery, type Discovered } from './discovery.ts'

/** A server of pages; what was asked for is noted. */
function pages(all: Record<string, JsonObject | Error>) {
  const requested: string[] = []
  return {
    requested,
    async page(path: string, { etag }: PageOptions = {}) {
      requested.push(etag === undefined ? path : `${path} ${etag}`)
      const found = all[path]
      if (found instanceof Error) throw found
      if (found === undefined) throw new StatusError({ code: 404, reason: 'NotFound', message: `${path} is not there` })
      return etag === 'same' ? { value: undefined, etag } : { value: found, etag: 'same' }
    },
  }
}

const shown = ({ resources, failed }: Discovered) => [
  ...resources.map(({ group, version, resource, preferred }) => `${group}/${version}/${resource}${preferred ? '' : ' (old)'}`),
  ...[...failed].map(([gv, why]) => `${gv}: ${why}`),
]

const things = { resource: 'things', responseKind: { group: '', version: '', kind: 'Thing' }, scope: 'Namespaced', verbs: ['get'] }

test('one document is read, and not sent again while it holds', async () => {
  const server = pages({
    '/api': { kind: 'APIGroupDiscoveryList', items: [{ metadata: {}, versions: [{ version: 'v1', resources: [things] }] }] },
    '/apis': {
      kind: 'APIGroupDiscoveryList',
      items: [
        {
          metadata: { name: 'a.b' },
          versions: [
            { version: 'v2', resources: [things], freshness: 'Current' },
            { version: 'v1', resources: [things, { ...things, resource: 'others' }], freshness: 'Stale' },
          ],
        },
      ],
    },
  })
  const discovery = createDiscovery(server)
  const first = await discovery.read()
  assert.deepEqual(shown(first), [
    '/v1/things',
    'a.b/v2/things',
    'a.b/v1/things (old)',
    'a.b/v1/others',
    'a.b/v1: stale GroupVersion discovery: a.b/v1',
  ])
  assert.deepEqual(first.resources[0], {
    group: '',
    version: 'v1',
    resource: 'things',
    kind: 'Thing',
    namespaced: true,
    verbs: ['get'],
    preferred: true,
  })
  assert.equal(await discovery.read(), first)
  assert.deepEqual(server.requested, ['/api', '/apis', '/api same', '/apis same'])
})

test('without aggregated discovery groups are requested one by one; an unavailable group is named', async () => {
  const server = pages({
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/api/v1': {
      kind: 'APIResourceList',
      resources: [
        { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['get'] },
        { name: 'pods/status', kind: 'Pod', namespaced: true, verbs: ['get'] },
      ],
    },
    '/apis': {
      kind: 'APIGroupList',
      groups: [{ name: 'm.io', versions: [{ groupVersion: 'm.io/v1' }, { groupVersion: 'm.io/v1beta1' }] }],
    },
    '/apis/m.io/v1': new StatusError({ code: 503, reason: 'ServiceUnavailable', message: 'away' }),
    '/apis/m.io/v1beta1': { kind: 'APIResourceList', resources: [{ name: 'nodes', kind: 'Node', namespaced: false, verbs: ['list'] }] },
  })
  assert.deepEqual(shown(await createDiscovery(server).read()), ['/v1/pods', 'm.io/v1beta1/nodes', 'm.io/v1: away'])
})

test('a cluster lists what it serves, in process', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const found = await createDiscovery(cluster.client()).read()
  const deployments = found.resources.find((r) => r.group === 'apps' && r.resource === 'deployments')
  assert.deepEqual([deployments?.kind, deployments?.namespaced, deployments?.version], ['Deployment', true, 'v1'])
  assert.ok(deployments?.verbs.includes('deletecollection'))
  assert.ok(found.resources.some((r) => r.group === '' && r.resource === 'nodes' && !r.namespaced))
  await assert.rejects(cluster.client().page('/nowhere'), (error) => error instanceof StatusError && error.code === 404)
  const nobody = cluster.client({ name: 'nobody', groups: [] })
  await assert.rejects(nobody.page('/apis'), (error) => error instanceof StatusError && error.code === 403)
})
