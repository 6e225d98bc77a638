import path from 'node:path'
import { type Clock, holding } from '../../base/clock.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { tryParseQuantity } from '../../machinery/quantity.ts'
import type { HintProvider } from '../../node/allocation/hints/hint-provider.ts'
import type { NodeTopology } from '../../node/allocation/topology/open-topology.ts'
import type { ReportedNode } from '../../node/allocation/topology/topology-report-of.ts'
import type { KubeletConfiguration } from '../../node/configuration/kubelet-configuration.ts'
import type { EvictionConfig } from '../../node/eviction/eviction-config.ts'
import type { SimulatedHostConfig } from '../../node/host/simulated-host.ts'
import { DEFAULT_MACHINE, type Machine } from '../../node/status/node-object.ts'
import type { Pod } from '../../node/types/pod.ts'
import type { TopologyReport } from '../../resources/bowsprit/topology-report.ts'
import type { Pod as StoredPod } from '../../resources/types/core.ts'
import { type ClusterConfig, ConfigError } from '../config.ts'
import type { NodeDevices } from './node-devices.ts'

/** The topology management of a cluster's nodes. */
export interface TopologySetup {
  readonly eviction: EvictionConfig
  /** The host configuration of the nodes. */
  readonly host: SimulatedHostConfig
  /** The reserved memory of each node. */
  readonly reservedMemoryBytes: number
  readonly kubelet: KubeletConfiguration
  /** The machine in their Node objects. */
  readonly machine: Machine
  /** The managers of one node, restored from the checkpoints of a previous agent. */
  open(nodeName: string, devices: NodeDevices | undefined): NodeTopology
  /** The report of a pod's node; undefined: the node is not in this process, or has not started. */
  report(pod: StoredPod): TopologyReport | undefined
}

/**
 * Reads the kubelet's configuration and the machine; undefined if neither is given. What prevents a kubelet from starting fails here,
 * including the checkpoints of an earlier run.
 */
export async function topologySetup(
  config: ClusterConfig,
  nodeNames: readonly string[],
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<TopologySetup | undefined> {
  if (config.kubeletConfig === undefined && config.machine === undefined) return undefined
  const parts = await holding(clock, 'loading the topology manager', () => import('../../node/allocation/topology-entry.ts'))
  const { readKubeletConfiguration, readMachine, readHostMachine, describeMachine, capacityOf, openTopology, deviceHints } = parts
  const refusing = <T>(option: string, step: () => T): T => {
    try {
      return step()
    } catch (error) {
      const known = [parts.KubeletConfigurationError, parts.KubeletStartError, parts.MachineError].some((kind) => error instanceof kind)
      if (known && error instanceof Error) throw new ConfigError(`${option}: ${error.message}`, { cause: error })
      throw error
    }
  }
  const { kubeletConfig = '{"apiVersion":"kubelet.config.k8s.io/v1beta1","kind":"KubeletConfiguration"}' } = config
  const kubelet = refusing('--kubelet-config', () => readKubeletConfiguration(kubeletConfig))
  const usual = () => ({ machine: describeMachine(USUAL), ephemeralStorage: undefined })
  const described = refusing('--machine', () => {
    if (config.machine === undefined && config.runtime === undefined) return usual()
    return config.machine === HOST || config.machine === undefined
      ? { machine: readHostMachine(), ephemeralStorage: undefined }
      : readMachine(config.machine)
  })
  const { machine } = described
  const ephemeralStorage = described.ephemeralStorage ?? DEFAULT_MACHINE.ephemeralStorage
  const capacity = capacityOf(machine, ephemeralStorage, kubelet)
  const states = new Map<string, ReturnType<typeof checkpoints>>()
  function checkpoints(name: string) {
    const { dataDir } = config
    const folder = path.join(dataDir ?? '/var/lib', 'kubelet', ...(nodeNames.length === 1 && nodeNames[0] === name ? [] : [name]))
    // A real node has its own, in the kubelet's folder.
    const open = dataDir === undefined || config.runtime !== undefined ? parts.memoryCheckpoint : parts.fileCheckpoint
    return { cpu: open(path.join(folder, parts.CPU_CHECKPOINT)), memory: open(path.join(folder, parts.MEMORY_CHECKPOINT)) }
  }
  const open = (name: string, others: readonly HintProvider[], to: Logger) => {
    const files = states.get(name) ?? checkpoints(name)
    states.set(name, files)
    return openTopology({ config: kubelet, machine, capacity, checkpoints: files, others }, { clock, log: to })
  }
  for (const name of nodeNames) refusing('--kubelet-config', () => open(name, [], silentLogger))
  const running = new Map<string, ReportedNode>()
  const amount = (name: string) => capacity.get(name)?.toString() ?? '0'
  const hugePages = Object.fromEntries(
    [...capacity.keys()].flatMap((name) => (name.startsWith('hugepages-') ? [[name, amount(name)]] : [])),
  )
  const reserved = [kubelet.systemReserved.memory, kubelet.kubeReserved.memory].map((text) => tryParseQuantity(text ?? '0')?.value() ?? 0)
  return {
    eviction: kubelet.eviction,
    host: {
      allowedUnsafeSysctls: kubelet.allowedUnsafeSysctls,
      ...(kubelet.clusterDns && { clusterDns: kubelet.clusterDns }),
      ...(kubelet.clusterDomain !== undefined && { clusterDomain: kubelet.clusterDomain }),
    },
    reservedMemoryBytes: reserved.reduce((a, b) => a + b),
    kubelet,
    machine: { ...DEFAULT_MACHINE, cpu: amount('cpu'), memory: amount('memory'), ephemeralStorage, pods: amount('pods'), hugePages },
    open(name, devices) {
      const opened = open(name, devices === undefined ? [] : [deviceHints(devices.manager, machine.layout.nodes)], log)
      running.set(name, { name, topology: opened, devices: devices?.manager })
      return opened
    },
    report(pod) {
      const node = running.get(pod.spec.nodeName ?? '')
      return node && parts.topologyReportOf(pod as Pod, node)
    },
  }
}

/** The real machine, in place of a described one. */
const HOST = 'host'

/** The machine of a simulated node without a description. */
const USUAL = {
  sockets: 1,
  nodesPerSocket: 1,
  coresPerNode: 8,
  threadsPerCore: 1,
  memoryPerNode: { memory: 16 * 2 ** 30, 'hugepages-1Gi': 0, 'hugepages-2Mi': 0 },
}
