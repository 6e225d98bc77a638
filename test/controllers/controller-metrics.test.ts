import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { CRON_JOBS, JOBS, NODES, PERSISTENT_VOLUME_CLAIMS, PODS, SERVICES } from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { pageText } from '../api/page-text.ts'

const here = { namespace: 'default' }
const containers = [{ name: 'c', image: 'busybox', command: ['true'] }]
const jobSpec = { template: { spec: { restartPolicy: 'Never' as const, nodeName: 'node-1', containers } } }

test("what controllers do is counted under kube-controller-manager's names, as it did for the same objects", async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1, 0, 0, 30))
  await using cluster = await startCluster({ nodes: 2, trails: true }, { clock, random: seededRandom(1) })
  await clock.advance(10_000)
  const client = cluster.client()
  await client.create({ ...JOBS, ...here }, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: jobSpec })
  await client.create(
    { ...CRON_JOBS, ...here },
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'cj' },
      spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec } },
    },
  )
  await client.create(
    { ...PODS, ...here },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: { nodeName: 'node-2', containers: [{ name: 'c', image: 'nginx' }] },
    },
  )
  await client.create(
    { ...SERVICES, ...here },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    },
  )
  await client.create(
    { ...PERSISTENT_VOLUME_CLAIMS, ...here },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } },
    },
  )
  await clock.advance(60_000)
  await client.patch({ ...NODES, name: 'node-2' }, 'merge', { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } })
  await clock.advance(10_000)
  const lines = new Set((await pageText(cluster, '/metrics')).split('\n'))
  for (const line of [
    'job_controller_jobs_finished_total{completion_mode="NonIndexed",reason="CompletionsReached",result="succeeded"} 2',
    'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"} 2',
    'job_controller_job_syncs_total{action="pods_created",completion_mode="NonIndexed",result="success"} 2',
    'cronjob_controller_job_creation_skew_duration_seconds_count 1',
    'endpoint_slice_controller_changes{operation="create"} 1',
    'endpoint_slice_controller_num_endpoint_slices 1',
    'node_collector_zone_size{zone=""} 2',
    'node_collector_zone_health{zone=""} 100',
    'node_collector_unhealthy_nodes_in_zone{zone=""} 0',
    'pv_collector_unbound_pvc_count{namespace="default",storage_class="none",volume_attributes_class=""} 1',
    'root_ca_cert_publisher_sync_total{code="200"} 4',
    'taint_eviction_controller_pod_deletions_total 1',
  ])
    assert.ok(lines.has(line), `${line}\n${[...lines].filter((l) => l.startsWith(line.replace(/[{ ].*/, ''))).join('\n')}`)
})
