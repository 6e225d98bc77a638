import { chmod, chown, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { quiet } from '../../../base/quiet.ts'
import { claimOf } from '../../../resources/pod/mounted-claims.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../../resources/types/core.ts'
import { persistentFlexVolume } from '../../../sdk/flex-volume/flex-volume.ts'
import { type CsiVolume, inlineVolume, persistentVolume } from '../../csi/csi-volume.ts'
import type { CsiVolumes } from '../../csi/csi-volumes.ts'
import type { FlexVolumes } from '../../flex-volume/flex-volumes.ts'
import type { Device, Mount } from '../../runtime/container-spec.ts'
import { type Container, containersOf, mountedVolumes, type Pod } from '../../types/pod.ts'
import type { VolumeUse } from '../../types/volume-use.ts'
import { MountError } from '../../volumes/mount-error.ts'
import { isContent, VolumeContent, type VolumeContentDeps } from '../../volumes/volume-content.ts'
import { VolumeError } from '../../volumes/volume-payload.ts'
import type { VolumeSource } from '../../volumes/volume-types.ts'
import type { PodFolders } from '../pod-folders.ts'
import { diskSpace } from '../usage/disk-space.ts'
import type { MountedClaim } from './grow-claim.ts'
import type { Mounts } from './mounts.ts'
import { makeInside, nameOfHandle, openInside, SubPathError } from './safe-path.ts'
import { planVolume, type VolumePlan } from './volume-kinds.ts'
import { writePayload } from './write-payload.ts'

export interface DiskVolumesDeps extends VolumeContentDeps {
  readonly mounts: Mounts
  readonly folders: PodFolders
  readonly csi: Pick<CsiVolumes, 'mount' | 'map' | 'stats'>
  /** Says of a volume that it is ready. */
  readonly recordMapped: (message: string) => void
  readonly flex: Pick<FlexVolumes, 'mount'>
  /** Grows what is on a volume, if that is needed. Never rejects. */
  readonly grow: (mounted: MountedClaim) => Promise<void>
  /** What pods of the node may use together. */
  readonly memoryBytes: number
}

interface Ready {
  readonly source: VolumeSource
  readonly path: string
  /** What a driver has mounted. */
  readonly csi: CsiVolume | undefined
  writes: number
}

/** A mount of a container, with its place among them. */
export interface PlacedMount {
  readonly mount: Mount
  readonly container: string
  readonly index: number
}

/** The volumes of one pod as folders of its node. Everything may be done again: what is there already is left as it is. */
export class DiskVolumes {
  readonly #deps: DiskVolumesDeps
  readonly #content: VolumeContent
  readonly #ready = new Map<string, Ready>()
  /** By name, those that are being made. */
  readonly #attempts = new Map<string, Promise<string | undefined>>()
  readonly #use = new Map<string, VolumeUse>()

  constructor(pod: Pod, deps: DiskVolumesDeps) {
    this.#deps = deps
    this.#content = new VolumeContent(pod, deps)
  }

  get pod(): Pod {
    return this.#content.pod
  }

  /** Makes what the pod's containers mount. The faults of volumes that cannot be made, in the kubelet's words. */
  async setUp(): Promise<readonly string[]> {
    const mounted = mountedVolumes(this.pod)
    const sources: readonly VolumeSource[] = this.pod.spec.volumes ?? []
    const missing = sources.filter(({ name }) => mounted.has(name) && !this.#ready.has(name))
    const faults = await Promise.all(missing.map((source) => this.#attempt(source)))
    return faults.filter((fault) => fault !== undefined)
  }

  /** One attempt at a time, each volume on its own: a slow driver keeps no other volume waiting. */
  #attempt(source: VolumeSource): Promise<string | undefined> {
    const running = this.#attempts.get(source.name)
    if (running !== undefined) return running
    const attempt = this.#make(source)
      .then(
        () => undefined,
        (error) => (error instanceof MountError ? error : new MountError('MountVolume.SetUp', source.name, { cause: error })).message,
      )
      .finally(() => this.#attempts.delete(source.name))
    this.#attempts.set(source.name, attempt)
    return attempt
  }

  /** The mount with its path on the node. Throws `VolumeError` where a part of a volume cannot be had. */
  async place({ mount, container, index }: PlacedMount): Promise<Mount> {
    const found = this.#ready.get(mount.volume)
    if (found === undefined) throw new VolumeError(`volume "${mount.volume}" of pod "${this.pod.metadata.name}" is not set up`)
    const { source, path: hostPath } = found
    if (source.image !== undefined) return mount
    const readOnly = mount.readOnly || isContent(source) || isReadOnly(source)
    const { subPath, ...rest } = mount
    if (subPath === undefined) return { ...rest, hostPath, readOnly }
    return { ...rest, readOnly, hostPath: await this.#mountSubPath(hostPath, { mount: { ...mount, subPath }, container, index }) }
  }

  /** The container's devices that are volumes. Throws `VolumeError`. */
  devicesOf({ volumeDevices = [] }: Container): readonly Device[] {
    return volumeDevices.map(({ name, devicePath }) => {
      const found = this.#ready.get(name)
      if (found === undefined) throw new VolumeError(`volume "${name}" of pod "${this.pod.metadata.name}" is not set up`)
      return { hostPath: found.path, containerPath: devicePath, permissions: isReadOnly(found.source) ? 'r' : 'mrw' }
    })
  }

  /** Brings what the API says up to date. Rejects with what went wrong, after all were tried. */
  async refresh(): Promise<void> {
    await this.#content.refreshPod()
    const faults: unknown[] = []
    for (const one of this.#ready.values()) {
      if (isContent(one.source)) await this.#write(one).catch((error) => faults.push(error))
      else await this.#grow(one.source).catch((error) => faults.push(error))
    }
    if (faults.length > 0) throw faults[0]
  }

  /** By the names of the pod's volumes, as `measure` has found them. */
  get use(): ReadonlyMap<string, VolumeUse> {
    return this.#use
  }

  /** Measures the volumes that are file systems. One that cannot be measured keeps what was known. Never rejects. */
  async measure(): Promise<void> {
    for (const { source, path: at, csi } of this.#ready.values()) {
      if (at === '' || csi?.block) continue
      const use = await quiet(this.#useOf(at, csi), 'it is measured again later')
      if (use !== undefined) this.#use.set(source.name, { atMs: this.#deps.clock.now(), ...use })
    }
  }

  async #useOf(at: string, csi: CsiVolume | undefined): Promise<Omit<VolumeUse, 'atMs'>> {
    const podUid = this.pod.metadata.uid ?? ''
    return (csi && (await this.#deps.csi.stats({ podUid, volume: csi }))) ?? fileSystemUse(at)
  }

  get hasContent(): boolean {
    return [...this.#ready.values()].some(({ source }) => isContent(source))
  }

  async #make(source: VolumeSource): Promise<void> {
    const plan = planVolume(this.pod, this.#deps.memoryBytes, source)
    const at = await this.#pathOf(source, plan)
    if (plan.kind === 'folder') await this.#makeFolder(at, plan)
    const one: Ready = { source, path: at, csi: await this.#csiOf(source, plan), writes: 0 }
    if (isContent(source)) await this.#write(one)
    this.#ready.set(source.name, one)
  }

  async #csiOf(source: VolumeSource, plan: VolumePlan): Promise<CsiVolume | undefined> {
    if (plan.kind === 'csi') return inlineVolume(this.pod, source.name, plan.source)
    return plan.kind === 'claim' ? csiOf(source, (await this.#bound(source))?.volume) : undefined
  }

  async #pathOf(source: VolumeSource, plan: VolumePlan): Promise<string> {
    switch (plan.kind) {
      case 'host':
        // Without a type nothing is checked; what is not there becomes a folder, as runtimes make it.
        return plan.path
      case 'folder':
        return this.#deps.folders.volume(plan.plugin, source.name)
      case 'image':
        return ''
      case 'claim':
        return this.#claimed(source)
      case 'csi':
        return this.#mount(inlineVolume(this.pod, source.name, plan.source))
      case 'flex':
        return this.#deps.flex.mount({ pod: this.pod, volume: plan.volume })
      case 'unknown':
        throw new VolumeError(`no volume plugin matched name: ${source.name}`)
    }
  }

  async #claimed(source: VolumeSource): Promise<string> {
    const bound = await this.#bound(source)
    const fault = bound && modeFault(this.pod, source.name, bound.volume)
    if (fault !== undefined) throw new VolumeError(fault)
    const csi = csiOf(source, bound?.volume)
    if (csi !== undefined) {
      const at = await (csi.block ? this.#map(csi) : this.#mount(csi))
      await this.#grow(source)
      return at
    }
    const flex = flexOf(this.pod, source, bound?.volume)
    if (flex !== undefined) return this.#deps.flex.mount({ pod: this.pod, volume: flex })
    const at = bound?.volume.spec?.hostPath?.path ?? bound?.volume.spec?.local?.path
    if (at === undefined)
      throw new VolumeError(`persistentvolumeclaim "${claimOf(this.pod, source)}" has no volume that this node can mount`)
    return at
  }

  /** The claim behind a volume of the pod, and the persistent volume that it is bound to. */
  async #bound(source: VolumeSource): Promise<{ claim: PersistentVolumeClaim; volume: PersistentVolume } | undefined> {
    const { namespace = '' } = this.pod.metadata
    const name = claimOf(this.pod, source)
    const claim = name === undefined ? undefined : await this.#content.object(PERSISTENT_VOLUME_CLAIMS, namespace, name)
    const volume = claim?.spec?.volumeName ? await this.#content.object(PERSISTENT_VOLUMES, '', claim.spec.volumeName) : undefined
    return claim === undefined || volume === undefined ? undefined : { claim, volume }
  }

  async #grow(source: VolumeSource): Promise<void> {
    const bound = await this.#bound(source)
    const csi = csiOf(source, bound?.volume)
    if (bound !== undefined && csi !== undefined) await this.#deps.grow({ pod: this.pod, ...bound, csi })
  }

  #mount(volume: CsiVolume): Promise<string> {
    return this.#deps.csi.mount({ pod: this.pod, volume, issueToken: this.#deps.issueToken })
  }

  async #map(volume: CsiVolume): Promise<string> {
    const { csi, issueToken, recordMapped } = this.#deps
    const { link, map } = await csi.map({ pod: this.pod, volume, issueToken })
    const done = `MapVolume.MapPodDevice succeeded for volume "${volume.name}"`
    recordMapped(`${done} globalMapPath "${map}"`)
    recordMapped(`${done} volumeMapPath "${path.dirname(link)}"`)
    return link
  }

  async #makeFolder(at: string, { plugin, medium, mode }: Extract<VolumePlan, { kind: 'folder' }>): Promise<void> {
    const { mounts, folders } = this.#deps
    const marker = folders.marker(plugin, path.basename(at))
    // What is in memory is gone after the node's restart.
    if (medium.kind === 'disk' && (await exists(marker))) return
    await mkdir(at, { recursive: true })
    const mounted = (await mounts.below(at)).includes(at)
    if (medium.kind === 'memory' && !mounted) await mounts.tmpfs(at, medium.sizeBytes)
    if (medium.kind === 'huge-pages' && !mounted) await mounts.hugePages(at, medium.pageSize)
    const { gid } = this.#content.owner
    if (gid !== undefined) await chown(at, 0, gid)
    await chmod(at, gid === undefined ? mode : mode | 0o2000)
    await markReady(marker)
  }

  async #write(one: Ready): Promise<void> {
    const payload = await this.#content.payload(one.source)
    if (payload === undefined) return
    const input = { owner: this.#content.owner, nowMs: this.#deps.clock.now(), serial: one.writes + 1 }
    if (await writePayload(one.path, payload, input)) one.writes++
  }

  async #mountSubPath(volume: string, { mount, container, index }: PlacedMount): Promise<string> {
    const { subPath = '' } = mount
    await this.#makeSubPath(volume, subPath, container, mount.volume)
    const handle = await openInside(volume, subPath).catch((error) => {
      throw new VolumeError(`failed to prepare subPath for volumeMount "${mount.volume}" of container "${container}"`, { cause: error })
    })
    try {
      const target = this.#deps.folders.subPath(mount.volume, container, index)
      await this.#clear(target)
      await mkdir(path.dirname(target), { recursive: true, mode: 0o750 })
      if ((await handle.stat()).isDirectory()) await mkdir(target, { recursive: true, mode: 0o750 })
      else await writeFile(target, '', { mode: 0o640 })
      await this.#deps.mounts.bind(nameOfHandle(handle), target)
      return target
    } finally {
      await handle.close()
    }
  }

  async #makeSubPath(volume: string, subPath: string, container: string, name: string): Promise<void> {
    try {
      await makeInside(volume, subPath, (await stat(volume)).mode & 0o7777)
    } catch (error) {
      if (!(error instanceof SubPathError) && !(error instanceof Error && 'code' in error)) throw error
      throw new VolumeError(`failed to create subPath directory for volumeMount "${name}" of container "${container}"`, { cause: error })
    }
  }

  /** What a container before this one had mounted there. */
  async #clear(target: string): Promise<void> {
    for (const at of await this.#deps.mounts.below(target)) await this.#deps.mounts.unmount(at)
    await rm(target, { force: true, recursive: true })
  }
}

/** Takes away everything of a pod's folder: first what is mounted there, so that nothing of a volume is removed with it. */
export async function removePodFolder(folder: string, mounts: Mounts): Promise<void> {
  for (const at of await mounts.below(folder)) await mounts.unmount(at)
  if ((await mounts.below(folder)).length > 0) throw new Error(`${folder} still has mounts`)
  await rm(folder, { recursive: true, force: true })
}

/** A volume is a device or has files; containers have to use it as what it is. Pure. */
function modeFault(pod: Pod, name: string, { spec }: PersistentVolume): string | undefined {
  const block = spec?.volumeMode === 'Block'
  const used = containersOf(pod).some(({ container: { volumeMounts = [], volumeDevices = [] } }) =>
    (block ? volumeMounts : volumeDevices).some((one) => one.name === name),
  )
  if (!used) return undefined
  return block
    ? `volume ${name} has volumeMode Block, but is specified in volumeMounts`
    : `volume ${name} has volumeMode Filesystem, but is specified in volumeDevices`
}

const isReadOnly = ({ persistentVolumeClaim, csi, flexVolume }: VolumeSource) =>
  (persistentVolumeClaim ?? csi ?? flexVolume)?.readOnly === true

const csiOf = ({ persistentVolumeClaim }: VolumeSource, volume: PersistentVolume | undefined): CsiVolume | undefined =>
  volume && persistentVolume(volume, persistentVolumeClaim?.readOnly === true)

const flexOf = ({ metadata }: Pod, { persistentVolumeClaim }: VolumeSource, volume: PersistentVolume | undefined) =>
  volume && persistentFlexVolume(volume, metadata.namespace ?? '', persistentVolumeClaim?.readOnly === true)

async function fileSystemUse(at: string): Promise<Omit<VolumeUse, 'atMs'>> {
  const { capacityBytes, availableBytes, usedBytes, inodes, inodesFree } = await diskSpace(at)
  return { capacityBytes, availableBytes, usedBytes, inodes, inodesFree, inodesUsed: inodes - inodesFree }
}

async function markReady(marker: string): Promise<void> {
  await mkdir(path.dirname(marker), { recursive: true, mode: 0o750 })
  await writeFile(marker, '')
}

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  )
