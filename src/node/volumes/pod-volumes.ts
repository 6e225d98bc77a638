import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { ResourceRef } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { parseQuantity } from '../../machinery/quantity.ts'
import { claimOf } from '../../resources/pod/mounted-claims.ts'
import { readObject } from '../../resources/read-objects.ts'
import { NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS } from '../../resources/refs.ts'
import type { Mount } from '../runtime/container-spec.ts'
import type { Pod } from '../types/pod.ts'
import { writeAtomically } from './atomic-writer.ts'
import type { FileBudget } from './file-budget.ts'
import type { MountPoint } from './file-system.ts'
import { type FileNode, type FileTree, fileTree, type RegularFile, treeOfFiles } from './file-tree.ts'
import type { ObjectSource } from './object-source.ts'
import { type IssueToken, ServiceAccountTokens } from './service-account-tokens.ts'
import { subPathOf } from './sub-path.ts'
import { type PayloadInput, payloadOf, referencesOf, VolumeError, type VolumeOwner } from './volume-payload.ts'
import type { TokenSource, VolumeSource } from './volume-types.ts'

export interface PodVolumesDeps {
  readonly source: ObjectSource
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly issueToken: IssueToken
  /** Shared by all files that containers write. */
  readonly budget: FileBudget
  /** Host paths and persistent volumes. */
  readonly shared: SharedTrees
  /** The known files of an image, by absolute path; undefined: none are known. */
  readonly imageFiles: (reference: string) => Readonly<Record<string, string | Uint8Array>> | undefined
  readonly hostIp: string
  readonly podIps: readonly string[]
  readonly nodeName: string
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
  readonly #tokens: ServiceAccountTokens
  readonly #open = new Map<string, Promise<Open>>()
  readonly #ready = new Map<string, Open>()
  #pod: Pod
  #refreshing: (() => void) | undefined
  #closed = false

  constructor(pod: Pod, deps: PodVolumesDeps) {
    this.#pod = pod
    this.#deps = deps
    this.#tokens = new ServiceAccountTokens(deps.issueToken, deps.clock)
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
    const volumes: readonly VolumeSource[] = (this.#pod.spec.volumes ?? []) as readonly VolumeSource[]
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
    const { namespace = '' } = this.#pod.metadata
    if (hostPath !== undefined) return shared.hostPath(hostPath.path)
    if (image !== undefined) return treeOfFiles(this.#deps.imageFiles(image.reference ?? '') ?? {}, this.#deps.clock.now())
    const claimName = claimOf(this.#pod, source)
    if (claimName !== undefined) {
      const claim = await this.#object(PERSISTENT_VOLUME_CLAIMS, namespace, claimName)
      if (!claim?.spec?.volumeName) throw new VolumeError(`persistentvolumeclaim "${claimName}" is not bound`)
      const volume = await this.#object(PERSISTENT_VOLUMES, '', claim.spec.volumeName)
      const { hostPath: path, local } = volume?.spec ?? {}
      // Paths of the machine are shared by all pods that mount them.
      const place = path?.path ?? local?.path
      return place === undefined ? shared.persistent(claim.spec.volumeName) : shared.hostPath(place)
    }
    const { gid } = this.#owner()
    // A disk allows writes beyond the limit (the node then evicts the pod); memory does not.
    const limit =
      emptyDir?.sizeLimit === undefined || emptyDir.medium !== 'Memory' ? VOLUME_BYTES : parseQuantity(emptyDir.sizeLimit).value()
    const given = { mode: gid === undefined ? 0o777 : 0o2777, mtimeMs: this.#deps.clock.now(), ...(gid !== undefined && { gid }) }
    return fileTree(Math.min(limit > 0 ? limit : VOLUME_BYTES, VOLUME_BYTES), given, emptyDir && this.#deps.budget)
  }

  async #write(open: Open): Promise<void> {
    await this.#tokens.renew(tokensOf(open.source))
    const { source, clock, hostIp, podIps, nodeName } = this.#deps
    const { namespace = '' } = this.#pod.metadata
    const objects = await source.read([{ ...NODES, name: nodeName }, ...referencesOf(open.source, namespace)])
    const input: PayloadInput = {
      pod: this.#pod,
      namespace,
      objects,
      hostIp,
      podIps,
      allocatable: readObject(objects, NODES, '', nodeName)?.status?.allocatable ?? {},
      owner: this.#owner(),
      token: (source) => this.#tokens.of(source),
    }
    const payload = payloadOf(open.source, input)
    if (payload === undefined) return
    if (writeAtomically(open.tree, payload, { owner: input.owner, nowMs: clock.now(), serial: open.writes + 1 })) open.writes++
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
    const { name = '', namespace = '', uid } = this.#pod.metadata
    const latest = await this.#object(PODS, namespace, name).catch(() => undefined)
    if (latest !== undefined && latest.metadata.uid === uid) this.#pod = latest as Pod
    for (const opening of [...this.#open.values()])
      try {
        const open = await opening
        if (isContent(open.source) && !this.#closed) await this.#write(open)
      } catch (error) {
        this.#deps.log.info('a volume could not be brought up to date', { pod: name, error })
      }
  }

  async #object<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): Promise<Readonly<T> | undefined> {
    return readObject(await this.#deps.source.read([{ ...ref, namespace, name }]), ref, namespace, name)
  }

  #owner(): VolumeOwner {
    const { spec } = this.#pod
    const gid = spec.securityContext?.fsGroup
    const users = new Set(spec.containers.map((c) => c.securityContext?.runAsUser ?? spec.securityContext?.runAsUser))
    const [uid] = users
    return { ...(users.size === 1 && uid !== undefined && { uid }), ...(gid !== undefined && { gid }) }
  }
}

/** Whether the volume's content comes from the API. */
const isContent = ({ configMap, secret, downwardAPI, projected }: VolumeSource) =>
  configMap !== undefined || secret !== undefined || downwardAPI !== undefined || projected !== undefined

const tokensOf = ({ projected }: VolumeSource): readonly TokenSource[] =>
  (projected?.sources ?? []).flatMap((s) => (s.serviceAccountToken === undefined ? [] : [s.serviceAccountToken]))
