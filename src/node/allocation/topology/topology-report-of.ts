import type { JsonObject } from '../../../machinery/object.ts'
import type {
  ReportedCpu,
  ReportedDecision,
  ReportedHint,
  ReportedHints,
  ReportedMemory,
  ReportedNumaNode,
  TopologyReport,
} from '../../../resources/bowsprit/topology-report.ts'
import { NO_CPUS } from '../../machine/cpu-set.ts'
import { nodesOf } from '../../machine/node-mask.ts'
import type { Pod } from '../../types/pod.ts'
import { idsOf } from '../devices/device-ledger.ts'
import type { DeviceManager } from '../devices/device-manager.ts'
import type { TopologyHint } from '../hints/hint.ts'
import { allocatedContainers } from '../hints/hint-provider.ts'
import { reportedDevices } from './device-report.ts'
import type { NodeTopology } from './open-topology.ts'
import type { TopologyDecision } from './topology-manager.ts'

/** A pod's node and its managers. */
export interface ReportedNode {
  readonly name: string
  readonly topology: NodeTopology
  /** Undefined: the node has no devices. */
  readonly devices: Pick<DeviceManager, 'pools' | 'ledger'> | undefined
}

/** A node's report on a pod that was bound to it: the decisions, and the current use of the machine. Pure. */
export function topologyReportOf(pod: Pod, reported: ReportedNode): TopologyReport {
  const { name: node, topology, devices } = reported
  const { manager, machine } = topology
  const uid = pod.metadata.uid ?? ''
  const digits = Math.max(...machine.layout.nodes) + 1
  const decisions = manager.decisions(uid).map((d) => decisionOf(d, digits))
  const { name = '', namespace = '', creationTimestamp } = pod.metadata
  return {
    apiVersion: 'bowsprit.dev/v1',
    kind: 'TopologyReport',
    metadata: { name, namespace, uid, ...(creationTimestamp !== undefined && { creationTimestamp }) },
    summary: summaryOf(pod, reported, decisions),
    node,
    policy: manager.policy,
    scope: manager.scope,
    decisions,
    numaNodes: machine.layout.nodes.map((id) => ({
      ...numaNode(id, uid, pod, topology),
      devices: devices === undefined ? [] : reportedDevices(id, uid, devices),
    })),
    devices: devices === undefined ? [] : reportedDevices(undefined, uid, devices),
  }
}

const hintOf = (hint: TopologyHint, digits: number): ReportedHint => ({
  ...(hint.nodes !== undefined && { mask: hint.nodes.toString(2).padStart(digits, '0') }),
  preferred: hint.preferred,
})

function decisionOf({ container, hints, verdict }: TopologyDecision, digits: number): ReportedDecision {
  return {
    ...(container !== undefined && { container }),
    hints: hints.flatMap(({ provider, hints: said }): ReportedHints[] => {
      const resources = Object.entries(said)
      if (resources.length === 0) return [{ provider }]
      return resources.map(([resource, list]) => ({ provider, resource, ...(list && { hints: list.map((h) => hintOf(h, digits)) }) }))
    }),
    merged: hintOf(verdict.hint, digits),
    admitted: verdict.admit,
  }
}

function summaryOf(pod: Pod, { name: node, topology, devices }: ReportedNode, decisions: readonly ReportedDecision[]): string {
  const { cpu, memory } = topology
  const { phase, reason, message } = pod.status as JsonObject
  const refused = decisions.find((d) => !d.admitted)
  if (refused !== undefined || (phase === 'Failed' && typeof message === 'string' && message.startsWith('Pod was rejected')))
    return `node ${node} did not take it: ${typeof reason === 'string' ? `${reason}: ${message}` : 'its resources cannot be had with topology locality'}`
  const uid = pod.metadata.uid ?? ''
  const held = allocatedContainers(pod).flatMap(({ name }) => {
    const cpus = cpu?.held(uid, name)?.size ?? 0
    const nodes = new Set((memory?.blocks(uid, name) ?? []).flatMap((b) => nodesOf(b.nodes)))
    const given = [...(devices?.ledger.ofContainer(uid, name) ?? [])].map(([resource, holding]) => `${idsOf(holding).length} ${resource}`)
    const parts = [
      ...(cpus > 0 ? [`${cpus} processor${cpus === 1 ? '' : 's'}`] : []),
      ...(nodes.size > 0 ? [`memory of NUMA node${nodes.size === 1 ? '' : 's'} ${[...nodes].join(', ')}`] : []),
      ...given,
    ]
    return parts.length === 0 ? [] : [`${name} has ${parts.join(' and ')} for itself`]
  })
  return `on node ${node}${held.length === 0 ? ', without a part of the machine for itself' : `: ${held.join('; ')}`}`
}

function numaNode(id: number, uid: string, pod: Pod, { machine, cpu, memory }: NodeTopology): Omit<ReportedNumaNode, 'devices'> {
  const own = new Set(allocatedContainers(pod).flatMap(({ name }) => [...(cpu?.held(uid, name) ?? NO_CPUS)]))
  const taken = new Set(
    [...(cpu?.ledger.exclusive.values() ?? [])].flatMap((containers) => [...containers.values()].flatMap((c) => [...c])),
  )
  const useOf = (cpuId: number): ReportedCpu['use'] => {
    if (own.has(cpuId)) return 'own'
    if (taken.has(cpuId)) return 'others'
    return cpu !== undefined && !cpu.allocatable.has(cpuId) ? 'reserved' : 'shared'
  }
  const cpus = machine.cpus.flatMap((c) =>
    c.node === id ? [{ id: c.id, core: c.core, socket: c.socket, cache: c.cache, use: useOf(c.id) }] : [],
  )
  const sizes = Object.entries(machine.memory.get(id) ?? {}).map(([type, total]): ReportedMemory => {
    const amounts = memory?.nodes.get(id)?.amounts.get(type)
    const mine = memory?.takenFrom(uid, id, type) ?? 0
    return {
      type,
      total,
      reserved: amounts === undefined ? 0 : total - amounts.allocatable,
      own: mine,
      others: (amounts?.reserved ?? 0) - mine,
    }
  })
  return { id, cpus, memory: sizes }
}
