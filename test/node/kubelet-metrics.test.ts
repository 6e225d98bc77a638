import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { PERSISTENT_VOLUME_CLAIMS, PODS } from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { pageText } from '../api/page-text.ts'

const here = { namespace: 'default' }

test('the kubelet of a simulated node shows what dashboards read: starts, calls of the runtime, evictions, volumes of claims', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  await using cluster = await startCluster({ nodes: 1 }, { clock, random: seededRandom(1) })
  await clock.advance(5000)
  const client = cluster.client()
  await client.create(
    { ...PERSISTENT_VOLUME_CLAIMS, ...here },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  )
  await client.create(
    { ...PODS, ...here },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'keeps' },
      spec: {
        volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }],
        containers: [{ name: 'c', image: 'app', volumeMounts: [{ name: 'd', mountPath: '/d' }] }],
      },
    },
  )
  await client.create(
    { ...PODS, ...here },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'greedy', annotations: { 'simulated.bowsprit.dev/memory': '17Gi' } },
      spec: { containers: [{ name: 'c', image: 'app', resources: { requests: { memory: '64Mi' } } }] },
    },
  )
  await clock.advance(30_000)
  const lines = (await pageText(cluster, '/api/v1/nodes/node-1/proxy/metrics')).split('\n')
  const claim = 'namespace="default",persistentvolumeclaim="data"'
  for (const line of [
    `kubelet_volume_stats_capacity_bytes{${claim}} 1073741824`,
    `kubelet_volume_stats_used_bytes{${claim}} 0`,
    'kubelet_evictions{eviction_signal="memory.available"} 1',
    'kubelet_pod_start_duration_seconds_count 2',
    'kubelet_started_pods_total 2',
    'kubelet_started_containers_total{container_type="container"} 2',
    'kubelet_runtime_operations_total{operation_type="start_container"} 2',
    'kubelet_running_containers{container_state="running"} 1',
  ])
    assert.ok(lines.includes(line), `${line}\n${lines.filter((l) => l.startsWith(line.replace(/[{ ].*/, ''))).join('\n')}`)
  assert.match(lines.join('\n'), /^rest_client_requests_total\{code="20\d",host="in-process",method="P[A-Z]+"\} [1-9]/m)
})
