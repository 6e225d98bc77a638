import path from 'node:path'
import { type Clock, holding } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { StaticPodSettings } from '../../node/configuration/kubelet-configuration.ts'
import type { StaticPodFeed } from '../../node/static-pods/static-pod-feed.ts'
import { type ClusterConfig, ConfigError } from '../config.ts'

/** The static pods of a node, by its name. */
export type StaticPodSetup = (nodeName: string) => StaticPodFeed

const NONE: StaticPodSettings = { path: '', fileCheckMs: 20_000, url: '', urlHeaders: {}, httpCheckMs: 20_000 }

/**
 * The sources of a cluster's static pods: the cluster's own options, or the kubelet's configuration; undefined if neither has one. Every
 * node reads the folder itself, and the subfolder with its name (which a kubelet ignores).
 */
export async function staticPodSetup(
  config: ClusterConfig,
  settings: StaticPodSettings = NONE,
  deps: { readonly clock: Clock; readonly log: Logger },
): Promise<StaticPodSetup | undefined> {
  const inFile = settings.path === '' ? undefined : path.resolve(config.kubeletConfigDir ?? '.', settings.path)
  const manifestPath = config.staticPodPath ?? inFile
  const url = config.staticPodUrl ?? (settings.url || undefined)
  if (manifestPath === undefined && url === undefined) return undefined
  if (url !== undefined && !/^https?:/.test(URL.parse(url)?.protocol ?? ''))
    throw new ConfigError(`--static-pod-url: ${JSON.stringify(url)} is no http or https URL`)
  const load = () => import('../../node/static-pods/open-static-pods.ts')
  const { openStaticPods } = await holding(deps.clock, 'loading what reads manifests', load)
  const { fileCheckMs, httpCheckMs, urlHeaders } = settings
  return (node) => {
    const paths = manifestPath === undefined ? [] : [manifestPath, path.join(manifestPath, node)]
    return openStaticPods({ paths, fileCheckMs, url, urlHeaders, httpCheckMs }, node, deps)
  }
}
