import type { InformerFactory } from '../../sdk/informer/informer-factory.ts'
import type { PartReports } from '../../server/reports/part-reports.ts'
import type { ClusterCertificates } from '../certificates.ts'
import type { ClusterAccess } from '../cluster-access.ts'
import type { PodRangePlan } from '../nodes/pod-ranges.ts'
import type { ClusterSetup } from '../read-setup.ts'

/** The dependencies of controllers, scheduler and nodes, in the API server's thread or in another one. */
export interface PartDeps {
  readonly setup: ClusterSetup
  readonly certificates: ClusterCertificates
  readonly access: ClusterAccess
  /** Those of all parts of this thread. */
  readonly informers: InformerFactory
  /** The ranges of pod addresses, divided once between simulated nodes and all others. Undefined: none are configured. */
  readonly podRanges: () => Promise<PodRangePlan | undefined>
  /** Where the parts can be asked about themselves, while they run. */
  readonly reports: PartReports
}
