import type { Clock } from '../../../base/clock.ts'
import { KeyMutex } from '../../../base/key-mutex.ts'
import type { Logger } from '../../../base/logger.ts'
import { messageOf } from '../../../base/message-of.ts'
import { onAbort } from '../../../base/on-abort.ts'
import type { ResourceStatus } from '../../../resources/types/core.ts'
import type { ContainerAdditions } from '../../runtime/container-spec.ts'
import type { NodeStatusSource } from '../../status/node-object.ts'
import type { AdmitHandler, PrepareRequest, Refusal } from '../../types/admit-handler.ts'
import type { Container, Pod } from '../../types/pod.ts'
import {
  type AllocateRequest,
  type AllocatorDeps,
  adoptFromStatus,
  allocateContainer,
  startContainerDevices,
} from './allocate-container.ts'
import { containerAdditions } from './allocation-response.ts'
import { DeviceLedger, idsOf } from './device-ledger.ts'
import type { DeviceMetrics } from './device-metrics.ts'
import { type DeviceCheckpointFile, DeviceRecord } from './device-record.ts'
import { PluginPools } from './plugin-pools.ts'
import type { ResourcePool } from './resource-pool.ts'
import { deviceUsers, wantedDevices } from './wanted-devices.ts'

export interface DeviceManagerDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Records an event about the node. */
  readonly notify: (reason: string, message: string) => void
  readonly metrics: DeviceMetrics
  /** The topology manager decides on NUMA nodes and triggers allocation (`deviceHints`). Default: this manager allocates by itself. */
  readonly led?: boolean
  readonly checkpoint: DeviceCheckpointFile
}

/** How long after its start an agent waits for the plugins of the previous agent before it refuses pods that need them. */
export const START_GRACE_MS = 5_000

/**
 * The device manager of one node: which plugins serve which resources, the devices, and their assignment to containers. Running containers
 * keep their devices across restarts: the checkpoint is written before a container starts.
 */
export class DeviceManager implements AdmitHandler, NodeStatusSource {
  readonly name = 'devices'
  readonly ledger = new DeviceLedger()
  readonly #deps: DeviceManagerDeps
  /** The plugins of the node. */
  readonly plugins: PluginPools
  readonly #record: DeviceRecord
  readonly #mutex = new KeyMutex()
  readonly #podListeners = new Set<(podUid: string) => void>()
  readonly #startedAtMs: number

  constructor(deps: DeviceManagerDeps) {
    this.#deps = deps
    const { clock, log, metrics } = deps
    this.#startedAtMs = clock.now()
    const warn = (reason: string, message: string) => this.#warn(reason, message)
    const turned = (resource: string, ids: readonly string[]) => this.#turned(resource, ids)
    this.plugins = new PluginPools({ clock, log, metrics, warn, grown: () => this.#record.saveSoon(), turned })
    this.#record = new DeviceRecord({ file: deps.checkpoint, ledger: this.ledger, pools: this.pools, log, warn })
    for (const resource of this.#record.restore()) this.plugins.open(resource)
  }

  /** The known resources, by name. */
  get pools(): ReadonlyMap<string, ResourcePool> {
    return this.plugins.all
  }

  /** The health of devices has changed: the statuses of their pods are updated. */
  #turned(resource: string, ids: readonly string[]): void {
    const owners = this.ledger.owners(resource)
    const pods = new Set(ids.flatMap((id) => owners.get(id) ?? []))
    for (const uid of pods) for (const listener of this.#podListeners) listener(uid)
  }

  // ── the node's status ───────────────────────────────────────────────────────────────────────────────────────────

  capacity(): Readonly<Record<string, string>> {
    return this.plugins.capacity()
  }

  allocatable(): Readonly<Record<string, string>> {
    return this.plugins.allocatable()
  }

  watch(notify: () => void, signal: AbortSignal): void {
    this.plugins.watch(notify, signal)
  }

  // ── pods ────────────────────────────────────────────────────────────────────────────────────────────────────────

  prepare({ pod, runs }: PrepareRequest, signal: AbortSignal): Promise<Refusal | undefined> | undefined {
    // A running pod holds its devices already: its plugins are not needed, even if they are gone.
    if (runs) {
      if (adoptFromStatus(pod, this.ledger)) this.#record.saveSoon()
      return undefined
    }
    const resources = this.#resourcesOf(pod)
    if (resources.length === 0) return undefined
    return this.#prepare(pod, resources, signal)
  }

  /**
   * Resolves when all plugins that the pod needs are registered, or when it may be refused for lack of them. undefined: nothing to wait
   * for.
   */
  ready({ pod, runs }: PrepareRequest, signal: AbortSignal): Promise<void> | undefined {
    const resources = this.#resourcesOf(pod)
    if (resources.length === 0) return undefined
    if (!runs) return this.#plugins(pod.metadata.uid ?? '', resources, signal)
    if (adoptFromStatus(pod, this.ledger)) this.#record.saveSoon()
    return undefined
  }

  /** Allocates one container's devices. Rejects with the kubelet's message; the caller then releases the pod's devices. */
  async allocate(request: AllocateRequest, signal: AbortSignal): Promise<void> {
    await allocateContainer(this.#allocator, request, signal)
  }

  async #prepare(pod: Pod, resources: readonly string[], signal: AbortSignal): Promise<Refusal | undefined> {
    const uid = pod.metadata.uid ?? ''
    try {
      await this.#plugins(uid, resources, signal)
      await this.#mutex.run(resources, async () => {
        signal.throwIfAborted()
        const reuse = new Map<string, Set<string>>()
        for (const { container, after } of deviceUsers(pod)) {
          await allocateContainer(this.#allocator, { pod, container, after, reuse, affinity: undefined }, signal)
        }
      })
      return undefined
    } catch (error) {
      if (this.ledger.release(uid)) this.#record.saveSoon()
      signal.throwIfAborted()
      return { reason: 'UnexpectedAdmissionError', message: `Allocate failed due to ${messageOf(error)}, which is unexpected` }
    }
  }

  /**
   * Waits for plugins that may still register: without a limit for devices that the pod holds (it was admitted before), and for a while
   * after the start for all that the previous agent knew.
   */
  async #plugins(uid: string, resources: readonly string[], signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const graceEndsMs = this.#startedAtMs + START_GRACE_MS
    const holds = new Set(this.ledger.ofPod(uid).map((e) => e.resource))
    const waitsFor = () => resources.find((r) => this.#missing(r, uid, { held: holds.has(r), early: clock.now() < graceEndsMs }))
    let reported = false
    for (let resource = waitsFor(); resource !== undefined; resource = waitsFor()) {
      if (!reported) this.#deps.log.info(`a pod waits for the plugin of ${resource}`)
      reported = true
      await this.plugins.change(clock.now() < graceEndsMs ? graceEndsMs : undefined, signal)
    }
  }

  #missing(resource: string, uid: string, { held, early }: { readonly held: boolean; readonly early: boolean }): boolean {
    const pool = this.pools.get(resource)
    if (pool?.ready !== true) return held || (early && pool !== undefined)
    if (!held || !early) return false
    const sick = (id: string) => pool.devices.get(id)?.healthy !== true
    return this.ledger.ofPod(uid).some((e) => e.resource === resource && idsOf(e).some(sick))
  }

  async admit(): Promise<undefined> {
    return undefined
  }

  release(pod: Pod): void {
    if (this.ledger.release(pod.metadata.uid ?? '')) this.#record.saveSoon()
  }

  retain(uids: ReadonlySet<string>): void {
    for (const uid of this.ledger.podUids()) if (!uids.has(uid) && this.ledger.release(uid)) this.#record.saveSoon()
  }

  accountsFor(pod: Pod, resource: string): boolean {
    return this.ledger.ofPod(pod.metadata.uid ?? '').some((e) => e.resource === resource)
  }

  additions(pod: Pod, container: Container): ContainerAdditions | undefined {
    const held = [...this.ledger.ofContainer(pod.metadata.uid ?? '', container.name).values()]
    return containerAdditions(held.flatMap((h) => h.response ?? []))
  }

  async beforeStart(pod: Pod, container: Container, signal: AbortSignal): Promise<void> {
    await startContainerDevices(this.#allocator, { pod, container }, signal)
  }

  resourceHealth(pod: Pod, container: string): readonly ResourceStatus[] {
    const held = this.ledger.ofContainer(pod.metadata.uid ?? '', container)
    return [...held].map(([name, holding]) => {
      const devices = this.pools.get(name)?.devices
      const health = (id: string) => (devices?.get(id)?.healthy === false ? 'Unhealthy' : 'Healthy')
      return { name, resources: idsOf(holding).map((resourceID) => ({ resourceID, health: health(resourceID) })) }
    })
  }

  watchPods(changed: (podUid: string) => void, signal: AbortSignal): void {
    this.#podListeners.add(changed)
    onAbort(signal, () => this.#podListeners.delete(changed))
  }

  /** The resources of the pod that this manager allocates. */
  #resourcesOf(pod: Pod): readonly string[] {
    const wanted = deviceUsers(pod).flatMap(({ container }) => [...wantedDevices(pod, container).keys()])
    return [...new Set(wanted)].filter((r) => this.pools.has(r) || this.ledger.knowsResource(r)).sort()
  }

  get #allocator(): AllocatorDeps {
    const { clock, metrics } = this.#deps
    return {
      ledger: this.ledger,
      pool: (resource) => this.pools.get(resource),
      save: () => this.#record.save(),
      warn: (reason, message) => this.#warn(reason, message),
      allocated: (resource, sinceMs) => metrics.allocated(resource, (clock.monotonic() - sinceMs) / 1000),
      now: () => clock.monotonic(),
    }
  }

  #warn(reason: string, message: string): void {
    this.#deps.log.warn(message)
    this.#deps.notify(reason, message)
  }

  /** Disconnects all plugins; assignments remain in the checkpoint. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#record.close()
    await this.plugins[Symbol.asyncDispose]()
  }
}
