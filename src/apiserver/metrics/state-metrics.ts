import { type Family, labels, type Sample } from '../../base/exposition.ts'
import type { WatchCache } from '../cache/watch-cache.ts'
import { versionInfo } from '../discovery/version.ts'
import { cacheMetrics } from './cache-metrics.ts'

export interface StateMetricsConfig {
  readonly gitVersion: string
  /** Show how many objects there are. */
  readonly countsObjects: boolean
}

/** Metrics read from the watch cache at a scrape. */
export function stateMetrics(watchCache: Pick<WatchCache, 'caches' | 'revision'>, config: StateMetricsConfig): Family[] {
  const { gitVersion, countsObjects } = config
  const caches = [...watchCache.caches()].filter((cache) => cache.size > 0 && cache.resource !== 'componentstatuses')
  const counted = countsObjects ? caches : []
  const { major, minor, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = versionInfo(gitVersion)
  const build = { major, minor, git_version: gitVersion, git_commit: gitCommit, git_tree_state: gitTreeState, build_date: buildDate }
  return [
    ...cacheMetrics(caches),
    {
      name: 'apiserver_storage_objects',
      type: 'gauge',
      help: 'Stored objects by resource.',
      samples: counted.map((c): Sample => [labels({ resource: c.group === '' ? c.resource : `${c.resource}.${c.group}` }), c.size]),
    },
    {
      name: 'apiserver_resource_objects',
      type: 'gauge',
      help: 'Stored objects by group and resource.',
      samples: counted.map((c): Sample => [labels({ group: c.group, resource: c.resource }), c.size]),
    },
    {
      name: 'apiserver_watch_cache_resource_version',
      type: 'gauge',
      help: 'Up to which revision the caches know the store.',
      samples: caches.map((c): Sample => [labels({ group: c.group, resource: c.resource }), c.revision]),
    },
    {
      name: 'kubernetes_build_info',
      type: 'gauge',
      help: 'What program this is.',
      samples: [[labels({ ...build, go_version: goVersion, compiler, platform }), 1]],
    },
    {
      name: 'version_info',
      type: 'gauge',
      help: 'Which version of Kubernetes this program is.',
      samples: [
        [labels({ binary: `${major}.${minor}`, component: 'kube', emulation: `${major}.${minor}`, min_compat: `${major}.${minor}` }), 1],
      ],
    },
  ]
}
