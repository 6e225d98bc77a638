import { quiet } from '../../../base/quiet.ts'
import { Quantity } from '../../../machinery/quantity.ts'
import type { Node } from '../../../resources/types/core.ts'
import { type ContainerUse, NO_FILES, type Observation, type PodUse, type Usage, type UsageSource } from '../../eviction/usage.ts'
import type { ContainerStats, Runtime } from '../../runtime/runtime.ts'
import { type Pod, podRef } from '../../types/pod.ts'
import type { NodeFolders } from '../pod-folders.ts'
import { type DiskSpace, diskSpace } from './disk-space.ts'
import { machineMemory, machineProcesses } from './machine-memory.ts'
import type { PodFileSizes, PodFiles } from './pod-file-sizes.ts'

export interface MeasuredUsageDeps {
  readonly runtime: Pick<Runtime, 'stats' | 'containers'>
  readonly folders: Pick<NodeFolders, 'root'>
  readonly files: PodFileSizes
  /** A folder on the file system of images. */
  readonly imageFolder: string
  /** Images are on another file system than the kubelet's folder. */
  readonly separateImages: boolean
  readonly memoryAllocatableBytes: number
}

/** What this machine and its pods use, as the kernel and the runtime report it. */
export class MeasuredUsage implements UsageSource {
  readonly separateImages: boolean
  readonly #deps: MeasuredUsageDeps

  constructor(deps: MeasuredUsageDeps) {
    this.#deps = deps
    this.separateImages = deps.separateImages
  }

  worthLooking(): boolean {
    return true
  }

  /** Without the runtime nothing is known, as in the kubelet. */
  async read(_node: Node, pods: readonly Pod[]): Promise<Usage> {
    const { runtime, folders, files, imageFolder, memoryAllocatableBytes } = this.#deps
    const stats = await quiet(runtime.stats({}, AbortSignal.timeout(STATS_MS)), 'the next look asks again')
    if (stats === undefined) return { observations: new Map(), of: () => podUse([], undefined) }
    const [memory, nodefs, imagefs, processes] = await Promise.all([
      machineMemory(),
      diskSpace(folders.root),
      diskSpace(imageFolder),
      machineProcesses(),
    ])
    const sizes = await files.read(pods)
    const byPod = Map.groupBy(stats, (one) => one.pod.uid)
    const ofPods = stats.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0)
    return {
      observations: new Map([
        ['memory.available', observed(memory.capacityBytes - memory.workingSetBytes, memory.capacityBytes)],
        ['allocatableMemory.available', observed(memoryAllocatableBytes - ofPods, memoryAllocatableBytes)],
        ...diskObservations('nodefs', nodefs),
        ...diskObservations('imagefs', imagefs),
        ['pid.available', counted(processes.most - processes.present, processes.most)],
      ]),
      of: (pod) => podUse(byPod.get(podRef(pod).uid) ?? [], sizes.get(podRef(pod).uid)),
    }
  }
}

const STATS_MS = 10_000

const observed = (available: number, capacity: number): Observation => ({
  available: Quantity.of(Math.max(0, available), 'BinarySI'),
  capacity: Quantity.of(capacity, 'BinarySI'),
})
const counted = (available: number, capacity: number): Observation => ({
  available: Quantity.of(Math.max(0, available)),
  capacity: Quantity.of(capacity),
})

function diskObservations(name: 'nodefs' | 'imagefs', space: DiskSpace) {
  const bytes = [`${name}.available`, observed(space.availableBytes, space.capacityBytes)] as const
  // Some file systems (btrfs) have no number of inodes.
  return space.inodes === 0 ? [bytes] : [bytes, [`${name}.inodesFree`, counted(space.inodesFree, space.inodes)] as const]
}

function podUse(stats: readonly ContainerStats[], files: PodFiles | undefined): PodUse {
  // The runtime does not report processes: each container has at least one.
  const containers = stats.map(
    ({ name, memoryBytes, layer }): ContainerUse => ({
      name,
      memoryBytes,
      layer: layer ?? NO_FILES,
      logs: files?.logs.get(name) ?? NO_FILES,
    }),
  )
  return { containers, volumes: files?.volumes ?? new Map(), processes: stats.length }
}
