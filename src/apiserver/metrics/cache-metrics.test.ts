import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../../base/exposition.ts'
import { CacheCounts } from '../cache/cache-counts.ts'
import { cacheMetrics } from './cache-metrics.ts'

test('metrics: what a watch cache did is shown under the names of kube-apiserver', () => {
  const counts = new CacheCounts()
  counts.filled = 5
  counts.refilled(3)
  counts.events = 7
  counts.listed(6, 2)
  const cache = { group: 'apps', resource: 'deployments', counts, history: { capacity: 100 } }
  const of = 'group="apps",resource="deployments"'
  assert.deepEqual(
    exposition(cacheMetrics([cache]))
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
    [
      'apiserver_cache_list_fetched_objects_total{group="apps",index="",resource="deployments"} 6',
      `apiserver_cache_list_returned_objects_total{${of}} 2`,
      'apiserver_cache_list_total{group="apps",index="",resource="deployments"} 1',
      `apiserver_storage_list_evaluated_objects_total{${of}} 8`,
      `apiserver_storage_list_fetched_objects_total{${of}} 8`,
      `apiserver_storage_list_returned_objects_total{${of}} 8`,
      `apiserver_storage_list_total{${of}} 2`,
      `apiserver_watch_cache_events_dispatched_total{${of}} 7`,
      `apiserver_watch_cache_events_received_total{${of}} 7`,
      `apiserver_watch_cache_initializations_total{${of}} 2`,
      `watch_cache_capacity{${of}} 100`,
    ],
  )
})
