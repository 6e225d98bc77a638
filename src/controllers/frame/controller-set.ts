import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createGarbageCollector } from '../garbage/controller.ts'
import { createNamespaceController } from '../namespace/controller.ts'
import type { NodeRanges } from '../node-ipam/ranges.ts'
import { createNodeLifecycleController } from '../node-lifecycle/controller.ts'
import { createNodeTtlController } from '../node-ttl/controller.ts'
import { createPodGcController } from '../pod-gc/controller.ts'
import { createRoleAggregationController } from '../role-aggregation/controller.ts'
import { createRootCaController } from '../root-ca/controller.ts'
import { createServiceAccountController } from '../service-account/controller.ts'
import { createDefaultClassController } from '../volume-provisioner/default-class.ts'
import { createCatalogue } from './catalogue.ts'
import type { Controller, ControllerDeps } from './controller.ts'
import { InformerSet } from './informer-set.ts'
import { createOnDemandController } from './on-demand.ts'
import { nodeIpam, ON_DEMAND } from './on-demand-list.ts'
import { createReadYourWritesClient, type ReadYourWritesClient } from './read-your-writes-client.ts'
import { RecorderSet } from './recorder-set.ts'

export interface ControllerSetConfig {
  /** The cluster's CA, PEM. */
  readonly ca: string
  /** The CA's private key, PEM; without it certificate signing requests wait for another signer. */
  readonly caKey?: string
  /** Make the default storage class, whose volumes are simulated. Default: false. */
  readonly defaultStorageClass?: boolean
  /** Of these each node without addresses for its pods gets some. Default: nodes are left as they are. */
  readonly nodeRanges?: NodeRanges | undefined
}

export interface ControllerSetDeps {
  readonly client: Client
  /**
   * The client of a controller that speaks for itself, as its service account of `kube-system`: whoever serves an aggregated API is told who asks.
   * Default: `client`.
   */
  readonly clientOf?: (serviceAccount: string) => Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** All controllers of the cluster, over one set of informers. */
export function createControllers(config: ControllerSetConfig, deps: ControllerSetDeps): { run(signal: AbortSignal): Promise<void> } {
  const informers = new InformerSet(deps)
  const recorders = new RecorderSet(deps)
  const client = createReadYourWritesClient(deps.client, informers, deps.clock)
  const catalogue = createCatalogue({ ...deps, informers })
  /** What deletes objects of all kinds does so in its own name. */
  const own = (serviceAccount: string): ControllerDeps =>
    deps.clientOf === undefined
      ? shared
      : { ...shared, client: named(createReadYourWritesClient(deps.clientOf(serviceAccount), informers, deps.clock)) }
  const clients = [client]
  const named = (one: ReadYourWritesClient) => {
    clients.push(one)
    return one
  }
  const authority = config.caKey === undefined ? undefined : { certificate: config.ca, key: config.caKey }
  const shared: ControllerDeps = {
    ...deps,
    ca: config.ca,
    authority,
    client,
    informers,
    catalogue,
    recorder: (component) => recorders.of(component),
  }
  const controllers: readonly Controller[] = [
    createServiceAccountController(shared),
    createRootCaController(shared, config.ca),
    createNodeLifecycleController(shared),
    createRoleAggregationController(shared),
    createNamespaceController(shared, catalogue, own('namespace-controller').client),
    createNodeTtlController(shared),
    createPodGcController(shared),
    createGarbageCollector(own('generic-garbage-collector'), catalogue),
    ...(config.defaultStorageClass === true ? [createDefaultClassController(shared)] : []),
    ...(config.nodeRanges === undefined ? [] : [createOnDemandController(nodeIpam(config.nodeRanges), shared)]),
    ...ON_DEMAND.map((entry) => createOnDemandController(entry, shared)),
  ]
  return {
    async run(signal) {
      const close = () => {
        for (const one of clients) one.close()
      }
      signal.addEventListener('abort', close, { once: true })
      await Promise.all([informers.run(signal), recorders.run(signal), catalogue.run(signal), ...controllers.map((c) => c.run(signal))])
    },
  }
}
