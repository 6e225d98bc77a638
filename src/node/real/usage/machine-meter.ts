import { type FileUse, isEphemeral, NO_FILES, sumOf } from '../../eviction/usage.ts'
import type { ContainerStats, ImageFileSystem, Runtime, SandboxStats } from '../../runtime/runtime.ts'
import type { MachineUse, NodeUse, PodUseOnMachine } from '../../types/machine-use.ts'
import { type Pod, podRef } from '../../types/pod.ts'
import type { DiskUse } from '../../types/volume-use.ts'
import { type DiskSpace, diskSpace } from './disk-space.ts'
import { machineCpuTime, machineNetworks } from './machine-counters.ts'
import { machineMemory, machineProcesses } from './machine-memory.ts'
import type { PodFileSizes, PodFiles } from './pod-file-sizes.ts'

export interface MachineMeterDeps {
  readonly runtime: Pick<Runtime, 'stats' | 'sandboxStats' | 'imageFileSystem'>
  readonly files: PodFileSizes
  /** The node's own. */
  readonly folder: string
}

/** The file systems of the machine. */
interface Disks {
  readonly own: DiskSpace
  readonly images: DiskSpace
}

/** Measures this machine on request, for `/stats/summary` and metrics. */
export class MachineMeter {
  readonly #deps: MachineMeterDeps

  constructor(deps: MachineMeterDeps) {
    this.#deps = deps
  }

  async read(pods: readonly Pod[], signal: AbortSignal): Promise<MachineUse> {
    const { runtime, files, folder } = this.#deps
    const [stats, sandboxes, sizes, imageFs, own] = await Promise.all([
      runtime.stats({}, signal),
      runtime.sandboxStats?.(signal) ?? [],
      files.read(pods),
      runtime.imageFileSystem?.(signal),
      diskSpace(folder),
    ])
    const disks = { own, images: imageFs === undefined ? own : await diskSpace(imageFs.folder) }
    const byPod = Map.groupBy(stats, (one) => one.pod.uid)
    const shared = new Map(sandboxes.map((one) => [one.podUid, one]))
    const usesOf = (pod: Pod): readonly [string, PodUseOnMachine] => {
      const { uid } = podRef(pod)
      return [uid, podUse(pod, { stats: byPod.get(uid) ?? [], sandbox: shared.get(uid), files: sizes.get(uid), disks })]
    }
    return { node: await nodeUse(disks, imageFs, stats), pods: new Map(pods.map(usesOf)) }
  }
}

async function nodeUse({ own, images }: Disks, imageFs: ImageFileSystem | undefined, stats: readonly ContainerStats[]): Promise<NodeUse> {
  const [cpuNanoseconds, memory, networks, processes] = await Promise.all([
    machineCpuTime(),
    machineMemory(),
    machineNetworks(),
    machineProcesses(),
  ])
  const { capacityBytes, ...used } = memory
  return {
    cpuNanoseconds,
    memory: { ...used, availableBytes: Math.max(0, capacityBytes - used.workingSetBytes), pageFaults: 0, majorPageFaults: 0 },
    networks,
    disk: diskUse(own, { bytes: own.usedBytes, inodes: own.inodes - own.inodesFree }),
    images: diskUse(images, { bytes: imageFs?.usedBytes ?? 0, inodes: imageFs?.inodesUsed ?? 0 }),
    layers: diskUse(images, sumOf(stats.map(({ layer }) => layer ?? NO_FILES))),
    processes,
  }
}

interface PodParts {
  readonly stats: readonly ContainerStats[]
  readonly sandbox: SandboxStats | undefined
  readonly files: PodFiles | undefined
  readonly disks: Disks
}

function podUse(pod: Pod, { stats, sandbox, files, disks }: PodParts): PodUseOnMachine {
  const layers = stats.map(({ layer }) => layer ?? NO_FILES)
  const logs = [...(files?.logs.values() ?? [])]
  const volumes = (pod.spec.volumes ?? []).filter(isEphemeral).flatMap(({ name }) => files?.volumes.get(name) ?? [])
  return {
    networks: sandbox?.networks ?? [],
    processes: sandbox?.processes ?? stats.length,
    containers: new Map(
      stats.map(({ name, layer }) => [
        name,
        { layer: diskUse(disks.images, layer ?? NO_FILES), logs: diskUse(disks.own, files?.logs.get(name) ?? NO_FILES) },
      ]),
    ),
    ephemeral: diskUse(disks.own, sumOf([...layers, ...logs, ...volumes])),
  }
}

const diskUse = ({ capacityBytes, availableBytes, inodes, inodesFree }: DiskSpace, { bytes, inodes: used }: FileUse): DiskUse => ({
  availableBytes,
  capacityBytes,
  usedBytes: bytes,
  inodesFree,
  inodes,
  inodesUsed: used,
})
