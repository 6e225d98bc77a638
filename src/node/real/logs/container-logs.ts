import { mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { hasCode } from '../../../base/has-code.ts'
import type { PodRef } from '../../runtime/container-spec.ts'
import type { ContainerStatus } from '../../runtime/runtime.ts'
import { type NodeFolders, podFolders } from '../pod-folders.ts'

/** A container whose log this is. */
export type LogOwner = Pick<ContainerStatus, 'pod' | 'name' | 'attempt' | 'id'>

/** The log files of containers, which runtimes write, and links to them by readable names, which log collectors read. */
export class ContainerLogs {
  readonly #folders: NodeFolders

  constructor(folders: NodeFolders) {
    this.#folders = folders
  }

  pathOf({ pod, name, attempt }: Omit<LogOwner, 'id'>): string {
    return path.join(podFolders(this.#folders, pod).logs, name, `${attempt}.log`)
  }

  /** `/var/log/containers/POD_NAMESPACE_CONTAINER-ID.log` */
  async link(owner: LogOwner): Promise<void> {
    const { pod, name, id } = owner
    await mkdir(this.#folders.containerLogs, { recursive: true })
    const at = path.join(this.#folders.containerLogs, `${prefixOf(pod)}${name}-${id.replace(/^.*:\/\//, '')}.log`)
    await symlink(this.pathOf(owner), at).catch((error) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
  }

  /** Removes the logs of a container's attempts that the runtime has no more. */
  async tidy(pod: PodRef, kept: readonly Pick<ContainerStatus, 'name' | 'attempt'>[]): Promise<void> {
    const attempts = new Set(kept.map(({ name, attempt }) => path.join(name, String(attempt))))
    const folder = podFolders(this.#folders, pod).logs
    for (const name of new Set(kept.map((c) => c.name)))
      for (const file of await namesIn(path.join(folder, name)))
        if (!attempts.has(path.join(name, file.split('.')[0] ?? ''))) await rm(path.join(folder, name, file), { force: true })
    await this.#removeDangling(prefixOf(pod), podFolders(this.#folders, pod).logs)
  }

  /** Removes all that the pod's containers have written. */
  async clear(pod: PodRef): Promise<void> {
    await rm(podFolders(this.#folders, pod).logs, { recursive: true, force: true })
    await this.#removeDangling(prefixOf(pod), podFolders(this.#folders, pod).logs)
  }

  /** Removes all logs of pods that are not among these, and links that an agent left which was killed while it removed logs. */
  async retain(podUids: ReadonlySet<string>): Promise<void> {
    for (const folder of await namesIn(this.#folders.logs)) {
      const [, , uid = ''] = folder.split('_')
      if (uid !== '' && !podUids.has(uid)) await rm(path.join(this.#folders.logs, folder), { recursive: true, force: true })
    }
    await this.#removeDangling('', this.#folders.logs)
  }

  /** Removes links whose names begin so, to files below the folder that are not there. */
  async #removeDangling(prefix: string, folder: string): Promise<void> {
    const { containerLogs } = this.#folders
    for (const name of await namesIn(containerLogs)) {
      if (!name.startsWith(prefix)) continue
      const target = await readlink(path.join(containerLogs, name)).catch(() => '')
      if (!target.startsWith(`${folder}/`)) continue
      const there = (await namesIn(path.dirname(target))).includes(path.basename(target))
      if (!there) await rm(path.join(containerLogs, name), { force: true })
    }
  }
}

const prefixOf = ({ name, namespace }: PodRef) => `${name}_${namespace}_`

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}
