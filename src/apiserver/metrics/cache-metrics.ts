import { type Family, labels, type Sample } from '../../base/exposition.ts'
import type { CacheCounts } from '../cache/cache-counts.ts'

/** A watch cache as its metrics show it. */
export interface CountedCache {
  readonly group: string
  readonly resource: string
  readonly counts: CacheCounts
  readonly history: { readonly capacity: number }
}

/**
 * Metrics of the watch caches, by kube-apiserver's names. Lists are answered by the caches; the store is listed when a cache is filled,
 * and that alone counts as `apiserver_storage_list_*`.
 */
export function cacheMetrics(caches: readonly CountedCache[]): Family[] {
  const of = (type: Family['type'], name: string, help: string, value: (cache: CountedCache) => number, more = {}): Family => ({
    name,
    type,
    help,
    samples: caches.map((cache): Sample => [labels({ group: cache.group, resource: cache.resource, ...more }), value(cache)]),
  })
  const count = (name: string, help: string, value: (counts: CacheCounts) => number, more = {}) =>
    of('counter', `apiserver_${name}_total`, help, ({ counts }) => value(counts), more)
  // No field has an index that lists use.
  const index = { index: '' }
  return [
    of('gauge', 'watch_cache_capacity', 'Most events that a watch cache keeps.', ({ history }) => history.capacity),
    count('watch_cache_events_received', 'Changes that a watch cache got from the store.', ({ events }) => events),
    count('watch_cache_events_dispatched', 'Changes that a watch cache offered to its watchers.', ({ events }) => events),
    count('watch_cache_initializations', 'How often a watch cache was filled.', ({ fills }) => fills),
    count('cache_list', 'Lists that a watch cache answered.', ({ lists }) => lists, index),
    count('cache_list_fetched_objects', 'Objects that these lists looked at.', ({ fetched }) => fetched, index),
    count('cache_list_returned_objects', 'Objects that these lists returned.', ({ returned }) => returned),
    count('storage_list', 'Lists of the store, each to fill a watch cache.', ({ fills }) => fills),
    count('storage_list_fetched_objects', 'Objects that these lists read.', ({ filled }) => filled),
    count('storage_list_evaluated_objects', 'Objects that these lists looked at.', ({ filled }) => filled),
    count('storage_list_returned_objects', 'Objects that these lists returned.', ({ filled }) => filled),
  ]
}
