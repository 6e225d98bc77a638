/** Servers behind APIServices: their latency, and that faulty ones do not affect other requests. */
import assert from 'node:assert/strict'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { isStatus } from '../../src/machinery/status-error.ts'
import { API_SERVICES } from '../../src/resources/refs.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A delegate in this process, connected without sockets. */
function guest(answer: Answer) {
  const server = http.createServer(answer)
  let connections = 0
  return {
    get connections() {
      return connections
    },
    connect() {
      const [near, far] = duplexPair()
      connections++
      server.emit('connection', far)
      return near
    },
  }
}

const json = (response: ServerResponse, value: object) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
const list = (group: string) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${group}/v1`,
  resources: [{ name: 'things', kind: 'Thing', namespaced: true, verbs: ['get', 'list'] }],
})

async function serve(client: Client, group: string) {
  const metadata = { name: `v1.${group}` }
  const spec = {
    group,
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { namespace: 'default', name: group.split('.')[0] ?? '' },
  }
  await client.create(API_SERVICES, { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata, spec })
}
const reasonOf = async (client: Client, group: string) =>
  (await client.get({ ...API_SERVICES, name: `v1.${group}` })).status?.conditions?.[0]?.reason
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const groupsOf = async (client: Client) =>
  (
    (await client.page('/apis', { accept: AGGREGATED })).value as {
      items: { metadata: { name: string }; versions: { freshness: string }[] }[]
    }
  ).items

test('a silent, a huge and a broken delegate do not affect other requests', async () => {
  const silent = guest(() => {})
  // An endless document.
  const huge = guest((request, response) => {
    if (request.url === '/apis/huge.example.com/v1') return void json(response, list('huge.example.com'))
    response.setHeader('content-type', 'application/json').write('{"kind":"APIGroupDiscoveryList","items":["')
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  })
  const broken = guest((request, response) => {
    if (request.url?.startsWith('/apis/broken.example.com/v1/')) {
      response.setHeader('content-type', 'application/json').write('{"kind":')
      response.socket?.destroy()
    } else json(response, list('broken.example.com'))
  })
  const services = new Map([
    ['default/silent', silent.connect],
    ['default/huge', huge.connect],
    ['default/broken', broken.connect],
  ])
  await using cluster = await startCluster({ parts: ['server'] }, { services })
  const client = cluster.client()
  for (const group of ['silent', 'huge', 'broken']) await serve(client, `${group}.example.com`)
  // Discovery lists all of them at once; the server's own groups are current whatever the delegates do.
  const first = await groupsOf(client)
  assert.equal(first.find((g) => g.metadata.name === 'silent.example.com')?.versions[0]?.freshness, 'Stale')
  assert.equal(first.find((g) => g.metadata.name === 'apps')?.versions[0]?.freshness, 'Current')
  await waitFor(
    async () => (await reasonOf(client, 'broken.example.com')) === 'Passed' && (await reasonOf(client, 'huge.example.com')) === 'Passed',
  )
  const things = { version: 'v1', resource: 'things', namespace: 'default' }
  await assert.rejects(client.list({ group: 'broken.example.com', ...things }))
  // A document beyond the size limit is not read to its end: its group stays stale.
  assert.equal((await groupsOf(client)).find((g) => g.metadata.name === 'huge.example.com')?.versions[0]?.freshness, 'Stale')
  const maps = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }
  await client.create(maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'unharmed' } })
  await assert.rejects(client.list({ group: 'silent.example.com', ...things }), (error) => isStatus(error, 'ServiceUnavailable'))
})

test('an APIService over a custom resource replaces it until it is deleted', async () => {
  const other = guest((request, response) =>
    json(
      response,
      request.url?.includes('/namespaces/')
        ? { kind: 'ThingList', apiVersion: 'a.example.com/v1', metadata: {}, items: [], from: 'guest' }
        : list('a.example.com'),
    ),
  )
  await using cluster = await startCluster({ parts: ['server'] }, { services: new Map([['default/a', other.connect]]) })
  const client = cluster.client()
  const names = { plural: 'things', singular: 'thing', kind: 'Thing' }
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }]
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.a.example.com' },
    spec: { group: 'a.example.com', scope: 'Namespaced', names, versions },
  }
  await client.create({ group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' }, definition)
  const things = { group: 'a.example.com', version: 'v1', resource: 'things', namespace: 'default' }
  const from = async () => ((await client.list(things).catch(() => ({}))) as { from?: string }).from
  assert.equal(await from(), undefined)
  await waitFor(() => reasonOf(client, 'a.example.com').catch(() => undefined))
  await client.patch({ ...API_SERVICES, name: 'v1.a.example.com' }, 'merge', {
    metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': null } },
    spec: { service: { namespace: 'default', name: 'a' } },
  })
  await waitFor(async () => (await from()) === 'guest')
  await client.delete({ ...API_SERVICES, name: 'v1.a.example.com' })
  await waitFor(async () => (await reasonOf(client, 'a.example.com').catch(() => undefined)) === 'Local')
  assert.equal(await from(), undefined)
})
