import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { CORE_EVENTS, NODES, PODS } from '../../sdk/client/refs.ts'
import { startCluster } from '../../testing/start-cluster.ts'

const PREFIX = 'simulated.bowsprit.dev/'

test('a pod that holds more memory than the node has goes, and the node says why', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  await using cluster = await startCluster({ parts: ['server', 'nodes'], nodes: 1 }, { clock })
  const client = cluster.client()
  await client
    .create(
      { group: '', version: 'v1', resource: 'serviceaccounts', namespace: 'default' },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
    )
    .catch(() => {})
  const pod = (name: string, memory?: string) =>
    client.create(
      { ...PODS, namespace: 'default' },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, annotations: memory === undefined ? {} : { [`${PREFIX}memory`]: memory } },
        spec: {
          nodeName: 'node-1',
          automountServiceAccountToken: false,
          containers: [{ name: 'main', image: 'app', resources: { requests: { memory: '64Mi' } } }],
        },
      },
    )
  await pod('modest', '32Mi')
  await pod('greedy', '17Gi')
  await clock.advance(15_000)
  const greedy = await client.get({ ...PODS, namespace: 'default', name: 'greedy' })
  assert.equal(greedy.status.phase, 'Failed')
  assert.equal(greedy.status.reason, 'Evicted')
  assert.equal(
    greedy.status.message,
    'The node was low on resource: memory. Threshold quantity: 100Mi, available: 0. Container main was using 17Gi, request is 64Mi, has larger consumption of memory. ',
  )
  const modest = await client.get({ ...PODS, namespace: 'default', name: 'modest' })
  assert.equal(modest.status.phase, 'Running')
  const node = await client.get({ ...NODES, name: 'node-1' })
  assert.equal(node.status.conditions.find((c: { type: string }) => c.type === 'MemoryPressure').reason, 'KubeletHasInsufficientMemory')
  const { items } = await client.list({ ...CORE_EVENTS, namespace: 'default' })
  const evicted = items.find((e) => e.reason === 'Evicted')
  assert.deepEqual(evicted?.metadata.annotations, {
    offending_containers: 'main',
    offending_containers_usage: '17Gi',
    starved_resource: 'memory',
  })
  await clock.advance(310_000)
  const later = await client.get({ ...NODES, name: 'node-1' })
  assert.equal(later.status.conditions.find((c: { type: string }) => c.type === 'MemoryPressure').status, 'False')
})
