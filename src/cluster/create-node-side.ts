import { holding } from '../base/clock.ts'
import { SYSTEM_MASTERS } from '../machinery/resource/user.ts'
import type { NodeConnectors } from '../server/actions/connectors.ts'
import type { LocalServer } from '../server/services/resolve-service.ts'
import type { ClusterAccess } from './cluster-access.ts'
import { createMetricsPart, type MetricsPart } from './metrics/metrics-part.ts'
import { deviceFolder } from './nodes/device-setup.ts'
import type { LocalNodes, LocalNodesDeps } from './nodes/local-nodes.ts'
import type { NodeReach } from './nodes/node-reach.ts'
import { podLogConnector } from './nodes/pod-log.ts'
import { reachAll } from './nodes/reach-all.ts'
import type { ClusterFoundation } from './open-foundation.ts'
import { placementOf } from './placement.ts'
import type { ClusterSetup } from './read-setup.ts'
import { servicePort } from './server/begin-bootstrap.ts'
import { proxyConnectors } from './server/proxy-connectors.ts'
import { RemoteNodes } from './threads/remote-nodes.ts'

/** The nodes' side of the process: `connectors` and `services` for the server. */
export interface NodeSide extends AsyncDisposable {
  /** The nodes, in this thread or in one of their own. */
  readonly nodes: LocalNodes | RemoteNodes
  readonly reach: NodeReach
  /** The folder of the nodes' devices; undefined: they have none. */
  readonly deviceFolder: string | undefined
  readonly metrics: MetricsPart
  /** Servers of this process, by `NAMESPACE/NAME` of their services: the metrics API's and the caller's. */
  readonly services: ReadonlyMap<string, LocalServer>
  readonly connectors: NodeConnectors
}

/** Created before the server, which gets the connectors; `access` is used only when a request reaches a node. */
export async function createNodeSide(
  setup: ClusterSetup,
  { certificates, serverOptions }: ClusterFoundation,
  access: ClusterAccess,
): Promise<NodeSide> {
  const { config, deps, clock, log } = setup
  const folder = deviceFolder(config)
  const serverPort = servicePort(serverOptions)
  // Asked only when the cluster runs.
  const metrics: MetricsPart = createMetricsPart({ clock, log, simulated: (name) => reach.has(name) })
  const nodes =
    placementOf(config).nodes === undefined
      ? await localNodes({ setup, certificates, access, figures: metrics.figures, deviceFolder: folder.folder, serverPort })
      : new RemoteNodes({ names: new Set(setup.nodeNames), serverPort, access })
  const own: NodeReach = nodes instanceof RemoteNodes ? nodes : nodes.reach
  const reach = reachAll({
    own,
    others: async () => {
      const { dialledKubelets } = await holding(clock, 'loading what dials kubelets', () => import('./nodes/dial-kubelet.ts'))
      const identity = () => certificates.client({ commonName: 'kube-apiserver-kubelet-client', organizations: [SYSTEM_MASTERS] })
      return dialledKubelets({ client: () => access.client(), identity })
    },
  })
  const services = new Map([...metrics.services, ...(deps.services ?? [])])
  return {
    nodes,
    reach,
    deviceFolder: folder.folder,
    metrics,
    services,
    connectors: {
      podLog: podLogConnector(reach, clock),
      streams: deps.streams ?? reach.streams,
      ...proxyConnectors({ nodes: reach, services, clock }),
      ...deps.connectors,
    },
    async [Symbol.asyncDispose]() {
      if (!(nodes instanceof RemoteNodes)) await nodes[Symbol.asyncDispose]()
      await metrics[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

/** The code of nodes is not loaded where they have a thread of their own. */
async function localNodes(deps: LocalNodesDeps): Promise<LocalNodes> {
  const { createLocalNodes } = await holding(deps.setup.clock, 'loading the nodes', () => import('./nodes/local-nodes.ts'))
  return createLocalNodes(deps)
}
