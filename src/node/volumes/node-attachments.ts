import type { Clock } from '../../base/clock.ts'
import type { Later } from '../../base/steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { claimOf } from '../../resources/pod/mounted-claims.ts'
import { CSI_DRIVERS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import type { Node } from '../../resources/types/core.ts'
import type { CSIDriver } from '../../resources/types/storage.ts'
import type { Client, TargetOf } from '../../sdk/client/client.ts'
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
}

interface AwaitedVolumes {
  readonly volumes: readonly Attachable[]
  /** Since when the pod waits for them. */
  sinceMs: number | undefined
}

/** As the kubelet's: how long a pod waits before that is reported, and the interval of repeats. */
const TELL_MS = 123_000
/** How long the lookup of a driver is cached. */
const DRIVER_MS = 30_000

export interface AttachmentsDeps {
  /** Authenticates as `system:node:<name>`. */
  readonly client: Client
  readonly clock: Clock
  /** What is mounted on a real node. Default: the node is simulated, and mounts whatever is bound. */
  readonly mounted?: MountedVolumes
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
    const held = [...this.#held.values()].flatMap((h) => h.volumes.map((v) => v.unique))
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
    return runs && claimsOf(pod).length > 0 ? this.#hold(pod).then(() => undefined) : undefined
  }

  admit(): undefined {}

  release({ metadata: { uid = '' } }: Pod): void {
    const held = this.#held.get(uid)
    this.#held.delete(uid)
    if (held !== undefined && held.volumes.length > 0) this.#notify()
  }

  async beforeSandbox(pod: Pod): Promise<HeldBack | undefined> {
    if (claimsOf(pod).length === 0) return undefined
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
    return { reason: 'FailedMount', message, quiet: leftMs > 0, retryMs: leftMs > 0 ? leftMs : TELL_MS }
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
    const volumes = (await Promise.all(claimsOf(pod).map((c) => this.#attachable(pod, c)))).filter((v) => v !== undefined)
    const held: AwaitedVolumes = { volumes, sinceMs: this.#held.get(uid)?.sinceMs }
    this.#held.set(uid, held)
    if (volumes.length > 0) this.#notify()
    return held
  }

  async #attachable(pod: Pod, { name, claim }: { name: string; claim: string }): Promise<Attachable | undefined> {
    const bound = await this.#get({ ...PERSISTENT_VOLUME_CLAIMS, namespace: pod.metadata.namespace ?? '', name: claim })
    const volume = bound?.spec?.volumeName ? await this.#get({ ...PERSISTENT_VOLUMES, name: bound.spec.volumeName }) : undefined
    const csi = volume?.spec?.csi
    if (csi === undefined) return undefined
    const { driver, volumeHandle } = csi
    const known = await this.#driver(driver)
    if (known?.spec?.attachRequired === false) return undefined
    return { name, unique: `kubernetes.io/csi/${driver}^${volumeHandle}`, awaited: known !== undefined || this.#deps.mounted !== undefined }
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
    return this.#deps.client.get(target).catch((error) => {
      if (isStatus(error, 'NotFound')) return undefined
      throw error
    })
  }
}

const attachedTo = (node: Node | undefined): readonly string[] => (node?.status?.volumesAttached ?? []).map((v) => v.name)

/** The claims that the pod's containers use. */
function claimsOf(pod: Pod): readonly { readonly name: string; readonly claim: string }[] {
  const claims = (pod.spec.volumes ?? []).flatMap((volume) => {
    const claim = claimOf(pod, volume)
    return claim === undefined ? [] : [{ name: volume.name, claim }]
  })
  if (claims.length === 0) return []
  const mounted = mountedVolumes(pod)
  return claims.filter(({ name }) => mounted.has(name))
}
