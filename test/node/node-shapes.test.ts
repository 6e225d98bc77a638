import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NODES, PODS } from '../../src/resources/refs.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const GPU = {
  name: 'gpu',
  cpu: 64,
  memory: '256Gi',
  pods: 10,
  resources: { 'example.com/gpu': 8 },
  labels: { 'topology.kubernetes.io/zone': 'b' },
  taints: [{ key: 'gpu', effect: 'NoSchedule' }],
}

test('nodes have the sizes, labels and taints of their shapes, and pods find the one that fits', async () => {
  await using cluster = await startCluster({ nodes: 1, nodeShapes: [GPU, { count: 2, cpu: '500m' }] })
  const client = cluster.client()
  const nodes = await waitFor(async () => {
    const { items } = await client.list(NODES)
    return items.length === 4 && items
  })
  assert.deepEqual(cluster.nodeNames, ['node-1', 'gpu', 'node-3', 'node-4'])
  assert.deepEqual(
    nodes.map(({ metadata, status }) => [metadata.name, status?.allocatable?.cpu, status?.capacity?.['example.com/gpu']]).sort(),
    [
      ['gpu', '64', '8'],
      ['node-1', '8', undefined],
      ['node-3', '500m', undefined],
      ['node-4', '500m', undefined],
    ],
  )
  const gpu = nodes.find(({ metadata }) => metadata.name === 'gpu')
  assert.equal(gpu?.metadata.labels?.['topology.kubernetes.io/zone'], 'b')
  assert.deepEqual(
    gpu?.spec?.taints?.filter(({ key }) => key === 'gpu'),
    [{ key: 'gpu', effect: 'NoSchedule' }],
  )

  const wanted = pod('train')
  const limits = { 'example.com/gpu': '2' }
  const containers = wanted.spec.containers.map((container) => ({ ...container, resources: { limits } }))
  const spec = { ...wanted.spec, containers, tolerations: [{ key: 'gpu', operator: 'Exists' as const }] }
  await client.create({ ...PODS, namespace: 'default' }, { ...wanted, spec })
  await waitFor(async () => {
    const found = await client.get({ ...PODS, namespace: 'default', name: 'train' })
    return found.spec.nodeName === 'gpu' && found.status?.phase === 'Running'
  })
})

test('a saved cluster has its shapes, and a restarted one', async () => {
  await using cluster = await startCluster({ nodes: 1, nodeShapes: [GPU] })
  await using copy = await cluster.fork()
  assert.deepEqual(copy.nodeNames, ['node-1', 'gpu'])
})

test('shapes that contradict a described machine are refused', async () => {
  await assert.rejects(startCluster({ machine: 'host', nodeShapes: [{ cpu: 3 }] }), /--node-shapes: cpu and memory cannot be used/)
  await using cluster = await startCluster({ nodeShapes: [{ name: 'only' }] })
  assert.deepEqual(cluster.nodeNames, ['only'])
})
