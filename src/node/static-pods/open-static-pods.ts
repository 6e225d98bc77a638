import type { Clock } from '../../base/clock.ts'
import { timestamp } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Pod } from '../types/pod.ts'
import { CONFIG_SEEN, CONFIG_SOURCE } from './annotations.ts'
import { type FolderDeps, manifestFolder } from './manifest-folder.ts'
import { manifestUrl } from './manifest-url.ts'
import type { StaticPodFeed } from './static-pod-feed.ts'

/** The complete configuration of static pods. */
export interface StaticPodConfig {
  /** Folders, or files; each may be created later. */
  readonly paths: readonly string[]
  readonly fileCheckMs: number
  readonly url: string | undefined
  readonly urlHeaders: Readonly<Record<string, readonly string[]>>
  readonly httpCheckMs: number
}

/** Combines the sources of a node. The pods of one are delivered even if another does not respond. */
export function openStaticPods(
  config: StaticPodConfig,
  node: string,
  deps: { readonly clock: Clock; readonly log: Logger } & Pick<FolderDeps, 'watchFolder'>,
): StaticPodFeed {
  const { clock, log } = deps
  const files = config.paths.map((path) => ({
    name: 'file',
    source: manifestFolder({ path, node, periodMs: config.fileCheckMs }, deps),
  }))
  const { url, urlHeaders: headers, httpCheckMs: periodMs } = config
  const urls = url === undefined ? [] : [{ name: 'http', source: manifestUrl({ url, headers, node, periodMs }, deps) }]
  const sources = [...files, ...urls]
  return {
    async run(notify, signal) {
      const reported = new Map<number, readonly Pod[]>()
      /** When a pod was first seen, by UID. */
      const seen = new Map<string, string>()
      const take = (index: number, name: string, pods: readonly Pod[]) => {
        reported.set(
          index,
          pods.map((pod) => withSource(pod, name, seenAt(pod))),
        )
        const all = [...reported].sort(([a], [b]) => a - b).flatMap(([, own]) => own)
        for (const uid of seen.keys()) if (!all.some((p) => p.metadata.uid === uid)) seen.delete(uid)
        notify(distinct(all), reported.size === sources.length)
      }
      const seenAt = (pod: Pod) => {
        const uid = pod.metadata.uid ?? ''
        const at = seen.get(uid) ?? timestamp(clock.now())
        seen.set(uid, at)
        return at
      }
      // Old pods are removed once all sources are known, none included.
      if (sources.length === 0) notify([], true)
      await Promise.all(sources.map(({ name, source }, i) => source.run((pods) => take(i, name, pods), signal)))
    },
  }

  /** Of two pods with one name the last is used, as in the kubelet. */
  function distinct(all: readonly Pod[]): readonly Pod[] {
    const byName = new Map<string, Pod>()
    for (const pod of all) {
      const name = `${pod.metadata.namespace}/${pod.metadata.name}`
      if (byName.has(name)) log.debug('two static pods have one name; the last counts', { pod: name })
      byName.set(name, pod)
    }
    return [...byName.values()]
  }
}

function withSource(pod: Pod, source: string, seen: string): Pod {
  const annotations = { ...pod.metadata.annotations, [CONFIG_SOURCE]: source, [CONFIG_SEEN]: seen }
  return { ...pod, metadata: { ...pod.metadata, annotations } }
}
