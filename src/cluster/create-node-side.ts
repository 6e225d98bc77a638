import type { NodeAgent } from '../node/agent.ts'
import type { NodeConnectors } from '../server/actions/connectors.ts'
import type { LocalServer } from '../server/services/resolve-service.ts'
import type { ClusterAccess } from './cluster-access.ts'
import { createMetricsPart, type MetricsPart } from './metrics/metrics-part.ts'
import { deviceSetup } from './nodes/device-setup.ts'
import { type EvictionSetup, evictionSetup } from './nodes/eviction-setup.ts'
import { createKubelets, type Kubelets } from './nodes/kubelets.ts'
import type { DeviceSetup } from './nodes/node-devices.ts'
import { nodeStreams } from './nodes/node-streams.ts'
import { podLogConnector } from './nodes/pod-log.ts'
import { API_SERVER_ADDRESS } from './nodes/simulated-addresses.ts'
import type { ClusterFoundation } from './open-foundation.ts'
import { createProgramsPart, type ProgramsPart } from './programs/programs-part.ts'
import type { ClusterSetup } from './read-setup.ts'
import { servicePort } from './server/begin-bootstrap.ts'
import { proxyConnectors } from './server/proxy-connectors.ts'
import { nodeUser } from './users.ts'

/** The nodes' side of the process: `connectors` and `services` for the server, and what the nodes share. */
export interface NodeSide extends AsyncDisposable {
  /** The running agents, by node name. `openNodes` fills it. */
  readonly agents: Map<string, NodeAgent>
  readonly devices: DeviceSetup | undefined
  readonly programs: ProgramsPart
  readonly metrics: MetricsPart
  readonly eviction: EvictionSetup
  readonly kubelets: Kubelets
  /** Servers of this process, by `NAMESPACE/NAME` of their services: the metrics API's and the caller's. */
  readonly services: ReadonlyMap<string, LocalServer>
  readonly connectors: NodeConnectors
}

/** Created before the server, which gets the connectors; `access` is used only when a request reaches a node. */
export function createNodeSide(setup: ClusterSetup, { certificates, serverOptions }: ClusterFoundation, access: ClusterAccess): NodeSide {
  const { config, deps, clock, random, log, topology } = setup
  const agents = new Map<string, NodeAgent>()
  const devices = deviceSetup(config)
  const server = { address: API_SERVER_ADDRESS, port: servicePort(serverOptions) }
  const programs = createProgramsPart({ images: config.images, serviceCidr: config.serviceCidr, server, clock, random, log })
  const metrics = createMetricsPart({ clock, log, simulated: (name) => agents.has(name) })
  const client = (name: string) => access.client(nodeUser(name))
  const kubelets = createKubelets({ certificates, kubeletConfig: config.kubeletConfig, client, clock, log })
  const services = new Map([...metrics.services, ...(deps.services ?? [])])
  return {
    agents,
    devices: devices.setup,
    programs,
    metrics,
    eviction: evictionSetup({ clock, memory: metrics.memory, topology }),
    kubelets,
    services,
    connectors: {
      podLog: podLogConnector(agents, clock),
      streams: deps.streams ?? nodeStreams(agents),
      ...proxyConnectors({ agents, kubelets, services, inside: programs.inside, clock }),
      ...deps.connectors,
    },
    async [Symbol.asyncDispose]() {
      programs[Symbol.dispose]()
      await kubelets[Symbol.asyncDispose]()
      await metrics[Symbol.asyncDispose]()
      devices[Symbol.dispose]()
    },
  }
}
