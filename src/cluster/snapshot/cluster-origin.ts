import type { SharedCaches } from '../../apiserver/cache/shared-caches.ts'
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
  /** What its server's caches hold. */
  readonly share: () => SharedCaches
  readonly certificates: ClusterCertificates
  readonly clock: Clock
}
