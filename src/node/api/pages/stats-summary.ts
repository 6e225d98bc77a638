import { timestamp } from '../../../base/clock.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { claimOf } from '../../../resources/pod/mounted-claims.ts'
import type { MemoryDetail, NetworkUse } from '../../runtime/runtime.ts'
import type { PodUseOnMachine } from '../../types/machine-use.ts'
import { type Pod, podRef } from '../../types/pod.ts'
import type { DiskUse } from '../../types/volume-use.ts'
import { quantityValue } from '../amounts.ts'
import type { Handler } from '../api-request.ts'
import type { KubeletHost } from '../kubelet-host.ts'
import { json } from '../kubelet-response.ts'
import type { ContainerUsage, NodeUsage, PodUsage, UsageMeter } from '../usage.ts'

/** `/stats/summary`: the resource usage of the node and its pods (`stats/v1alpha1 Summary`). */
export const statsSummary =
  (host: KubeletHost, meter: UsageMeter, startedMs: number): Handler =>
  async ({ query, signal }) => {
    const only = query.getAll('only_cpu_and_memory')
    const usage = await meter.measure(signal)
    const brief = only.length === 1 && only[0] === 'true'
    const pods = usage.pods.map((pod) => podStats(pod, { use: usage.machine?.pods.get(pod.pod.uid), brief, atMs: usage.atMs, host }))
    return json(JSON.stringify({ node: nodeStats(host, usage, { brief, startedMs }), pods }, undefined, 1))
  }

interface Measured {
  readonly atMs: number
  readonly cpuNanoseconds: number
  readonly nanoCores: number | undefined
  readonly memoryBytes: number
  readonly memory?: MemoryDetail
}

const cpu = ({ atMs, cpuNanoseconds, nanoCores }: Measured) => ({
  time: timestamp(atMs),
  ...(nanoCores !== undefined && { usageNanoCores: Math.round(nanoCores) }),
  usageCoreNanoSeconds: Math.round(cpuNanoseconds),
})

const memory = ({ atMs, memoryBytes, memory: detail }: Measured, limit: number | undefined) => ({
  time: timestamp(atMs),
  ...(limit !== undefined && { availableBytes: Math.max(0, limit - memoryBytes) }),
  usageBytes: detail?.usageBytes ?? memoryBytes,
  workingSetBytes: memoryBytes,
  rssBytes: detail?.residentBytes ?? memoryBytes,
  pageFaults: detail?.pageFaults ?? 0,
  majorPageFaults: detail?.majorPageFaults ?? 0,
})

const swap = (atMs: number) => ({ time: timestamp(atMs), swapAvailableBytes: 0, swapUsageBytes: 0 })

/** A file system; an empty one on a simulated node. */
const disk = (host: KubeletHost, atMs: number, use?: DiskUse): JsonObject => {
  if (use !== undefined) return { time: timestamp(atMs), ...use }
  const capacityBytes = quantityValue(host.machine.ephemeralStorage)
  const inodes = Math.trunc(capacityBytes / 16_384)
  return { time: timestamp(atMs), availableBytes: capacityBytes, capacityBytes, usedBytes: 0, inodesFree: inodes, inodes, inodesUsed: 0 }
}

const STILL: NetworkUse = { name: 'eth0', rxBytes: 0, rxErrors: 0, txBytes: 0, txErrors: 0 }

/** Simulated pods send nothing. */
const network = (atMs: number, interfaces: readonly NetworkUse[] = [STILL]): JsonObject => ({
  time: timestamp(atMs),
  ...interfaces[0],
  interfaces: interfaces.map((one) => ({ ...one })),
})

function nodeStats(
  host: KubeletHost,
  usage: NodeUsage,
  { brief, startedMs }: { readonly brief: boolean; readonly startedMs: number },
): JsonObject {
  const { atMs } = usage
  const { node } = usage.machine ?? {}
  const whole = memory({ ...usage, ...(node && { memory: node.memory }) }, quantityValue(host.machine.memory))
  const processes = node?.processes ?? { most: 4_194_304, present: usage.pods.reduce((all, p) => all + p.containers.length, 0) }
  const group = (name: string): JsonObject => ({
    name,
    startTime: timestamp(startedMs),
    cpu: cpu(usage),
    memory: whole,
    ...(brief ? {} : { swap: swap(atMs) }),
  })
  return {
    nodeName: host.nodeName,
    systemContainers: [group('pods')],
    startTime: timestamp(startedMs),
    cpu: cpu(usage),
    memory: whole,
    ...(!brief && {
      network: network(atMs, node?.networks),
      fs: disk(host, atMs, node?.disk),
      runtime: { imageFs: disk(host, atMs, node?.images), containerFs: disk(host, atMs, node?.layers) },
      rlimit: { time: timestamp(atMs), maxpid: processes.most, curproc: processes.present },
    }),
    swap: swap(atMs),
  }
}

interface PodInit {
  /** What is measured of it on a real machine. */
  readonly use: PodUseOnMachine | undefined
  readonly brief: boolean
  readonly atMs: number
  readonly host: KubeletHost
}

function podStats(usage: PodUsage, { use, brief, atMs, host }: PodInit): JsonObject {
  const { pod, containers, startedAtMs, object } = usage
  const sum = (of: (c: ContainerUsage) => number) => containers.reduce((all, c) => all + of(c), 0)
  const rated = containers.some((c) => c.nanoCores !== undefined)
  const whole: Measured = {
    atMs,
    cpuNanoseconds: sum((c) => c.cpuNanoseconds),
    nanoCores: rated ? sum((c) => c.nanoCores ?? 0) : undefined,
    memoryBytes: sum((c) => c.memoryBytes),
  }
  const volumes = brief || object === undefined ? [] : volumeStats(object, { host, atMs })
  return {
    podRef: { name: pod.name, namespace: pod.namespace, uid: pod.uid },
    startTime: timestamp(startedAtMs),
    containers:
      containers.length === 0 ? null : containers.map((c) => containerStats(c, { use, brief, host, limit: limitOf(usage, c.name) })),
    cpu: cpu(whole),
    memory: memory(whole, undefined),
    ...(!brief && {
      network: network(atMs, use?.networks),
      ...(volumes.length > 0 && { volume: volumes }),
      'ephemeral-storage': disk(host, atMs, use?.ephemeral),
      process_stats: { process_count: use?.processes ?? containers.length },
    }),
    swap: swap(atMs),
  }
}

/** Those that have not been measured yet are left out. */
function volumeStats(pod: Pod, { host, atMs }: Pick<PodInit, 'host' | 'atMs'>): JsonObject[] {
  const { name: podName, namespace, uid } = podRef(pod)
  const measured = host.volumeUse?.(uid)
  return (pod.spec.volumes ?? []).flatMap((volume): JsonObject[] => {
    const { name } = volume
    if (measured === undefined) return [{ ...disk(host, atMs), name }]
    const { atMs: seenAtMs, ...use } = measured.get(name) ?? {}
    const claim = claimOf({ metadata: { name: podName } }, volume)
    if (seenAtMs === undefined) return []
    return [{ time: timestamp(seenAtMs), ...use, name, ...(claim !== undefined && { pvcRef: { name: claim, namespace } }) }]
  })
}

function limitOf({ object }: PodUsage, container: string): number | undefined {
  const limit = object?.spec.containers.find((c) => c.name === container)?.resources?.limits?.memory
  return limit === undefined ? undefined : quantityValue(limit)
}

interface ContainerInit extends Pick<PodInit, 'use'> {
  readonly brief: boolean
  readonly host: KubeletHost
  readonly limit: number | undefined
}

const containerStats = (c: ContainerUsage, { use, brief, host, limit }: ContainerInit): JsonObject => ({
  name: c.name,
  startTime: timestamp(c.startedAtMs),
  cpu: cpu(c),
  memory: memory(c, limit),
  ...(!brief && filesOf(c, host, use)),
  swap: swap(c.atMs),
})

function filesOf({ name, atMs }: ContainerUsage, host: KubeletHost, use: PodUseOnMachine | undefined): JsonObject {
  const own = use?.containers.get(name)
  return { rootfs: disk(host, atMs, own?.layer), logs: disk(host, atMs, own?.logs) }
}
