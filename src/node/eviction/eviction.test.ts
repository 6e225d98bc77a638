import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { CORE_EVENTS, NODES, PODS } from '../../resources/refs.ts'
import type { PodSpec } from '../../resources/types/core.ts'
import { startCluster } from '../../testing/start-cluster.ts'

const PREFIX = 'simulated.bowsprit.dev/'

test('a pod that uses more memory than the node has is evicted, and the node reports MemoryPressure', async () => {
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
  assert.equal(greedy.status?.phase, 'Failed')
  assert.equal(greedy.status?.reason, 'Evicted')
  assert.equal(
    greedy.status?.message,
    'The node was low on resource: memory. Threshold quantity: 100Mi, available: 0. Container main was using 17Gi, request is 64Mi, has larger consumption of memory. ',
  )
  const modest = await client.get({ ...PODS, namespace: 'default', name: 'modest' })
  assert.equal(modest.status?.phase, 'Running')
  const node = await client.get({ ...NODES, name: 'node-1' })
  assert.equal(node.status?.conditions?.find((c) => c.type === 'MemoryPressure')?.reason, 'KubeletHasInsufficientMemory')
  const { items } = await client.list({ ...CORE_EVENTS, namespace: 'default' })
  const evicted = items.find((e) => e.reason === 'Evicted')
  assert.deepEqual(evicted?.metadata.annotations, {
    offending_containers: 'main',
    offending_containers_usage: '17Gi',
    starved_resource: 'memory',
  })
  await clock.advance(310_000)
  const later = await client.get({ ...NODES, name: 'node-1' })
  assert.equal(later.status?.conditions?.find((c) => c.type === 'MemoryPressure')?.status, 'False')
})

test('a container that holds more memory than it may is killed, and started again by its policy', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  await using cluster = await startCluster({ parts: ['server', 'nodes'], nodes: 1 }, { clock })
  const client = cluster.client()
  const container = (name: string, memory: string) => ({ name, image: 'app', resources: { limits: { memory } } })
  const create = (name: string, spec: PodSpec, annotations: Record<string, string> = {}) =>
    client.create(
      { ...PODS, namespace: 'default' },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, annotations },
        spec: { nodeName: 'node-1', automountServiceAccountToken: false, ...spec },
      },
    )
  await client
    .create(
      { group: '', version: 'v1', resource: 'serviceaccounts', namespace: 'default' },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
    )
    .catch(() => {})
  await create('leaks', { containers: [container('main', '64Mi'), container('beside', '64Mi')] })
  await create('once', { restartPolicy: 'Never', containers: [container('main', '64Mi')] }, { [`${PREFIX}memory`]: '65Mi' })
  await create('tiny', {
    containers: [{ name: 'main', image: 'app', resources: { limits: { memory: '4Mi' }, requests: { memory: '0' } } }],
  })
  await clock.advance(15_000)
  const read = (name: string) => client.get({ ...PODS, namespace: 'default', name })
  const ended = (await read('once')).status
  assert.equal(ended?.phase, 'Failed')
  const end = ended?.containerStatuses?.[0]?.state?.terminated
  assert.deepEqual([end?.exitCode, end?.reason], [137, 'OOMKilled'])
  await client.patch({ ...PODS, namespace: 'default', name: 'leaks' }, 'merge', {
    metadata: { annotations: { [`${PREFIX}memory.main`]: '1Gi' } },
  })
  const containers = async () => new Map((await read('leaks')).status?.containerStatuses?.map((c) => [c.name, c]))
  await clock.advance(40_000)
  const main = (await containers()).get('main')
  assert.deepEqual([main?.state?.terminated?.reason, main?.lastState?.terminated?.reason], ['OOMKilled', 'OOMKilled'])
  // At once, after 10 s, after 20 s more.
  assert.equal(main?.restartCount, 3)
  assert.equal((await containers()).get('beside')?.restartCount, 0)
  assert.equal((await read('leaks')).status?.phase, 'Running')
  await client.patch({ ...PODS, namespace: 'default', name: 'leaks' }, 'merge', {
    metadata: { annotations: { [`${PREFIX}memory.main`]: null } },
  })
  await clock.advance(320_000)
  assert.deepEqual(Object.keys((await containers()).get('main')?.state ?? {}), ['running'])
  assert.equal((await read('tiny')).status?.containerStatuses?.[0]?.restartCount, 0)
  const events = (await client.list({ ...CORE_EVENTS, namespace: 'default' })).items.map((e) => e.reason)
  assert.ok(events.includes('BackOff'))
  assert.ok(!events.includes('Evicted'))
})
