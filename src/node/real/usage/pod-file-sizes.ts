import type { Clock } from '../../../base/clock.ts'
import type { FileUse } from '../../eviction/usage.ts'
import { type Pod, podRef } from '../../types/pod.ts'
import { type NodeFolders, podFolders } from '../pod-folders.ts'
import { folderUse } from './disk-space.ts'

export interface PodFiles {
  readonly atMs: number
  /** Volumes whose content is the node's own, by name. */
  readonly volumes: ReadonlyMap<string, FileUse>
  /** By container. */
  readonly logs: ReadonlyMap<string, FileUse>
}

export interface PodFileSizesDeps {
  readonly folders: NodeFolders
  /** How long the sizes of folders are believed. */
  readonly filesMs: number
  readonly clock: Clock
}

/** What pods have in folders of the node. Measuring reads all of it, so sizes are kept for a while. */
export class PodFileSizes {
  readonly #deps: PodFileSizesDeps
  readonly #files = new Map<string, PodFiles>()

  constructor(deps: PodFileSizesDeps) {
    this.#deps = deps
  }

  /** Of these pods, by UID. */
  async read(pods: readonly Pod[]): Promise<ReadonlyMap<string, PodFiles>> {
    const uids = new Set(pods.map((pod) => podRef(pod).uid))
    for (const uid of this.#files.keys()) if (!uids.has(uid)) this.#files.delete(uid)
    const { clock, filesMs } = this.#deps
    const nowMs = clock.now()
    for (const pod of pods) {
      const { uid } = podRef(pod)
      if (nowMs - (this.#files.get(uid)?.atMs ?? Number.NEGATIVE_INFINITY) >= filesMs) this.#files.set(uid, await this.#filesOf(pod, nowMs))
    }
    return this.#files
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
