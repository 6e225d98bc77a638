import type { Clock } from '../../../base/clock.ts'
import { quiet } from '../../../base/quiet.ts'
import { Quantity } from '../../../machinery/quantity.ts'
import type { Node } from '../../../resources/types/core.ts'
import {
  type ContainerUse,
  type FileUse,
  NO_FILES,
  type Observation,
  type PodUse,
  type Usage,
  type UsageSource,
} from '../../eviction/usage.ts'
import type { ContainerStats, Runtime } from '../../runtime/runtime.ts'
import { type Pod, podRef } from '../../types/pod.ts'
import { type NodeFolders, podFolders } from '../pod-folders.ts'
import { type DiskSpace, diskSpace, folderUse } from './disk-space.ts'
import { machineMemory, machineProcesses } from './machine-memory.ts'

export interface MeasuredUsageDeps {
  readonly runtime: Pick<Runtime, 'stats' | 'containers'>
  readonly folders: NodeFolders
  /** A folder on the file system of images. */
  readonly imageFolder: string
  /** Images are on another file system than the kubelet's folder. */
  readonly separateImages: boolean
  readonly memoryAllocatableBytes: number
  /** How long the sizes of folders are believed. */
  readonly filesMs: number
  readonly clock: Clock
}

interface PodFiles {
  readonly atMs: number
  readonly volumes: ReadonlyMap<string, FileUse>
  /** By container. */
  readonly logs: ReadonlyMap<string, FileUse>
}

/** What this machine and its pods use, as the kernel and the runtime tell it. */
export class MeasuredUsage implements UsageSource {
  readonly separateImages: boolean
  readonly #deps: MeasuredUsageDeps
  readonly #files = new Map<string, PodFiles>()

  constructor(deps: MeasuredUsageDeps) {
    this.#deps = deps
    this.separateImages = deps.separateImages
  }

  worthLooking(): boolean {
    return true
  }

  /** Without the runtime nothing is known, as in the kubelet. */
  async read(_node: Node, pods: readonly Pod[]): Promise<Usage> {
    const { runtime, folders, imageFolder, memoryAllocatableBytes } = this.#deps
    const stats = await quiet(runtime.stats({}, AbortSignal.timeout(STATS_MS)), 'the next look asks again')
    if (stats === undefined) return { observations: new Map(), of: () => podUse([], undefined) }
    const [memory, nodefs, imagefs, processes] = await Promise.all([
      machineMemory(),
      diskSpace(folders.root),
      diskSpace(imageFolder),
      machineProcesses(),
    ])
    await this.#measureFiles(pods)
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
      of: (pod) => podUse(byPod.get(podRef(pod).uid) ?? [], this.#files.get(podRef(pod).uid)),
    }
  }

  async #measureFiles(pods: readonly Pod[]): Promise<void> {
    const uids = new Set(pods.map((pod) => podRef(pod).uid))
    for (const uid of this.#files.keys()) if (!uids.has(uid)) this.#files.delete(uid)
    const { clock, filesMs } = this.#deps
    const nowMs = clock.now()
    for (const pod of pods) {
      const { uid } = podRef(pod)
      if (nowMs - (this.#files.get(uid)?.atMs ?? Number.NEGATIVE_INFINITY) >= filesMs) this.#files.set(uid, await this.#filesOf(pod, nowMs))
    }
  }

  async #filesOf(pod: Pod, atMs: number): Promise<PodFiles> {
    const { volume, logs } = podFolders(this.#deps.folders, podRef(pod))
    const measured = async (all: readonly (readonly [name: string, folder: string])[]) => {
      const uses = new Map<string, FileUse>()
      for (const [name, folder] of all) uses.set(name, await folderUse(folder))
      return uses
    }
    const volumes = (pod.spec.volumes ?? []).flatMap((one) => {
      const plugin = pluginOf(one)
      return plugin === undefined ? [] : [[one.name, volume(plugin, one.name)] as const]
    })
    const containers = pod.spec.containers.map(({ name }) => [name, `${logs}/${name}`] as const)
    return { atMs, volumes: await measured(volumes), logs: await measured(containers) }
  }
}

const STATS_MS = 10_000

/** Volumes whose content is the node's own. */
const PLUGINS = {
  emptyDir: 'kubernetes.io/empty-dir',
  configMap: 'kubernetes.io/configmap',
  secret: 'kubernetes.io/secret',
  projected: 'kubernetes.io/projected',
  downwardAPI: 'kubernetes.io/downward-api',
} as const

const pluginOf = (volume: NonNullable<Pod['spec']['volumes']>[number]): string | undefined =>
  Object.entries(PLUGINS).find(([field]) => Object.hasOwn(volume, field))?.[1]

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
  // Of processes the runtime tells nothing: each container has one at least.
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
