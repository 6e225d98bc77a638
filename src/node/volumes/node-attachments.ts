import type { Clock } from '../../base/clock.ts'
import type { Later } from '../../base/steps.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { claimOf } from '../../resources/pod/mounted-claims.ts'
import { CSI_DRIVERS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import type { Node, Volume } from '../../resources/types/core.ts'
import type { CSIDriver } from '../../resources/types/storage.ts'
import type { Client, TargetOf } from '../../sdk/client/client.ts'
import { type FlexVolume, flexVolumeName, inlineFlexVolume, persistentFlexVolume } from '../../sdk/flex-volume/flex-volume.ts'
import type { NodeStatusSource } from '../status/node-object.ts'
import type { AdmitHandler, HeldBack, PrepareRequest } from '../types/admit-handler.ts'
import type { AgentPart, AgentView } from '../types/agent-part.ts'
import { mountedVolumes, type Pod } from '../types/pod.ts'

/** A volume that a driver has to attach to the node before it can be mounted. */
interface Attachable {
  /** Its name in the pod. */
  readonly name: string
  /** Its unique name in the node's status. */
  readonly unique: string
  /** Its driver is installed, so it will be attached. */
  readonly awaited: boolean
  /** Its driver is not on the node yet, so nothing is attached. */
  readonly missing?: boolean
}

interface AwaitedVolumes {
  readonly volumes: readonly Attachable[]
  /** Since when the pod waits for them. */
  sinceMs: number | undefined
}

/** As the kubelet's: how long a pod waits before that is reported, and the interval of repeats. */
const TELL_MS = 123_000
/** How often a pod looks for a FlexVolume driver that is not there. */
const MISSING_MS = 1000
/** How long the lookup of a driver is cached. */
const DRIVER_MS = 30_000

export interface AttachmentsDeps {
  /** Authenticates as `system:node:<name>`. */
  readonly client: Client
  readonly clock: Clock
  /** What is mounted on a real node. Default: the node is simulated, and mounts whatever is bound. */
  readonly mounted?: MountedVolumes
  /**
   * As what a FlexVolume has to be attached (`none`: it need not be; undefined: its driver is not there). Default: the node is simulated,
   * and needs no such driver.
   */
  readonly flexAttachedAs?: (volume: FlexVolume) => Promise<string | undefined>
}

/** The volumes that a node has mounted, as its status names them. */
export interface MountedVolumes {
  inUse(): readonly string[]
  watchInUse(changed: () => void): void
}

/**
 * The attached volumes of a node: its status lists those that its pods use, so that they are not detached, and a pod starts when its
 * volumes are attached. Volumes of a driver that is not installed are not awaited on a simulated node: it mounts any bound volume.
 */
export class NodeAttachments implements AdmitHandler, AgentPart, NodeStatusSource {
  readonly name = 'attachments'
  readonly #deps: AttachmentsDeps
  readonly #held = new Map<string, AwaitedVolumes>()
  readonly #drivers = new Map<string, { readonly driver: CSIDriver | undefined; readonly untilMs: number }>()
  #agent: AgentView | undefined
  #attached = ''
  #notify: () => void = () => {}
  #look: (podUid: string) => void = () => {}

  constructor(deps: AttachmentsDeps) {
    this.#deps = deps
  }

  capacity(): Readonly<Record<string, string>> {
    return {}
  }

  volumesInUse(): readonly string[] {
    const held = [...this.#held.values()].flatMap((h) => h.volumes.filter((v) => !v.missing).map((v) => v.unique))
    return [...new Set([...held, ...(this.#deps.mounted?.inUse() ?? [])])].sort()
  }

  watch(notify: () => void): void {
    this.#notify = notify
    this.#deps.mounted?.watchInUse(notify)
  }

  watchPods(changed: (podUid: string) => void): void {
    this.#look = changed
  }

  prepare({ pod, runs }: PrepareRequest): Later<undefined> {
    return runs && attachableSources(pod).length > 0 ? this.#hold(pod).then(() => undefined) : undefined
  }

  admit(): undefined {}

  release({ metadata: { uid = '' } }: Pod): void {
    const held = this.#held.get(uid)
    this.#held.delete(uid)
    if (held !== undefined && held.volumes.length > 0) this.#notify()
  }

  async beforeSandbox(pod: Pod): Promise<HeldBack | undefined> {
    if (attachableSources(pod).length === 0) return undefined
    const held = await this.#hold(pod)
    const attached = new Set(attachedTo(this.#agent?.node()))
    const missing = held.volumes.filter((v) => v.awaited && !attached.has(v.unique)).map((v) => v.name)
    if (missing.length === 0) return undefined
    const nowMs = this.#deps.clock.now()
    held.sinceMs ??= nowMs
    const leftMs = held.sinceMs + TELL_MS - nowMs
    const list = `[${missing.toSorted().join(' ')}]`
    const message = `Unable to attach or mount volumes: unmounted volumes=${list}, unattached volumes=${list}, failed to process volumes=[]: context deadline exceeded`
    if (leftMs <= 0) held.sinceMs = nowMs
    const waitMs = leftMs > 0 ? leftMs : TELL_MS
    const retryMs = held.volumes.some((v) => v.missing) ? Math.min(waitMs, MISSING_MS) : waitMs
    return { reason: 'FailedMount', message, quiet: leftMs > 0, retryMs }
  }

  /** Its Node lists the attached volumes. */
  nodeChanged(node: Node): void {
    const attached = attachedTo(node).join()
    if (attached === this.#attached) return
    this.#attached = attached
    for (const [uid, { sinceMs }] of this.#held) if (sinceMs !== undefined) this.#look(uid)
  }

  run(agent: AgentView): Promise<void> {
    this.#agent = agent
    return Promise.resolve()
  }

  async #hold(pod: Pod): Promise<AwaitedVolumes> {
    const { uid = '' } = pod.metadata
    const found = await Promise.all(attachableSources(pod).map((source) => this.#attachable(pod, source)))
    const volumes = found.filter((v) => v !== undefined)
    const held: AwaitedVolumes = { volumes, sinceMs: this.#held.get(uid)?.sinceMs }
    this.#held.set(uid, held)
    if (volumes.length > 0) this.#notify()
    return held
  }

  async #attachable(pod: Pod, source: Volume): Promise<Attachable | undefined> {
    const { namespace = '' } = pod.metadata
    const { name } = source
    const inline = inlineFlexVolume(source, namespace)
    if (inline !== undefined) return this.#flexAttachable(name, inline)
    const bound = await this.#get({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name: claimOf(pod, source) ?? '' })
    const volume = bound?.spec?.volumeName ? await this.#get({ ...PERSISTENT_VOLUMES, name: bound.spec.volumeName }) : undefined
    const flex = volume && persistentFlexVolume(volume, namespace, source.persistentVolumeClaim?.readOnly === true)
    if (flex !== undefined) return this.#flexAttachable(name, flex)
    const csi = volume?.spec?.csi
    if (csi === undefined) return undefined
    const { driver, volumeHandle } = csi
    const known = await this.#driver(driver)
    if (known?.spec?.attachRequired === false) return undefined
    return { name, unique: `kubernetes.io/csi/${driver}^${volumeHandle}`, awaited: known !== undefined || this.#deps.mounted !== undefined }
  }

  async #flexAttachable(name: string, volume: FlexVolume): Promise<Attachable | undefined> {
    const { flexAttachedAs } = this.#deps
    const unique = flexAttachedAs === undefined ? 'none' : await flexAttachedAs(volume)
    if (unique === 'none') return undefined
    return { name, unique: unique ?? flexVolumeName(volume), awaited: true, missing: unique === undefined }
  }

  async #driver(name: string): Promise<CSIDriver | undefined> {
    const nowMs = this.#deps.clock.now()
    const known = this.#drivers.get(name)
    if (known !== undefined && known.untilMs > nowMs) return known.driver
    const driver = await this.#get({ ...CSI_DRIVERS, name })
    if (driver !== undefined) this.#drivers.set(name, { driver, untilMs: nowMs + DRIVER_MS })
    return driver
  }

  #get<T extends KubeObject>(target: TargetOf<T>): Promise<T | undefined> {
    return this.#deps.client.get(target).catch(ignoring('NotFound'))
  }
}

const attachedTo = (node: Node | undefined): readonly string[] => (node?.status?.volumesAttached ?? []).map((v) => v.name)

/** The volumes that the pod's containers use and that may have to be attached. */
function attachableSources(pod: Pod): readonly Volume[] {
  const sources = (pod.spec.volumes ?? []).filter((one) => claimOf(pod, one) !== undefined || one.flexVolume !== undefined)
  if (sources.length === 0) return []
  const mounted = mountedVolumes(pod)
  return sources.filter(({ name }) => mounted.has(name))
}
