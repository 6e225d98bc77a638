/** The API server's address in the network of simulated nodes. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Service } from '../../src/resources/types/core.ts'
import type { EndpointSlice } from '../../src/resources/types/discovery.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { podsOf } from '../programs/pods.ts'
import { ask } from './api-request.ts'

const namespace = 'default'
const SERVICES = { ...refs.SERVICES, namespace }
const SLICES = { ...refs.ENDPOINT_SLICES, namespace }
const ENDPOINTS = { ...refs.ENDPOINTS, namespace }

test('the endpoint of the service kubernetes leads to the API server: by its address, by other services that name it, and by the proxy', async () => {
  const requested = 'ask=$(curl -s --cacert /var/run/secrets/kubernetes.io/serviceaccount/ca.crt'
  const clock = new VirtualClock()
  await using cluster = await startCluster({ nodes: 1 }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const pods = podsOf(client, clock)
  const [endpoints, slice] = await Promise.all([
    client.get({ ...ENDPOINTS, name: 'kubernetes' }),
    client.get({ ...SLICES, name: 'kubernetes' }),
  ])
  const [subset] = endpoints.subsets ?? []
  const ip = subset?.addresses?.[0]?.ip
  const port = subset?.ports?.[0]?.port
  assert.ok(ip !== undefined && port !== undefined)
  assert.deepEqual([slice.endpoints?.[0]?.addresses, slice.ports?.[0]?.port], [[ip], port])
  assert.equal((await client.get({ ...SERVICES, name: 'kubernetes' })).spec?.ports?.[0]?.targetPort, port)

  const other: Service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'other' }, spec: { ports: [{ port: 99 }] } }
  await client.create(SERVICES, other)
  const labels = { 'kubernetes.io/service-name': 'other' }
  const copy: EndpointSlice = { ...slice, metadata: { name: 'other', labels }, ports: [{ name: '', port, protocol: 'TCP' }] }
  await client.create(SLICES, copy)
  const script = [
    `${requested} https://${ip}:${port}/version | grep -c gitVersion); echo address $ask`,
    `${requested} https://kubernetes.default.svc/version | grep -c gitVersion); echo service $ask`,
    `ask=$(curl -s -k https://other:99/version | grep -c gitVersion); echo other $ask`,
    `curl -s -k https://${ip}:${port + 1}/version; echo elsewhere $?`,
  ].join('\n')
  const container = { name: 'main', image: 'curlimages/curl', command: ['sh', '-c', script] }
  await pods.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'asker' },
    spec: { restartPolicy: 'Never', containers: [container] },
  })
  await pods.ended('asker')
  assert.equal(await pods.logs('asker'), 'address 1\nservice 1\nother 1\nelsewhere 7\n')

  const proxied = await ask(cluster, '/api/v1/namespaces/default/services/https:kubernetes:https/proxy/version')
  assert.equal(JSON.parse(proxied.body).gitVersion, cluster.kubernetesVersion)
})

test('without simulated nodes there is no network, and no endpoint', async () => {
  await using cluster = await startCluster({ nodes: 0 })
  const { items } = await cluster.client().list(ENDPOINTS)
  assert.deepEqual(items, [])
})

test('a fork begins with the endpoint of its origin, whatever port that had', async () => {
  await using cluster = await startCluster({ nodes: 1, port: 7001 }, { quiet: true })
  await using fork = await cluster.fork()
  const found = await Promise.all([cluster, fork].map((c) => c.client().get({ ...ENDPOINTS, name: 'kubernetes' })))
  assert.deepEqual(
    found.map((e) => e.subsets?.[0]?.ports?.[0]?.port),
    [7001, 6443],
  )
})
