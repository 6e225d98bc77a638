import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinPrefix, customPrefix } from '../../apiserver/cache/storage-keys.ts'
import { VirtualClock } from '../../base/clock.ts'
import { exposition } from '../../base/exposition.ts'
import { MeasuredStore, type StoreRequest } from '../../storage/measured-store.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { EtcdMetrics } from './etcd-metrics.ts'

/** A store, and what is measured of it. */
function measuredStore() {
  const clock = new VirtualClock()
  const metrics = new EtcdMetrics()
  const requested = (request: StoreRequest) => metrics.requested(request)
  const received = (key: string) => metrics.received(key)
  return { metrics, store: new MeasuredStore(openMemoryStore({}, { clock }), { clock, requested, received }) }
}

const value = Buffer.from('{}')

test('requests to etcd are counted by operation, group and resource; a failure counts twice', async () => {
  const { metrics, store } = measuredStore()
  const pod = `${builtinPrefix('', 'pods')}default/a`
  await store.commit({ key: pod, expect: { absent: true }, value })
  await store.commit({ key: pod, expect: { absent: true }, value })
  await store.commit({ key: pod, expect: { revision: await store.latest() }, value })
  await store.get(pod)
  await store.range(customPrefix('example.com', 'widgets'))
  await store[Symbol.asyncDispose]()
  await assert.rejects(store.get(pod))
  const lines = exposition(metrics.families())
    .split('\n')
    .filter((line) => /_total\{|_count\{/.test(line))
  assert.deepEqual(lines, [
    'etcd_request_duration_seconds_count{group="",operation="create",resource="pods"} 2',
    'etcd_request_duration_seconds_count{group="",operation="update",resource="pods"} 1',
    'etcd_request_duration_seconds_count{group="",operation="get",resource="pods"} 2',
    'etcd_request_duration_seconds_count{group="example.com",operation="list",resource="widgets"} 1',
    'etcd_request_errors_total{group="",operation="get",resource="pods"} 1',
    'etcd_requests_total{group="",operation="create",resource="pods"} 2',
    'etcd_requests_total{group="",operation="update",resource="pods"} 1',
    'etcd_requests_total{group="",operation="get",resource="pods"} 2',
    'etcd_requests_total{group="example.com",operation="list",resource="widgets"} 1',
  ])
})

test('changes that a watch delivers are counted by group and resource; the size of etcd is shown once it is known', async () => {
  const { metrics, store } = measuredStore()
  await using watcher = store.watch('', await store.latest())
  for (const name of ['a', 'b'])
    await store.commit({ key: `${builtinPrefix('apps', 'deployments')}default/${name}`, expect: { absent: true }, value })
  await store.commit({ key: '/ranges/servicenodeports', expect: { absent: true }, value })
  let seen = 0
  for await (const changes of watcher.changes) {
    seen += changes.length
    if (seen === 3) break
  }
  const lines = () =>
    exposition(metrics.families())
      .split('\n')
      .filter((line) => /^apiserver_storage_/.test(line))
  assert.deepEqual(lines(), ['apiserver_storage_events_received_total{group="apps",resource="deployments"} 2'])
  metrics.sized(0, 4096)
  assert.ok(lines().includes('apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 4096'))
})
