import { mkdir } from 'node:fs/promises'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { parseQuantity } from '../../machinery/quantity.ts'
import type { Client } from '../../sdk/client/client.ts'
import { FlexDrivers } from '../../sdk/flex-volume/flex-drivers.ts'
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts'
import { openCsi } from '../csi/open-csi.ts'
import type { EvictionManager } from '../eviction/eviction-manager.ts'
import { FlexVolumes } from '../flex-volume/flex-volumes.ts'
import type { NodeHost } from '../host/node-host.ts'
import type { CredentialFiles } from '../images/credential-config.ts'
import { dialledNetwork } from '../network/dialled-network.ts'
import type { PluginTaker } from '../plugins/plugin-registry.ts'
import type { PodNetwork } from '../runtime/pod-network.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { NodeShutdown } from '../shutdown/node-shutdown.ts'
import type { NodeIdentity } from '../status/node-object.ts'
import type { AdmitHandler } from '../types/admit-handler.ts'
import type { AgentPart } from '../types/agent-part.ts'
import type { ImageAccess } from '../types/image-access.ts'
import { clientSource } from '../volumes/client-source.ts'
import { DriverPods } from '../volumes/driver-pods.ts'
import { type DriverVolumes, joinVolumes } from '../volumes/driver-volumes.ts'
import { openCgroups } from './cgroups/cgroup-files.ts'
import { PodCgroups } from './cgroups/pod-cgroups.ts'
import { dialMachine } from './dial-machine.ts'
import { LogindShutdown } from './logind-shutdown.ts'
import { ContainerLogs } from './logs/container-logs.ts'
import { LogRotation } from './logs/log-rotation.ts'
import { allocatableOf, amountsOfAll } from './node-capacity.ts'
import { openImageAccess } from './open-image-access.ts'
import { openNodeSpace } from './open-node-space.ts'
import { KUBELET_FOLDERS, podsFolder } from './pod-folders.ts'
import { createRealHost } from './real-host.ts'
import { readRealMachine } from './real-machine.ts'
import { RealPods, type RealPodsDeps } from './real-pods.ts'
import type { MachineMeter } from './usage/machine-meter.ts'
import { defaultMounts } from './volumes/default-mounts.ts'
import { machineMounts } from './volumes/mounts.ts'

/** The facts that a real node reports. */
export interface RealNodeConfig {
  readonly name: string
  /** Its addresses, the first one its main one. */
  readonly ips: readonly string[]
  /** The kubelet's folder. Default `/var/lib/kubelet`. */
  readonly root?: string
  readonly kubelet: KubeletConfiguration
  /** Programs that know logins for images. Default: none. */
  readonly credentials?: CredentialFiles | undefined
  /** The cluster's name servers. */
  readonly clusterDns: readonly string[]
}

export interface RealNodeDeps {
  /** As `system:node:<name>`. */
  readonly client: Client
  /** What runs its containers. */
  readonly runtime: Runtime
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Handlers of plugins for devices and claims that are found in the node's registry. */
  readonly takers: ReadonlyMap<string, PluginTaker>
  readonly podsOfNode: RealPodsDeps['podsOfNode']
}

/** What an agent needs to run a real node: this machine. */
export interface RealNode {
  readonly identity: NodeIdentity
  readonly network: PodNetwork
  readonly host: NodeHost
  readonly pods: RealPods
  /** What drivers mount for its pods. */
  readonly volumes: { readonly mounted: DriverVolumes; readonly pods: AdmitHandler; readonly flex: Pick<FlexVolumes, 'attachedAs'> }
  readonly eviction: EvictionManager
  readonly meter: MachineMeter
  /** Undefined: no time is configured for it. */
  readonly shutdown: NodeShutdown | undefined
  /** What runs along with its pods. */
  readonly parts: readonly AgentPart[]
  readonly images: ImageAccess
}

/** Makes the folders of the node. */
export async function openRealNode(config: RealNodeConfig, deps: RealNodeDeps, signal: AbortSignal): Promise<RealNode> {
  const { client, runtime, clock, random, log, takers } = deps
  const { name, ips, kubelet } = config
  const folders = { ...KUBELET_FOLDERS, ...(config.root !== undefined && { root: config.root }) }
  await mkdir(podsFolder(folders), { recursive: true, mode: 0o750 })
  const { machine, ids, memoryBytes, hugePageSizes } = readRealMachine(folders.root)
  const host = createRealHost({
    clusterDns: config.clusterDns,
    clusterDomain: kubelet.clusterDomain ?? 'cluster.local',
    allowedUnsafeSysctls: kubelet.allowedUnsafeSysctls,
    resolvConf: kubelet.resolvConf ?? '/etc/resolv.conf',
  })
  const logs = new ContainerLogs(folders)
  const left = allocatableOf(machine, kubelet)
  const memoryAllocatableBytes = parseQuantity(left.memory ?? machine.memory).value()
  const { handlers = [], supplementalGroupsPolicy } = await runtime.status(signal)
  const { root } = folders
  const csi = openCsi({ root, nodeName: name, mounts: machineMounts }, { client, clock, log, takers })
  const drivers = new FlexDrivers({ folder: kubelet.volumePluginDir, clock, log })
  const flex = new FlexVolumes({ client, nodeName: name, root, drivers, mounts: defaultMounts, clock, log })
  const volumes = joinVolumes([csi.volumes, flex])
  const pods: RealPods = new RealPods({
    csi: csi.volumes,
    flex,
    volumes,
    client,
    source: clientSource(client),
    clock,
    random,
    log,
    host,
    nodeName: name,
    hostIp: ips[0] ?? '',
    folders,
    cgroups: new PodCgroups(openCgroups(), kubelet.cgroupRoot ?? '', amountsOfAll(machine, kubelet)),
    mounts: machineMounts,
    logs,
    podsOfNode: deps.podsOfNode,
    runtime,
    handlers,
    memoryCapacityBytes: memoryBytes,
    memoryAllocatableBytes,
    hugePageSizes,
  })
  const space = await openNodeSpace({ folders, kubelet, memoryAllocatableBytes }, { runtime, clock, log }, signal)
  return {
    identity: {
      name,
      ip: ips[0] ?? '',
      otherIps: ips.slice(1),
      machine,
      runtime: { name: runtime.name, version: runtime.version, handlers, supplementalGroupsPolicy },
      ids,
    },
    network: dialledNetwork(dialMachine, clock),
    host,
    pods,
    volumes: { mounted: volumes, pods: new DriverPods({ volumes, removeFolder: (uid) => pods.removeFolder(uid), log }), flex },
    eviction: space.eviction,
    meter: space.meter,
    shutdown: openShutdown(kubelet.shutdown, { clock, log }),
    parts: [
      pods,
      ...csi.parts,
      flex,
      space.images,
      new LogRotation({ runtime, logs, limits: kubelet.logLimits, intervalMs: kubelet.logMonitorMs, clock, log }),
    ],
    images: openImageAccess({ root, kubelet, credentials: config.credentials }, { client, clock, log }),
  }
}

function openShutdown(
  periods: KubeletConfiguration['shutdown'],
  { clock, log }: Pick<RealNodeDeps, 'clock' | 'log'>,
): NodeShutdown | undefined {
  if (periods === undefined) return undefined
  const seconds = periods.reduce((sum, period) => sum + period.seconds, 0)
  return new NodeShutdown(periods, { clock, watch: new LogindShutdown({ seconds, clock, log }) })
}
