import type { Clock } from '../../../base/clock.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { KindCatalogue } from '../kinds/kind-catalogue.ts'
import type { Forks, Laboratory } from '../lab/forks.ts'
import type { ClusterIndex } from '../overview/cluster-index.ts'
import type { Collections } from '../rows/collections.ts'

/** What the sessions of all browsers share. */
export interface PageWorld {
  readonly client: Client
  readonly clock: Clock
  /** How the cluster is called in the page's title. */
  readonly clusterName: string
  readonly serverAddress: string
  readonly catalogue: KindCatalogue
  readonly collections: Collections
  readonly index: ClusterIndex
  /** Undefined: the cluster is not of this process. */
  readonly lab: Laboratory | undefined
  readonly forks: Forks | undefined
  /** Whose view it is; `''`: that of the page's own user. */
  readonly user: string
  /** The view of other users can be had. */
  readonly canViewAs: boolean
  /** Nothing is written for browsers, dry runs neither. */
  readonly readOnly: boolean
}
