import type { ContainerState, ContainerStats } from '../runtime/runtime.ts'
import { uidOnNode } from '../static-pods/mirror-pods.ts'
import type { MachineUse } from '../types/machine-use.ts'
import type { Pod } from '../types/pod.ts'
import type { KubeletHost } from './kubelet-host.ts'

/** The usage of one container: in total, and current. */
export interface ContainerUsage extends ContainerStats {
  readonly startedAtMs: number
  /** Since the previous measurement; undefined at the first. */
  readonly nanoCores: number | undefined
}

export interface PodUsage {
  readonly pod: { readonly name: string; readonly namespace: string; readonly uid: string }
  readonly startedAtMs: number
  readonly containers: readonly ContainerUsage[]
  /** The pod's object, if it is known. */
  readonly object: Pod | undefined
}

export interface NodeUsage {
  readonly atMs: number
  /** Includes containers that are gone. */
  readonly cpuNanoseconds: number
  readonly nanoCores: number | undefined
  /** The working set. */
  readonly memoryBytes: number
  /** Of a real machine. Undefined: the node uses what its containers do. */
  readonly machine: MachineUse | undefined
  readonly pods: readonly PodUsage[]
  /** The states of all containers that the runtime has. */
  readonly states: readonly ContainerState[]
}

interface CpuReading {
  readonly atMs: number
  readonly cpuNanoseconds: number
  readonly nanoCores: number | undefined
}

/** A second reading at the same time gets the same value. */
function nanoCoresSince(last: CpuReading | undefined, now: Omit<CpuReading, 'nanoCores'>): number | undefined {
  if (last === undefined) return undefined
  const elapsedMs = now.atMs - last.atMs
  return elapsedMs <= 0 ? last.nanoCores : ((now.cpuNanoseconds - last.cpuNanoseconds) / elapsedMs) * 1000
}

/** Measures a node on request. It remembers only what ran at the last measurement. */
export interface UsageMeter {
  measure(signal: AbortSignal): Promise<NodeUsage>
}

export function createUsageMeter(host: KubeletHost, now: () => number): UsageMeter {
  let before = new Map<string, CpuReading>()
  let machineBefore: CpuReading | undefined
  /** The last known usage of containers that are gone. */
  let goneNanoseconds = 0

  return {
    async measure(signal) {
      const [machine, stats, containers, sandboxes] = await Promise.all([
        host.machineUse?.(signal),
        host.runtime.stats({}, signal),
        host.runtime.containers({}, signal),
        host.runtime.sandboxes({}, signal),
      ])
      const started = new Map(containers.map((c) => [c.id, c.startedAtMs ?? c.createdAtMs]))
      const objects = new Map(host.pods().map((pod) => [uidOnNode(pod), pod]))
      const seen: typeof before = new Map()
      const used = stats.map((one): ContainerUsage => {
        const nanoCores = nanoCoresSince(before.get(one.containerId), one)
        seen.set(one.containerId, { atMs: one.atMs, cpuNanoseconds: one.cpuNanoseconds, nanoCores })
        return { ...one, startedAtMs: started.get(one.containerId) ?? one.atMs, nanoCores }
      })
      for (const [id, last] of before) if (!seen.has(id)) goneNanoseconds += last.cpuNanoseconds
      before = seen
      const byPod = Map.groupBy(used, (c) => c.pod.uid)
      const pods = sandboxes
        .filter((s) => s.state === 'ready')
        .map((s): PodUsage => {
          const { name, namespace, uid } = s.pod
          return { pod: { name, namespace, uid }, startedAtMs: s.createdAtMs, containers: byPod.get(uid) ?? [], object: objects.get(uid) }
        })
      const sum = (of: (c: ContainerUsage) => number) => used.reduce((all, c) => all + of(c), 0)
      const atMs = now()
      const states = containers.map(({ state }) => state)
      if (machine !== undefined) {
        const { cpuNanoseconds, memory } = machine.node
        const nanoCores = nanoCoresSince(machineBefore, { atMs, cpuNanoseconds })
        machineBefore = { atMs, cpuNanoseconds, nanoCores }
        return { atMs, cpuNanoseconds, nanoCores, memoryBytes: memory.workingSetBytes, machine, pods, states }
      }
      return {
        atMs,
        cpuNanoseconds: goneNanoseconds + sum((c) => c.cpuNanoseconds),
        nanoCores: used.some((c) => c.nanoCores !== undefined) ? sum((c) => c.nanoCores ?? 0) : undefined,
        memoryBytes: sum((c) => c.memoryBytes),
        machine,
        pods,
        states,
      }
    },
  }
}
