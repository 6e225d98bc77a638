import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { onAbort } from '../../base/on-abort.ts'
import type { Random } from '../../base/random.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ControllerActivities } from '../../sdk/controller/controller-activity.ts'
import { FLEX_VOLUME_FOLDER } from '../../sdk/flex-volume/flex-drivers.ts'
import { createInformerFactory, type InformerFactory } from '../../sdk/informer/informer-factory.ts'
import { csiControllers } from '../csi/csi-controllers.ts'
import type { DriverClient } from '../csi/driver-client.ts'
import { createCatalogue } from '../frame/catalogue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { ControllerMetrics } from '../frame/controller-metrics.ts'
import { InformerSet } from '../frame/informer-set.ts'
import { objectEvents } from '../frame/object-events.ts'
import { createOnDemandController } from '../frame/on-demand.ts'
import { createReadYourWritesClient, type ReadYourWritesClient } from '../frame/read-your-writes-client.ts'
import { RecorderSet } from '../frame/recorder-set.ts'
import type { NodeRanges } from '../node-ipam/ranges.ts'
import { createDefaultClassController } from '../volume-provisioner/default-class.ts'
import { ALWAYS, flexVolumeAttacher, nodeIpam, ON_DEMAND, trustBundlePublisher } from './controller-list.ts'

export interface ControllerSetConfig {
  /** The cluster's CA, PEM. */
  readonly ca: string
  /** The CA's private key, PEM; without it certificate signing requests wait for another signer. */
  readonly caKey?: string
  /** Create the default storage class, whose volumes are simulated. Default: false. */
  readonly defaultStorageClass?: boolean
  /** Publish the API server's CA as a ClusterTrustBundle; the server has to serve them. Default: false. */
  readonly clusterTrustBundles?: boolean
  /** Each node without addresses for its pods gets some of these. Default: nodes are left as they are. */
  readonly nodeRanges?: NodeRanges | undefined
  /** Has the FlexVolume drivers that attach volumes. Default: Kubernetes'. */
  readonly flexVolumeFolder?: string | undefined
}

export interface ControllerSetDeps {
  readonly client: Client
  /**
   * The client of a controller that uses its own service account of `kube-system`, so that aggregated APIs see the controller as the user.
   * Default: `client`.
   */
  readonly clientOf?: (serviceAccount: string) => Client
  /** Default: informers of its own, over `client`. */
  readonly informers?: InformerFactory
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Where controllers are listed while they run. Default: nowhere. */
  readonly activities?: ControllerActivities | undefined
  /** Where they count what they do. Default: nowhere. */
  readonly metrics?: ControllerMetrics | undefined
}

/** All controllers of the cluster, over one set of informers. */
export function createControllers(config: ControllerSetConfig, deps: ControllerSetDeps): { run(signal: AbortSignal): Promise<void> } {
  return composeControllers(config, deps, (shared) => [
    ...ALWAYS.map((create) => create(shared)),
    ...(config.defaultStorageClass === true ? [createDefaultClassController(shared)] : []),
    ...(config.nodeRanges === undefined ? [] : [createOnDemandController(nodeIpam(config.nodeRanges), shared)]),
    ...(config.clusterTrustBundles === true ? [createOnDemandController(trustBundlePublisher, shared)] : []),
    createOnDemandController(flexVolumeAttacher(config.flexVolumeFolder ?? FLEX_VOLUME_FOLDER), shared),
    ...ON_DEMAND.map((entry) => createOnDemandController(entry, shared)),
  ])
}

/** What does the work of a CSI driver's public sidecars. */
export const createCsiControllers = (driver: DriverClient, deps: ControllerSetDeps): { run(signal: AbortSignal): Promise<void> } =>
  composeControllers({ ca: '' }, deps, (shared) => csiControllers(driver).map((create) => create(shared)))

function composeControllers(
  config: Pick<ControllerSetConfig, 'ca' | 'caKey'>,
  deps: ControllerSetDeps,
  create: (shared: ControllerDeps) => readonly Controller[],
): { run(signal: AbortSignal): Promise<void> } {
  const informers = new InformerSet(deps.informers ?? createInformerFactory(deps))
  const recorders = new RecorderSet(deps)
  const catalogue = createCatalogue({ ...deps, informers })
  const clients: ReadYourWritesClient[] = []
  const readingOwnWrites = (inner: Client) => {
    const client = createReadYourWritesClient(inner, informers, deps.clock)
    clients.push(client)
    return client
  }
  const client = readingOwnWrites(deps.client)
  const shared: ControllerDeps = {
    ...deps,
    metrics: deps.metrics ?? new ControllerMetrics(),
    ca: config.ca,
    authority: config.caKey === undefined ? undefined : { certificate: config.ca, key: config.caKey },
    client,
    clientOf: (serviceAccount) => (deps.clientOf === undefined ? client : readingOwnWrites(deps.clientOf(serviceAccount))),
    informers,
    catalogue,
    events: (component) => objectEvents(recorders.of(component)),
  }
  const controllers = create(shared)
  return {
    async run(signal) {
      onAbort(signal, () => {
        for (const one of clients) one.close()
      })
      await Promise.all([informers.run(signal), recorders.run(signal), catalogue.run(signal), ...controllers.map((c) => c.run(signal))])
    },
  }
}
