import { timestamp } from '../../../base/clock.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { claimOf } from '../../../resources/pod/mounted-claims.ts'
import { type Pod, podRef } from '../../types/pod.ts'
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
    const pods = usage.pods.map((pod) => podStats(pod, { brief, atMs: usage.atMs, host }))
    return json(JSON.stringify({ node: nodeStats(host, usage, { brief, startedMs }), pods }, undefined, 1))
  }

interface Measured {
  readonly atMs: number
  readonly cpuNanoseconds: number
  readonly nanoCores: number | undefined
  readonly memoryBytes: number
}

const cpu = ({ atMs, cpuNanoseconds, nanoCores }: Measured) => ({
  time: timestamp(atMs),
  ...(nanoCores !== undefined && { usageNanoCores: Math.round(nanoCores) }),
  usageCoreNanoSeconds: Math.round(cpuNanoseconds),
})

const memory = ({ atMs, memoryBytes }: Measured, limit: number | undefined) => ({
  time: timestamp(atMs),
  ...(limit !== undefined && { availableBytes: Math.max(0, limit - memoryBytes) }),
  usageBytes: memoryBytes,
  workingSetBytes: memoryBytes,
  rssBytes: memoryBytes,
  pageFaults: 0,
  majorPageFaults: 0,
})

const swap = (atMs: number) => ({ time: timestamp(atMs), swapAvailableBytes: 0, swapUsageBytes: 0 })

/** An empty file system. */
const disk = (host: KubeletHost, atMs: number): JsonObject => {
  const capacityBytes = quantityValue(host.machine.ephemeralStorage)
  const inodes = Math.trunc(capacityBytes / 16_384)
  return { time: timestamp(atMs), availableBytes: capacityBytes, capacityBytes, usedBytes: 0, inodesFree: inodes, inodes, inodesUsed: 0 }
}

const network = (atMs: number): JsonObject => {
  const card = { name: 'eth0', rxBytes: 0, rxErrors: 0, txBytes: 0, txErrors: 0 }
  return { time: timestamp(atMs), ...card, interfaces: [card] }
}

function nodeStats(
  host: KubeletHost,
  usage: NodeUsage,
  { brief, startedMs }: { readonly brief: boolean; readonly startedMs: number },
): JsonObject {
  const { atMs } = usage
  const whole = memory(usage, quantityValue(host.machine.memory))
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
    ...(!brief && { network: network(atMs), fs: disk(host, atMs), runtime: { imageFs: disk(host, atMs), containerFs: disk(host, atMs) } }),
    ...(!brief && {
      rlimit: { time: timestamp(atMs), maxpid: 4_194_304, curproc: usage.pods.reduce((all, p) => all + p.containers.length, 0) },
    }),
    swap: swap(atMs),
  }
}

interface PodInit {
  readonly brief: boolean
  readonly atMs: number
  readonly host: KubeletHost
}

function podStats(usage: PodUsage, { brief, atMs, host }: PodInit): JsonObject {
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
    containers: containers.length === 0 ? null : containers.map((c) => containerStats(c, { brief, host, limit: limitOf(usage, c.name) })),
    cpu: cpu(whole),
    memory: memory(whole, undefined),
    ...(!brief && {
      network: network(atMs),
      ...(volumes.length > 0 && { volume: volumes }),
      'ephemeral-storage': disk(host, atMs),
      process_stats: { process_count: containers.length },
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

interface ContainerInit {
  readonly brief: boolean
  readonly host: KubeletHost
  readonly limit: number | undefined
}

const containerStats = (c: ContainerUsage, { brief, host, limit }: ContainerInit): JsonObject => ({
  name: c.name,
  startTime: timestamp(c.startedAtMs),
  cpu: cpu(c),
  memory: memory(c, limit),
  ...(!brief && { rootfs: disk(host, c.atMs), logs: disk(host, c.atMs) }),
  swap: swap(c.atMs),
})
