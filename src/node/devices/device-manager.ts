import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { nextTurn } from '../../base/turns.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { parseQuantity } from '../../machinery/quantity.ts'
import { isExtendedResource } from '../../resources/pod/resource-names.ts'
import { DEVICE_PLUGIN_VERSION } from '../../sdk/node-api/device-plugin.ts'
import type { AdmitHandler, PrepareRequest, Refusal } from '../admission/admit-handler.ts'
import type { Container, Pod } from '../pod/pod-types.ts'
import type { ContainerAdditions } from '../runtime/container-spec.ts'
import type { NodeStatusSource } from '../status/node-object.ts'
import {
  type AllocateRequest,
  type AllocatorDeps,
  adoptFromStatus,
  allocateContainer,
  startContainerDevices,
} from './allocate-container.ts'
import { containerAdditions } from './allocation-response.ts'
import { type Checkpoint, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { DeviceLedger, idsOf } from './device-ledger.ts'
import { readDevices } from './device-list.ts'
import type { DeviceMetrics } from './device-metrics.ts'
import { FloodGate } from './flood-gate.ts'
import { Lanes } from './lanes.ts'
import type { PluginConnection } from './plugin-connection.ts'
import { GRACE_MS, type LivePlugin, ResourcePool } from './resource-pool.ts'
import { deviceUsers, wantedDevices } from './wanted-devices.ts'

export interface DeviceManagerDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Says something of the node that people should know: an event. */
  readonly tell: (reason: string, message: string) => void
  readonly metrics: DeviceMetrics
  /** The topology manager decides from where devices come, and when they are given out (`deviceHints`). Default: nobody but this manager does. */
  readonly led?: boolean
  /** Where the checkpoint lies; undefined text: there is none yet. */
  readonly checkpoint: { read(): string | undefined; write(text: string): void }
}

/** How long after its start an agent waits for the plugins that the agent before it knew, before it refuses pods that need them. */
export const START_GRACE_MS = 5_000

/** A plugin is not taken; the message is told to it. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError'
  readonly code = 'refused'
}

/**
 * The device manager of one node: which plugins serve which resources, which devices there are, and who holds them. What runs keeps its devices whatever is
 * restarted: the ledger is written to a checkpoint before a container starts.
 */
export class DeviceManager implements AdmitHandler, NodeStatusSource {
  readonly name = 'devices'
  readonly ledger = new DeviceLedger()
  readonly #deps: DeviceManagerDeps
  readonly #pools = new Map<string, ResourcePool>()
  /** Resources that were served once: the node says that it has none of them any more. */
  readonly #gone = new Set<string>()
  readonly #lanes = new Lanes()
  readonly #listeners = new Set<() => void>()
  readonly #podListeners = new Set<(podUid: string) => void>()
  readonly #watching = new Set<Promise<void>>()
  readonly #startedAtMs: number
  readonly #stop = new AbortController()
  #saving = false

  constructor(deps: DeviceManagerDeps) {
    this.#deps = deps
    this.#startedAtMs = deps.clock.now()
    this.#restore()
    this.#expireLater()
  }

  /** The resources that are known, by name. */
  get pools(): ReadonlyMap<string, ResourcePool> {
    return this.#pools
  }

  // ── plugins ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** What the kubelet checks of a registration. Throws `RegistrationError`. */
  check(resource: string, versions: readonly string[]): void {
    this.#deps.metrics.registered(resource)
    if (!versions.includes(DEVICE_PLUGIN_VERSION)) {
      const told = JSON.stringify(versions[0] ?? '')
      throw new RegistrationError(
        `requested API version ${told} is not supported by kubelet. Supported version is ["${DEVICE_PLUGIN_VERSION}"]`,
      )
    }
    if (!isExtendedResource(resource)) throw new RegistrationError(`the ResourceName ${JSON.stringify(resource)} is invalid`)
  }

  /**
   * Takes a plugin for a resource, and follows it until it goes. Rejects with `RegistrationError` where it does not answer, or where another one that is alive
   * serves the resource.
   */
  async register(resource: string, connection: PluginConnection): Promise<void> {
    try {
      await this.#refuseIntruder(resource, connection)
      const options = await connection.options(this.#stop.signal)
      this.#stop.signal.throwIfAborted()
      const pool = this.#pool(resource)
      const plugin: LivePlugin = { connection, options }
      pool.attach(plugin)
      this.#gone.delete(resource)
      const watching = this.#watch(pool, plugin).finally(() => this.#watching.delete(watching))
      this.#watching.add(watching)
    } catch (error) {
      connection[Symbol.dispose]()
      if (error instanceof RegistrationError) throw error
      throw new RegistrationError(`failed to get device plugin options: ${messageOf(error)}`, { cause: error })
    }
  }

  /** The name of a plugin that is alive is not given to another one. */
  async #refuseIntruder(resource: string, { endpoint }: PluginConnection): Promise<void> {
    const before = this.#pools.get(resource)?.plugin
    if (before === undefined || before.connection.endpoint === endpoint) return
    const alive = await before.connection.options(this.#stop.signal).then(
      () => true,
      () => false,
    )
    if (!alive || this.#pools.get(resource)?.plugin !== before) return
    const message = `${resource} is served by the plugin at ${before.connection.endpoint}, which is alive; the one at ${endpoint} is not taken`
    this.#warn('DevicePluginRefused', message)
    throw new RegistrationError(message)
  }

  async #watch(pool: ResourcePool, plugin: LivePlugin): Promise<void> {
    const { connection } = plugin
    const { clock } = this.#deps
    const gate = new FloodGate(clock)
    let faults = ''
    try {
      for await (const told of connection.devices(this.#stop.signal)) {
        if (pool.plugin !== plugin) return
        const read = readDevices(told)
        const said = read.faults.join('; ')
        if (said !== '' && said !== faults)
          this.#warn('DevicePluginInvalid', `the plugin of ${pool.name} tells of ${said}: they are left out`)
        faults = said
        this.#told(pool, read.devices)
        if (gate.flooded())
          this.#warn('DevicePluginFloods', `the plugin of ${pool.name} tells its devices more often than they can be looked at`)
        await gate.pass(this.#stop.signal)
      }
      this.#deps.log.info(`the plugin of ${pool.name} at ${connection.endpoint} has ended its list of devices`)
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#deps.log.warn(`the plugin of ${pool.name} at ${connection.endpoint} has gone`, { error })
    } finally {
      connection[Symbol.dispose]()
      if (!this.#stop.signal.aborted && pool.detach(plugin, clock.now())) {
        this.#expireLater()
        this.#changed()
      }
    }
  }

  #told(pool: ResourcePool, devices: ResourcePool['devices']): void {
    const before = pool.devices
    const owners = this.ledger.owners(pool.name)
    const touched = new Set<string>()
    for (const [id, owner] of owners) if (before.get(id)?.healthy !== devices.get(id)?.healthy) touched.add(owner)
    pool.tell(devices)
    if (before.size !== devices.size || [...devices.keys()].some((id) => !before.has(id))) this.#saveSoon()
    this.#changed()
    for (const uid of touched) for (const listener of this.#podListeners) listener(uid)
  }

  #pool(resource: string): ResourcePool {
    const known = this.#pools.get(resource)
    if (known !== undefined) return known
    const pool = new ResourcePool(resource, this.#deps.clock.now())
    this.#pools.set(resource, pool)
    return pool
  }

  /** What nobody serves any more is forgotten when its grace is over. */
  #expireLater(): void {
    const { clock } = this.#deps
    const cancel = clock.after(GRACE_MS, () => {
      this.#stop.signal.removeEventListener('abort', cancel)
      for (const [name, pool] of this.#pools) {
        if (!pool.expired(clock.now())) continue
        this.#pools.delete(name)
        this.#gone.add(name)
      }
      this.#saveSoon()
      this.#changed()
    })
    this.#stop.signal.addEventListener('abort', cancel, { once: true })
  }

  // ── the node's status ───────────────────────────────────────────────────────────────────────────────────────────

  capacity(): Readonly<Record<string, string>> {
    return this.#amounts((pool) => pool.capacity)
  }

  allocatable(): Readonly<Record<string, string>> {
    return this.#amounts((pool) => pool.healthy.length)
  }

  #amounts(count: (pool: ResourcePool) => number): Record<string, string> {
    const gone = [...this.#gone].map((name) => [name, '0'])
    return Object.fromEntries([...gone, ...[...this.#pools].map(([name, pool]) => [name, canonical(count(pool))])])
  }

  #amountsText(): string {
    return JSON.stringify([this.capacity(), this.allocatable()])
  }

  watch(tell: () => void, signal: AbortSignal): void {
    let told = this.#amountsText()
    const changed = () => {
      const now = this.#amountsText()
      if (now !== told) tell()
      told = now
    }
    this.#listeners.add(changed)
    signal.addEventListener('abort', () => this.#listeners.delete(changed), { once: true })
  }

  // ── pods ────────────────────────────────────────────────────────────────────────────────────────────────────────

  prepare({ pod, runs }: PrepareRequest, signal: AbortSignal): Promise<Refusal | undefined> | undefined {
    // What runs has its devices: nothing is asked, whoever is away now.
    if (runs) {
      if (adoptFromStatus(pod, this.ledger)) this.#saveSoon()
      return undefined
    }
    const resources = this.#resourcesOf(pod)
    if (resources.length === 0) return undefined
    return this.#prepare(pod, resources, signal)
  }

  /** Resolves when all plugins are there that the pod needs, or may be refused for. undefined: nothing is waited for. */
  ready({ pod, runs }: PrepareRequest, signal: AbortSignal): Promise<void> | undefined {
    const resources = this.#resourcesOf(pod)
    if (resources.length === 0) return undefined
    if (!runs) return this.#plugins(pod.metadata.uid ?? '', resources, signal)
    if (adoptFromStatus(pod, this.ledger)) this.#saveSoon()
    return undefined
  }

  /** Gives one container its devices. Rejects in the kubelet's words; what the pod holds already is the caller's to release. */
  async allocate(request: AllocateRequest, signal: AbortSignal): Promise<void> {
    await allocateContainer(this.#allocator, request, signal)
  }

  async #prepare(pod: Pod, resources: readonly string[], signal: AbortSignal): Promise<Refusal | undefined> {
    const uid = pod.metadata.uid ?? ''
    try {
      await this.#plugins(uid, resources, signal)
      await this.#lanes.run(resources, async () => {
        signal.throwIfAborted()
        const reuse = new Map<string, Set<string>>()
        for (const { container, after } of deviceUsers(pod)) {
          await allocateContainer(this.#allocator, { pod, container, after, reuse, affinity: undefined }, signal)
        }
      })
      return undefined
    } catch (error) {
      if (this.ledger.release(uid)) this.#saveSoon()
      signal.throwIfAborted()
      return { reason: 'UnexpectedAdmissionError', message: `Allocate failed due to ${messageOf(error)}, which is unexpected` }
    }
  }

  /**
   * Waits for plugins that are on their way: as long as it takes for those whose devices the pod holds (it was admitted before), and for a while after the start
   * for all that the agent before knew.
   */
  async #plugins(uid: string, resources: readonly string[], signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const graceEndsMs = this.#startedAtMs + START_GRACE_MS
    const holds = new Set(this.ledger.ofPod(uid).map((e) => e.resource))
    const waitsFor = () => resources.find((r) => this.#missing(r, uid, { held: holds.has(r), early: clock.now() < graceEndsMs }))
    let told = false
    for (let resource = waitsFor(); resource !== undefined; resource = waitsFor()) {
      if (!told) this.#deps.log.info(`a pod waits for the plugin of ${resource}`)
      told = true
      await this.#change(clock.now() < graceEndsMs ? graceEndsMs : undefined, signal)
    }
  }

  #missing(resource: string, uid: string, { held, early }: { readonly held: boolean; readonly early: boolean }): boolean {
    const pool = this.#pools.get(resource)
    if (pool?.ready !== true) return held || (early && pool !== undefined)
    if (!held || !early) return false
    const sick = (id: string) => pool.devices.get(id)?.healthy !== true
    return this.ledger.ofPod(uid).some((e) => e.resource === resource && idsOf(e).some(sick))
  }

  /** Resolves at the next change of any resource, or at that time; rejects when the signal is aborted. */
  #change(untilMs: number | undefined, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        this.#listeners.delete(changed)
        signal.removeEventListener('abort', aborted)
        cancel()
        settle()
      }
      const changed = end(resolve)
      const aborted = end(() => reject(signal.reason))
      const cancel = untilMs === undefined ? () => {} : clock.after(untilMs - clock.now(), changed)
      if (signal.aborted) return aborted()
      this.#listeners.add(changed)
      signal.addEventListener('abort', aborted, { once: true })
    })
  }

  async admit(): Promise<undefined> {
    return undefined
  }

  release(pod: Pod): void {
    if (this.ledger.release(pod.metadata.uid ?? '')) this.#saveSoon()
  }

  retain(uids: ReadonlySet<string>): void {
    for (const uid of this.ledger.podUids()) if (!uids.has(uid) && this.ledger.release(uid)) this.#saveSoon()
  }

  settles(pod: Pod, resource: string): boolean {
    return this.ledger.ofPod(pod.metadata.uid ?? '').some((e) => e.resource === resource)
  }

  additions(pod: Pod, container: Container): ContainerAdditions | undefined {
    const held = [...this.ledger.ofContainer(pod.metadata.uid ?? '', container.name).values()]
    return containerAdditions(held.flatMap((h) => h.response ?? []))
  }

  async beforeStart(pod: Pod, container: Container, signal: AbortSignal): Promise<void> {
    await startContainerDevices(this.#allocator, { pod, container }, signal)
  }

  resourceHealth(pod: Pod, container: string): readonly JsonObject[] {
    const held = this.ledger.ofContainer(pod.metadata.uid ?? '', container)
    return [...held].map(([name, holding]) => {
      const devices = this.#pools.get(name)?.devices
      const health = (id: string) => (devices?.get(id)?.healthy === false ? 'Unhealthy' : 'Healthy')
      return { name, resources: idsOf(holding).map((resourceID) => ({ resourceID, health: health(resourceID) })) }
    })
  }

  watchPods(changed: (podUid: string) => void, signal: AbortSignal): void {
    this.#podListeners.add(changed)
    signal.addEventListener('abort', () => this.#podListeners.delete(changed), { once: true })
  }

  /** What this manager gives out itself, of all that the pod asks for. */
  #resourcesOf(pod: Pod): readonly string[] {
    const wanted = deviceUsers(pod).flatMap(({ container }) => [...wantedDevices(pod, container).keys()])
    return [...new Set(wanted)].filter((r) => this.#pools.has(r) || this.ledger.knowsResource(r)).sort()
  }

  get #allocator(): AllocatorDeps {
    const { clock, metrics } = this.#deps
    return {
      ledger: this.ledger,
      pool: (resource) => this.#pools.get(resource),
      save: () => this.#save(),
      warn: (reason, message) => this.#warn(reason, message),
      allocated: (resource, sinceMs) => metrics.allocated(resource, (clock.monotonic() - sinceMs) / 1000),
      now: () => clock.monotonic(),
    }
  }

  // ── the checkpoint ──────────────────────────────────────────────────────────────────────────────────────────────

  #restore(): void {
    const { checkpoint, clock } = this.#deps
    let read: Checkpoint
    try {
      const text = checkpoint.read()
      if (text === undefined) return
      read = readCheckpoint(text)
    } catch (error) {
      // What runs is known from the pods' own statuses; the rest is given out anew.
      this.#warn('DeviceCheckpointUnreadable', `the checkpoint of the device manager cannot be used: ${messageOf(error)}`)
      return
    }
    for (const entry of read.entries) {
      if (this.ledger.insert(entry)) continue
      this.#warn(
        'DeviceGivenTwice',
        `the checkpoint gives ${idsOf(entry).join(', ')} of ${entry.resource} to two pods; ${entry.podUid} loses them`,
      )
    }
    for (const resource of read.registered.keys()) this.#pools.set(resource, new ResourcePool(resource, clock.now()))
  }

  /** Throws where the file cannot be written. */
  #save(): void {
    const registered = new Map([...this.#pools].map(([name, pool]) => [name, pool.healthyIds]))
    try {
      this.#deps.checkpoint.write(writeCheckpoint({ entries: this.ledger.entries(), registered }))
    } catch (error) {
      throw new Error(`failed to write checkpoint file "kubelet_internal_checkpoint": ${messageOf(error)}`, { cause: error })
    }
  }

  /** For what nobody waits for; several changes of one turn are one write. */
  #saveSoon(): void {
    if (this.#saving) return
    this.#saving = true
    nextTurn(() => {
      this.#saving = false
      if (this.#stop.signal.aborted) return
      try {
        this.#save()
      } catch (error) {
        this.#warn('DeviceCheckpointUnwritable', messageOf(error))
      }
    })
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  #warn(reason: string, message: string): void {
    this.#deps.log.warn(message)
    this.#deps.tell(reason, message)
  }

  /** Lets go of all plugins; what was given out stays in the checkpoint. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#saving) {
      this.#saving = false
      try {
        this.#save()
      } catch (error) {
        this.#deps.log.warn('the last checkpoint could not be written', { error })
      }
    }
    this.#stop.abort(new Error('the agent stops'))
    await Promise.all(this.#watching)
  }
}

/** As the API stores it: `20000` is `20k`. */
const canonical = (count: number) => parseQuantity(String(count)).toString()

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
