import type { Cancel, Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { messageOf } from '../../../base/message-of.ts'
import { onAbort } from '../../../base/on-abort.ts'
import { Signal } from '../../../base/signal.ts'
import { parseQuantity } from '../../../machinery/quantity.ts'
import { isExtendedResource } from '../../../resources/pod/resource-names.ts'
import { DEVICE_PLUGIN_VERSION } from '../../../sdk/node-api/device-plugin.ts'
import { FloodGate } from '../../plugins/flood-gate.ts'
import { readDevices } from './device-list.ts'
import type { DeviceMetrics } from './device-metrics.ts'
import type { PluginConnection } from './plugin-connection.ts'
import { GRACE_MS, type LivePlugin, ResourcePool } from './resource-pool.ts'

export interface PluginPoolsDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: DeviceMetrics
  readonly warn: (reason: string, message: string) => void
  /** Devices or resources were added or removed: the checkpoint is out of date. */
  readonly grown: () => void
  /** The health of these devices of a resource changed. */
  readonly turned: (resource: string, ids: readonly string[]) => void
}

/** Resources that plugins of one node may name. Each stays in the Node, as with the kubelet; a Node may have 1.5 MiB. */
export const MOST_RESOURCES = 1024

/** A plugin is refused; it gets the message. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError'
  readonly code = 'refused'
}

/** The plugins of one node, and the devices that they report. */
export class PluginPools {
  readonly #deps: PluginPoolsDeps
  readonly #pools = new Map<string, ResourcePool>()
  /** Resources that were served once: the Node reports 0 of them. */
  readonly #gone = new Set<string>()
  readonly #listeners = new Set<() => void>()
  readonly #watching = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  /** The rate limit of each resource: a plugin that registers again and again does not begin anew. */
  readonly #gates = new Map<string, FloodGate>()
  #expiry: Cancel | undefined

  constructor(deps: PluginPoolsDeps) {
    this.#deps = deps
    this.#expireLater()
    onAbort(this.#stop.signal, () => this.#expiry?.())
  }

  /** The known resources, by name. */
  get all(): ReadonlyMap<string, ResourcePool> {
    return this.#pools
  }

  /** The pool of a resource; created if necessary. */
  open(resource: string): ResourcePool {
    const known = this.#pools.get(resource)
    if (known !== undefined) return known
    const pool = new ResourcePool(resource, this.#deps.clock.now())
    this.#pools.set(resource, pool)
    return pool
  }

  /** The kubelet's checks of a registration. Throws `RegistrationError`. */
  check(resource: string, versions: readonly string[]): void {
    this.#deps.metrics.registered(resource)
    if (!versions.includes(DEVICE_PLUGIN_VERSION)) {
      const reported = JSON.stringify(versions[0] ?? '')
      throw new RegistrationError(
        `requested API version ${reported} is not supported by kubelet. Supported version is ["${DEVICE_PLUGIN_VERSION}"]`,
      )
    }
    if (!isExtendedResource(resource)) throw new RegistrationError(`the ResourceName ${JSON.stringify(resource)} is invalid`)
    const isNew = !this.#pools.has(resource) && !this.#gone.has(resource)
    if (isNew && this.#pools.size + this.#gone.size >= MOST_RESOURCES)
      throw new RegistrationError(`the node has ${MOST_RESOURCES} resources of plugins already: ${resource} is not taken`)
  }

  /**
   * Registers a plugin for a resource, and follows it until it goes. Rejects with `RegistrationError` if it does not respond, or if another
   * live plugin serves the resource.
   */
  async register(resource: string, connection: PluginConnection): Promise<void> {
    try {
      await this.#refuseIntruder(resource, connection)
      const options = await connection.options(this.#stop.signal)
      this.#stop.signal.throwIfAborted()
      const pool = this.open(resource)
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

  /** Refuses a registration for a resource that a live plugin serves. */
  async #refuseIntruder(resource: string, { endpoint }: PluginConnection): Promise<void> {
    const before = this.#pools.get(resource)?.plugin
    if (before === undefined || before.connection.endpoint === endpoint) return
    const alive = await before.connection.options(this.#stop.signal).then(
      () => true,
      () => false,
    )
    if (!alive || this.#pools.get(resource)?.plugin !== before) return
    const message = `${resource} is served by the plugin at ${before.connection.endpoint}, which is alive; the one at ${endpoint} is not taken`
    this.#deps.warn('DevicePluginRefused', message)
    throw new RegistrationError(message)
  }

  async #watch(pool: ResourcePool, plugin: LivePlugin): Promise<void> {
    const { connection } = plugin
    const { clock, log, warn } = this.#deps
    const gate = this.#gateOf(pool.name)
    let faults = ''
    try {
      for await (const reported of connection.devices(this.#stop.signal)) {
        if (gate.flooded()) warn('DevicePluginFloods', `the plugin of ${pool.name} tells its devices more often than they can be looked at`)
        await gate.pass(this.#stop.signal)
        if (pool.plugin !== plugin) return
        const read = readDevices(reported)
        const said = read.faults.join('; ')
        if (said !== '' && said !== faults) warn('DevicePluginInvalid', `the plugin of ${pool.name} tells of ${said}: they are left out`)
        faults = said
        this.#reported(pool, read.devices)
      }
      log.info(`the plugin of ${pool.name} at ${connection.endpoint} has ended its list of devices`)
    } catch (error) {
      if (!this.#stop.signal.aborted) log.warn(`the plugin of ${pool.name} at ${connection.endpoint} has gone`, { error })
    } finally {
      connection[Symbol.dispose]()
      if (!this.#stop.signal.aborted && pool.detach(plugin, clock.now())) {
        this.#expireLater()
        this.#changed()
      }
    }
  }

  #gateOf(resource: string): FloodGate {
    const gate = this.#gates.get(resource) ?? new FloodGate(this.#deps.clock)
    this.#gates.set(resource, gate)
    return gate
  }

  #reported(pool: ResourcePool, devices: ResourcePool['devices']): void {
    const before = pool.devices
    const ids = new Set([...before.keys(), ...devices.keys()])
    const turned = [...ids].filter((id) => before.get(id)?.healthy !== devices.get(id)?.healthy)
    pool.notify(devices)
    if (before.size !== ids.size || devices.size !== ids.size) this.#deps.grown()
    this.#changed()
    if (turned.length > 0) this.#deps.turned(pool.name, turned)
  }

  /** One timer for all resources without a plugin: a plugin may come and go a thousand times a second. */
  #expireLater(afterMs: number = GRACE_MS): void {
    this.#expiry ??= this.#deps.clock.after(afterMs, () => this.#expire())
  }

  /** Removes resources whose grace period without a plugin is over. */
  #expire(): void {
    this.#expiry = undefined
    const nowMs = this.#deps.clock.now()
    let nextMs: number | undefined
    for (const [name, pool] of this.#pools) {
      const leftMs = pool.graceLeftMs(nowMs)
      if (leftMs === undefined) continue
      if (leftMs > 0) {
        nextMs = Math.min(nextMs ?? leftMs, leftMs)
        continue
      }
      this.#pools.delete(name)
      this.#gates.delete(name)
      this.#gone.add(name)
    }
    if (nextMs !== undefined) this.#expireLater(nextMs)
    this.#deps.grown()
    this.#changed()
  }

  // ── queries ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The number of devices by resource, as quantities. */
  capacity(): Readonly<Record<string, string>> {
    return this.#amounts((pool) => pool.capacity)
  }

  /** The number of healthy devices by resource. */
  allocatable(): Readonly<Record<string, string>> {
    return this.#amounts((pool) => pool.healthy.length)
  }

  #amounts(count: (pool: ResourcePool) => number): Record<string, string> {
    const gone = [...this.#gone].map((name) => [name, '0'])
    return Object.fromEntries([...gone, ...[...this.#pools].map(([name, pool]) => [name, canonical(count(pool))])])
  }

  /** Calls back when the amounts have changed. */
  watch(notify: () => void, signal: AbortSignal): void {
    const text = () => JSON.stringify([this.capacity(), this.allocatable()])
    let reported = text()
    const changed = () => {
      const now = text()
      if (now !== reported) notify()
      reported = now
    }
    this.#listeners.add(changed)
    onAbort(signal, () => this.#listeners.delete(changed))
  }

  /** Resolves at the next change of any resource, or at that time; rejects when the signal is aborted. */
  async change(untilMs: number | undefined, signal: AbortSignal): Promise<void> {
    const changed = new Signal()
    const listener = () => changed.raise()
    this.#listeners.add(listener)
    await changed.wait({ clock: this.#deps.clock, untilMs, signal })
    this.#listeners.delete(listener)
    signal.throwIfAborted()
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  /** Disconnects all plugins. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the agent stops'))
    await Promise.all(this.#watching)
  }
}

/** The canonical quantity: `20000` is `20k`. */
const canonical = (count: number) => parseQuantity(String(count)).toString()
