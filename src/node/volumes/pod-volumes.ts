import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { parseQuantity } from '../../machinery/quantity.ts'
import { claimOf } from '../../resources/pod/mounted-claims.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import type { Mount } from '../runtime/container-spec.ts'
import type { Pod } from '../types/pod.ts'
import { writeAtomically } from './atomic-writer.ts'
import type { FileBudget } from './file-budget.ts'
import type { MountPoint } from './file-system.ts'
import { type FileNode, type FileTree, fileTree, type RegularFile, treeOfFiles } from './file-tree.ts'
import { subPathOf } from './sub-path.ts'
import { isContent, VolumeContent, type VolumeContentDeps } from './volume-content.ts'
import { VolumeError } from './volume-payload.ts'
import type { VolumeSource } from './volume-types.ts'

export interface PodVolumesDeps extends VolumeContentDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Shared by all files that containers write. */
  readonly budget: FileBudget
  /** Host paths and persistent volumes. */
  readonly shared: SharedTrees
  /** The known files of an image, by absolute path; undefined: none are known. */
  readonly imageFiles: (reference: string) => Readonly<Record<string, string | Uint8Array>> | undefined
}

/** Trees that do not belong to one pod. */
export interface SharedTrees {
  /** The node's own files below this folder, which is created. */
  hostPath(path: string): FileTree
  /** The file of a host path; undefined: it is a folder, or will be one. */
  hostFile(source: { readonly path: string; readonly type?: string }): RegularFile | undefined
  /** The tree of a persistent volume. */
  persistent(volumeName: string): Promise<FileTree>
}

/** The capacity of a volume without a size. */
export const VOLUME_BYTES = 64 * 1024 * 1024
/** How often mounted content is refreshed: a random interval from this to half as long again. */
export const REFRESH_MS = 60_000

interface Open {
  readonly source: VolumeSource
  readonly tree: FileTree
  /** Set if the volume is a file of the node rather than a folder. */
  readonly file?: RegularFile
  writes: number
}

/** The volumes of one pod on its node: set up on first use, refreshed while the pod exists. */
export class PodVolumes {
  readonly #deps: PodVolumesDeps
  readonly #content: VolumeContent
  readonly #open = new Map<string, Promise<Open>>()
  readonly #ready = new Map<string, Open>()
  #refreshing: (() => void) | undefined
  #closed = false

  constructor(pod: Pod, deps: PodVolumesDeps) {
    this.#deps = deps
    this.#content = new VolumeContent(pod, deps)
  }

  /** The content of a mount. Throws `VolumeError`. */
  async mountPoint({ volume, containerPath, subPath, readOnly }: Mount): Promise<MountPoint> {
    const { source, tree, file } = await this.#volume(volume)
    // Content from the API is read-only.
    const fixed = isContent(source)
    const path = `/${containerPath
      .split('/')
      .filter((p) => p !== '')
      .join('/')}`
    // As in the kubelet, a missing key of a ConfigMap becomes an empty directory: containers may not write to the volume, but the node may.
    const within = { nowMs: this.#deps.clock.now(), readOnly: source.image !== undefined }
    const node = subPath ? subPathOf(tree, subPath, within) : (file ?? tree.root)
    return {
      path,
      node,
      tree,
      ...((fixed || source.emptyDir?.medium === 'Memory') && { kind: 'tmpfs' }),
      readOnly: readOnly || fixed || source.image !== undefined || source.persistentVolumeClaim?.readOnly === true,
    }
  }

  /** The size of each set-up volume in bytes. */
  sizes(): ReadonlyMap<string, number> {
    return new Map([...this.#ready].map(([name, { tree }]) => [name, tree.space.usedBytes]))
  }

  /** The content of a file of a volume; undefined: there is none. */
  read(volume: string, path: string): string | undefined {
    const tree = this.#ready.get(volume)?.tree
    let node: FileNode | undefined = tree?.root
    for (const name of path.split('/').filter((part) => part !== '' && part !== '.'))
      node = node?.kind === 'directory' && name !== '..' ? node.entries.get(name) : undefined
    return node?.kind === 'file' ? Buffer.from(node.bytes).toString() : undefined
  }

  close(): void {
    this.#closed = true
    this.#refreshing?.()
    for (const { source, tree } of this.#ready.values()) if (source.emptyDir !== undefined) this.#deps.budget.forget(tree.space)
  }

  #volume(name: string): Promise<Open> {
    const known = this.#open.get(name)
    if (known !== undefined) return known
    const opening = this.#make(name)
    this.#open.set(name, opening)
    opening.catch(() => this.#open.delete(name))
    return opening
  }

  async #make(name: string): Promise<Open> {
    const volumes: readonly VolumeSource[] = (this.#content.pod.spec.volumes ?? []) as readonly VolumeSource[]
    const source = volumes.find((v) => v.name === name)
    if (source === undefined) throw new VolumeError(`volume "${name}" is not one of the pod's`)
    const file = source.hostPath && this.#deps.shared.hostFile(source.hostPath)
    const open: Open = { source, tree: await this.#treeOf(source), ...(file !== undefined && { file }), writes: 0 }
    await this.#write(open)
    this.#ready.set(name, open)
    if (isContent(source)) this.#refreshLater()
    return open
  }

  async #treeOf(source: VolumeSource): Promise<FileTree> {
    const { emptyDir, hostPath, image } = source
    const { shared } = this.#deps
    const { pod } = this.#content
    const { namespace = '' } = pod.metadata
    if (hostPath !== undefined) return shared.hostPath(hostPath.path)
    if (image !== undefined) return treeOfFiles(this.#deps.imageFiles(image.reference ?? '') ?? {}, this.#deps.clock.now())
    const claimName = claimOf(pod, source)
    if (claimName !== undefined) {
      const claim = await this.#content.object(PERSISTENT_VOLUME_CLAIMS, namespace, claimName)
      if (!claim?.spec?.volumeName) throw new VolumeError(`persistentvolumeclaim "${claimName}" is not bound`)
      const volume = await this.#content.object(PERSISTENT_VOLUMES, '', claim.spec.volumeName)
      const { hostPath: path, local } = volume?.spec ?? {}
      // Paths of the machine are shared by all pods that mount them.
      const nodePath = path?.path ?? local?.path
      return nodePath === undefined ? shared.persistent(claim.spec.volumeName) : shared.hostPath(nodePath)
    }
    const { gid } = this.#content.owner
    // A disk allows writes beyond the limit (the node then evicts the pod); memory does not.
    const limit =
      emptyDir?.sizeLimit === undefined || emptyDir.medium !== 'Memory' ? VOLUME_BYTES : parseQuantity(emptyDir.sizeLimit).value()
    const given = { mode: gid === undefined ? 0o777 : 0o2777, mtimeMs: this.#deps.clock.now(), ...(gid !== undefined && { gid }) }
    return fileTree(Math.min(limit > 0 ? limit : VOLUME_BYTES, VOLUME_BYTES), given, emptyDir && this.#deps.budget)
  }

  async #write(open: Open): Promise<void> {
    const payload = await this.#content.payload(open.source)
    if (payload === undefined) return
    if (writeAtomically(open.tree, payload, { owner: this.#content.owner, nowMs: this.#deps.clock.now(), serial: open.writes + 1 }))
      open.writes++
  }

  #refreshLater(): void {
    if (this.#refreshing !== undefined || this.#closed) return
    const delayMs = REFRESH_MS + this.#deps.random.int(REFRESH_MS / 2)
    this.#refreshing = this.#deps.clock.after(delayMs, () => {
      this.#refreshing = undefined
      this.refresh().then(() => this.#refreshLater())
    })
  }

  /** Refreshes the content of volumes from the API. Never rejects: what cannot be loaded stays unchanged. */
  async refresh(): Promise<void> {
    await this.#content.refreshPod()
    for (const opening of [...this.#open.values()])
      try {
        const open = await opening
        if (isContent(open.source) && !this.#closed) await this.#write(open)
      } catch (error) {
        this.#deps.log.info('a volume could not be brought up to date', { pod: this.#content.pod.metadata.name, error })
      }
  }
}
