import type { ClusterConfig } from './config.ts'

/** The feature gates that the options of a cluster turn on, for all of its parts. */
export const featureGates = ({ clusterTrustBundles, gangScheduling }: ClusterConfig): ReadonlySet<string> =>
  new Set([
    ...(clusterTrustBundles ? ['ClusterTrustBundle', 'ClusterTrustBundleProjection'] : []),
    ...(gangScheduling ? ['GenericWorkload', 'GangScheduling'] : []),
  ])
