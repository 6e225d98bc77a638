import type { SharedCaches } from '../../apiserver/cache/shared-caches.ts'
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../storage/store.ts'
import type { ClusterCertificates, ClusterKeys } from '../certificates.ts'

/** The state of another cluster, to start from. */
export interface ClusterOrigin {
  /** Undefined: the store of its data folder. */
  readonly store?: (clock: Clock) => Promise<Store>
  /** The other server's caches over that store. */
  readonly caches?: SharedCaches
  /** Undefined: new ones, or those of its data folder. */
  readonly keys?: ClusterKeys
}

/** The state of a running cluster. */
export interface ClusterState {
  readonly store: Store
  /** The contents of its server's caches. */
  readonly share: () => SharedCaches
  readonly certificates: ClusterCertificates
  readonly clock: Clock
}
