import type { NodeAgent } from '../../node/agent.ts'
import { areProcesses } from '../../node/programs/processes/process-image.ts'
import type { ClusterCertificates } from '../certificates.ts'
import type { ClusterAccess } from '../cluster-access.ts'
import type { PodFigures } from '../metrics/pod-figures.ts'
import { createProgramsPart, type NetworkEndpoint, type ProgramsPart } from '../programs/programs-part.ts'
import { createRemoteProgramsPart } from '../programs/remote-programs-part.ts'
import type { ClusterSetup } from '../read-setup.ts'
import { nodeUser } from '../users.ts'
import { deviceSetup } from './device-setup.ts'
import { type EvictionSetup, evictionSetup } from './eviction-setup.ts'
import { createKubelets, type Kubelets } from './kubelets.ts'
import { localReach } from './local-reach.ts'
import type { DeviceSetup } from './node-devices.ts'
import type { NodeReach } from './node-reach.ts'
import type { ReportPod } from './real-allocation.ts'
import { API_SERVER_ADDRESS } from './simulated-addresses.ts'

/** What the nodes of this thread share, and how the API server reaches them. */
export interface LocalNodes extends AsyncDisposable {
  /** The agents that run, by the names of their nodes. `openNodes` fills it. */
  readonly agents: Map<string, NodeAgent>
  readonly devices: DeviceSetup | undefined
  readonly programs: ProgramsPart
  readonly eviction: EvictionSetup
  readonly kubelets: Kubelets
  /** Of real nodes, what their pods have of the machine. A real node fills it. */
  readonly reports: Map<string, ReportPod>
  readonly figures: PodFigures
  readonly reach: NodeReach
}

export interface LocalNodesDeps {
  readonly setup: ClusterSetup
  readonly certificates: ClusterCertificates
  /** Not used before a request reaches a node. */
  readonly access: ClusterAccess
  readonly figures: PodFigures
  /** The folder of the nodes' devices; undefined: they have none. */
  readonly deviceFolder: string | undefined
  /** The port of the service `kubernetes`. */
  readonly serverPort: number
  /** Where the agents are kept. Default: a map of its own. */
  readonly agents?: Map<string, NodeAgent>
}

export function createLocalNodes(deps: LocalNodesDeps): LocalNodes {
  const { setup, certificates, access, figures, deviceFolder, serverPort, agents = new Map() } = deps
  const { config, clock, log, topology } = setup
  const programs = openPrograms(setup, { address: API_SERVER_ADDRESS, port: serverPort }, access)
  const client = (name: string) => access.client(nodeUser(name))
  const names = new Set(setup.nodeNames)
  const reports: LocalNodes['reports'] = new Map()
  const kubelets = createKubelets({ certificates, kubeletConfig: config.kubeletConfig, client, clock, log })
  return {
    agents,
    devices: deviceSetup(config, setup.nodeNames, deviceFolder),
    programs,
    eviction: evictionSetup({ clock, figures, topology }),
    kubelets,
    reports,
    figures,
    reach: localReach({
      agents,
      kubelets,
      owns: (name) => names.has(name) || kubelets.hosts.has(name),
      inside: programs.inside,
      topologyReport: (pod) => topology?.report(pod) ?? reports.get(pod.spec.nodeName ?? '')?.(pod),
    }),
    async [Symbol.asyncDispose]() {
      await programs[Symbol.asyncDispose]()
      await kubelets[Symbol.asyncDispose]()
    },
  }
}

/** Programs of containers run in this process, or in one of their own. */
function openPrograms(
  { config, options, deps, clock, random, log }: ClusterSetup,
  server: NetworkEndpoint,
  access: ClusterAccess,
): ProgramsPart {
  const { images, serviceCidr, threads } = config
  if (!threads) return createProgramsPart({ images, serviceCidr, server, clock, random, log })
  const { images: given = {} } = options
  const source = typeof given === 'string' || areProcesses(given) ? given : {}
  const limits = deps.programLimits && { limits: deps.programLimits }
  return createRemoteProgramsPart({ images, source, serviceCidr, server, clock, log, calls: () => access.services(), ...limits })
}
