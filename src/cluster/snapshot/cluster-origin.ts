import type { SharedCaches, WatchCache } from '../../apiserver/cache/watch-cache.ts'
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../storage/store.ts'
import type { ClusterCertificates, ClusterKeys } from '../certificates.ts'

/** What a cluster begins with when another was there before it. */
export interface ClusterOrigin {
  /** Undefined: what lies in its data folder. */
  readonly store?: (clock: Clock) => Promise<Store>
  /** What is known of that store: the other's caches. */
  readonly caches?: SharedCaches
  /** Undefined: new ones, or those of its data folder. */
  readonly keys?: ClusterKeys
}

/** What makes a running cluster the one that it is. */
export interface ClusterState {
  readonly store: Store
  readonly watchCache: Pick<WatchCache, 'share'>
  readonly certificates: ClusterCertificates
  readonly clock: Clock
}
