import path from 'node:path'
import { type Clock, holding } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { parseQuantity } from '../../machinery/quantity.ts'
import type { NodeAgent } from '../../node/agent.ts'
import type { NodeTopology } from '../../node/allocation/topology/open-topology.ts'
import type { KubeletConfiguration } from '../../node/configuration/kubelet-configuration.ts'
import { readRealMachine } from '../../node/real/real-machine.ts'
import type { Pod } from '../../node/types/pod.ts'
import type { TopologyReport } from '../../resources/bowsprit/topology-report.ts'
import type { Pod as StoredPod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { type NodeDevices, openNodeDevices } from './node-devices.ts'

export interface RealAllocationConfig {
  readonly nodeName: string
  /** The kubelet's folder. */
  readonly root: string
  readonly kubelet: KubeletConfiguration
}

export interface RealAllocationDeps {
  /** As `system:node:<name>`. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly agent: () => NodeAgent | undefined
}

/** What this machine has for containers: devices of plugins, claims of drivers, processors and memory. */
export interface RealAllocation extends AsyncDisposable {
  readonly devices: NodeDevices
  readonly topology: NodeTopology
  readonly report: ReportPod
}

/** What a pod has of the machine of its node, and why. */
export type ReportPod = (pod: StoredPod) => TopologyReport

/**
 * Opens the sockets of plugins and the managers, and restores their checkpoints in the kubelet's folder.
 * @throws {KubeletStartError} where a kubelet would not start
 */
export async function openRealAllocation(
  { nodeName, root, kubelet }: RealAllocationConfig,
  { client, clock, log, agent }: RealAllocationDeps,
): Promise<RealAllocation> {
  const parts = await holding(clock, 'loading the topology manager', () => import('../../node/allocation/topology-entry.ts'))
  let topology: NodeTopology | undefined
  const setup = { folder: () => root, described: [] }
  const held = () => topology?.held
  const devices = await openNodeDevices(nodeName, setup, { client, clock, log, agent, held, registryIsWatched: true })
  try {
    const machine = parts.readHostMachine()
    const { memory, ephemeralStorage } = readRealMachine(root).machine
    const capacity = new Map([...parts.capacityOf(machine, ephemeralStorage, kubelet), ['memory', parseQuantity(memory)]])
    const file = (name: string) => parts.fileCheckpoint(path.join(root, name))
    const checkpoints = { cpu: file(parts.CPU_CHECKPOINT), memory: file(parts.MEMORY_CHECKPOINT) }
    const others = [parts.deviceHints(devices.manager, machine.layout.nodes)]
    topology = parts.openTopology({ config: kubelet, machine, capacity, checkpoints, others }, { clock, log })
    const reported = { name: nodeName, topology, devices: devices.manager }
    const report: ReportPod = (pod) => parts.topologyReportOf(pod as Pod, reported)
    return { devices, topology, report, [Symbol.asyncDispose]: () => devices[Symbol.asyncDispose]() }
  } catch (error) {
    await devices[Symbol.asyncDispose]()
    throw error
  }
}
