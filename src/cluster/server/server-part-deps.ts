import type { SharedCaches } from '../../apiserver/cache/shared-caches.ts'
import type { Clock } from '../../base/clock.ts'
import type { HeldResources } from '../../base/collections/held-resources.ts'
import type { Logger } from '../../base/logger.ts'
import type { OpenedPort } from '../../base/opened-port.ts'
import type { Random } from '../../base/random.ts'
import type { NodeConnectors } from '../../server/actions/connectors.ts'
import type { TopologyReports } from '../../server/actions/topology-reports.ts'
import type { PreparedObjects } from '../../server/bootstrap/prepared-objects.ts'
import type { PartReports } from '../../server/reports/part-reports.ts'
import type { InsideNetwork, LocalServer } from '../../server/services/resolve-service.ts'
import type { Store } from '../../storage/store.ts'
import type { Part } from '../cluster-options.ts'
import type { ServerEncryption } from './open-encryption.ts'

export interface ServerPartDeps {
  /** The running parts of the cluster, for the list of component statuses. */
  readonly parts: ReadonlySet<Part>
  /** The store, from `openStore`: begun as early as possible, because its thread takes a while to start. */
  readonly opening: Promise<Store>
  /** Encryption at rest, which `opening` uses. The server owns it. */
  readonly encryption?: ServerEncryption
  /** The caches of another server over the same state, so that they need not be filled again. */
  readonly shared?: SharedCaches
  /** Bootstrap objects for a fresh store. Default: those of the built package; a checkout has none. */
  readonly prepared?: PreparedObjects
  readonly clock: Clock
  /** Time on the wire: limits of requests and idle connections. Default: the machine's clock. */
  readonly socketClock?: Clock
  /** The port, if it is open already. */
  readonly opened?: OpenedPort
  readonly random: Random
  /** The machine's name, by which servers of one store are distinguished. Default: the system's. */
  readonly hostname?: string
  readonly log: Logger
  /** Freeze cached objects (tests). */
  readonly freeze: boolean
  /** Servers of this process, by `NAMESPACE/NAME` of their service. Default: none. */
  readonly services?: ReadonlyMap<string, LocalServer>
  /** The part of the cluster's network that is simulated in this process. Default: none. */
  readonly inside?: InsideNetwork
  /** The connectors to the nodes: `podLog`, … */
  readonly connectors: NodeConnectors
  /** Record what happens to each request, and serve it as `requesttrails`. Default: false. */
  readonly trails?: boolean
  /** The reports of the parts that run in this process. */
  readonly reports: PartReports
  /** The reports of the topology managers, if nodes with a topology run in this process. */
  readonly topologyReports?: TopologyReports
}

/** What every phase of the composition gets: the dependencies, and the owner of all that the phase opens. */
export interface PhaseDeps extends ServerPartDeps {
  readonly held: HeldResources
}
