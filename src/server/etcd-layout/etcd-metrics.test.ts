import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinPrefix, customPrefix } from '../../apiserver/cache/storage-keys.ts'
import { VirtualClock } from '../../base/clock.ts'
import { exposition } from '../../base/exposition.ts'
import { MeasuredStore } from '../../storage/measured-store.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { EtcdMetrics } from './etcd-metrics.ts'

test('requests to etcd are counted by operation, group and resource; a failure counts twice', async () => {
  const clock = new VirtualClock()
  const metrics = new EtcdMetrics()
  const store = new MeasuredStore(openMemoryStore({}, { clock }), clock, (request) => metrics.requested(request))
  const pod = `${builtinPrefix('', 'pods')}default/a`
  const value = Buffer.from('{}')
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
