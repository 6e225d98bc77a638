import type { SchedulingReports } from '../../server/actions/scheduling-reports.ts'
import type { ClusterAccess } from '../cluster-access.ts'
import type { NodeSide } from '../create-node-side.ts'
import type { ClusterFoundation } from '../open-foundation.ts'
import type { ClusterSetup } from '../read-setup.ts'
import type { ServerPart } from '../server/server-part.ts'

/** What controllers, scheduler and nodes are loaded with, once the server is there. */
export interface PartDeps {
  readonly setup: ClusterSetup
  readonly foundation: ClusterFoundation
  readonly access: ClusterAccess
  readonly nodeSide: NodeSide
  readonly serverPart: ServerPart
  /** The scheduler's answers for `schedulingreports.bowsprit.dev`. */
  readonly reports: SchedulingReports
}
