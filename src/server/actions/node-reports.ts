import type { Report } from '../../apiserver/extension-points.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { notFound, StatusError } from '../../machinery/status-error.ts'
import type { NodeDevices, NodeNuma, NodeReport } from '../../resources/bowsprit/node-report.ts'
import type { ReportedDevices, ReportedNumaNode, TopologyReport } from '../../resources/bowsprit/topology-report.ts'
import { listObjects, readObject } from '../../resources/read-objects.ts'
import { NODES, PODS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { TopologyReports } from './topology-reports.ts'

/** The most pods of a node that are asked for; a kubelet runs 110 by default. */
const MOST_PODS = 256

/** Serves `nodereports`: the reports on a node's pods, put together. */
export const nodeReport =
  (reports: TopologyReports, reader: Reader): Report =>
  async ({ name }) => {
    if (readObject(reader, NODES, '', name) === undefined) throw notFound({ group: '', resource: 'nodes' }, name)
    const machine = await topologyOf(reports, nobodyOn(name))
    if (machine === undefined) {
      const message = `node ${name} does not run in this process, or not now`
      throw new StatusError({ code: 503, reason: 'ServiceUnavailable', message })
    }
    const pods = listObjects(reader, PODS).filter(({ spec, status }) => spec.nodeName === name && status?.phase !== 'Succeeded')
    const found = await Promise.all(pods.slice(0, MOST_PODS).map((pod) => topologyOf(reports, pod)))
    const own = found.filter((report) => report !== undefined)
    return { ...nodeReportOf(name, machine, own), ...(pods.length > MOST_PODS && { unlisted: pods.length - MOST_PODS }) }
  }

/** Nodes make no other reports. */
const topologyOf = async (reports: TopologyReports, pod: Pod) => (await reports(pod)) as TopologyReport | undefined

/** A pod that has nothing: the report on it is about the machine. */
const nobodyOn = (nodeName: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: '', namespace: '', uid: '' },
  spec: { nodeName, containers: [] },
  status: {},
})

/** A machine, and which of the pods has which part of it. Pure. */
export function nodeReportOf(name: string, machine: TopologyReport, pods: readonly TopologyReport[]): NodeReport {
  const { policy, scope, numaNodes, devices } = machine
  return {
    apiVersion: 'bowsprit.dev/v1',
    kind: 'NodeReport',
    metadata: { name },
    policy,
    scope,
    numaNodes: numaNodes.map((numa) => numaOf(numa, pods)),
    devices: devices.map((each) => devicesOf(each, ownersOfDevices(pods, each.resource))),
    pods: pods.map(({ metadata, summary, decisions }) => ({
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      summary,
      decisions,
    })),
  }
}

const keyOf = ({ metadata: { namespace, name } }: TopologyReport) => `${namespace}/${name}`

function numaOf({ id, cpus, memory, devices }: ReportedNumaNode, pods: readonly TopologyReport[]): NodeNuma {
  const owners = new Map<number, string>()
  for (const pod of pods)
    for (const cpu of pod.numaNodes.find((numa) => numa.id === id)?.cpus ?? []) if (cpu.use === 'own') owners.set(cpu.id, keyOf(pod))
  return {
    id,
    cpus: cpus.map(({ id: cpu, core, socket, use }) => {
      const pod = owners.get(cpu)
      return { id: cpu, core, socket, use: use === 'shared' || use === 'reserved' ? use : 'pod', ...(pod !== undefined && { pod }) }
    }),
    memory: memory.map(({ type, total, reserved, others }) => ({ type, total, reserved, used: others })),
    devices: devices.map((each) => devicesOf(each, ownersOfDevices(pods, each.resource))),
  }
}

/** Which pod has which device of a resource. */
function ownersOfDevices(pods: readonly TopologyReport[], resource: string): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  for (const pod of pods)
    for (const of of [...pod.devices, ...pod.numaNodes.flatMap(({ devices }) => devices)])
      if (of.resource === resource) for (const { id, use } of of.devices) if (use === 'own') owners.set(id, keyOf(pod))
  return owners
}

const devicesOf = ({ resource, total, free, unhealthy, devices }: ReportedDevices, owners: ReadonlyMap<string, string>): NodeDevices => ({
  resource,
  total,
  free,
  unhealthy,
  devices: devices.map(({ id, healthy }) => {
    const pod = owners.get(id)
    return { id, healthy, ...(pod !== undefined && { pod }) }
  }),
})
