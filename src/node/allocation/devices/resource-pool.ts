import type { DevicePluginOptions } from '../../../sdk/node-api/device-plugin.ts'
import type { DeviceList, ListedDevice } from './device-list.ts'
import type { PluginConnection } from './plugin-connection.ts'

/** A connected plugin of a resource. */
export interface LivePlugin {
  readonly connection: PluginConnection
  readonly options: DevicePluginOptions
}

/** How long the devices of a disconnected plugin are still counted, as in the kubelet. */
export const GRACE_MS = 300_000

interface Usable {
  readonly devices: readonly ListedDevice[]
  readonly ids: readonly string[]
}

const NONE: Usable = { devices: [], ids: [] }

/** The devices of one resource, as last reported by its plugin. */
export class ResourcePool {
  readonly name: string
  #plugin: LivePlugin | undefined
  #options: DevicePluginOptions | undefined
  #devices: DeviceList = new Map()
  /** The devices that can be allocated; cached. */
  #usableNow: Usable | undefined
  /** Since when the resource has no plugin. */
  #stoppedAtMs: number | undefined
  /** Whether the current plugin has reported its devices. */
  #reported = false

  /** Known from the previous agent's checkpoint, or about to be served. */
  constructor(name: string, nowMs: number) {
    this.name = name
    this.#stoppedAtMs = nowMs
  }

  get plugin(): LivePlugin | undefined {
    return this.#plugin
  }

  /** The options of the current or last plugin. */
  get options(): DevicePluginOptions | undefined {
    return this.#options
  }

  get devices(): DeviceList {
    return this.#devices
  }

  /** Whether a plugin is connected and has reported its devices. */
  get ready(): boolean {
    return this.#plugin !== undefined && this.#reported
  }

  attach(plugin: LivePlugin): void {
    this.#plugin = plugin
    this.#options = plugin.options
    this.#stoppedAtMs = undefined
    this.#reported = false
  }

  /** Disconnects the plugin, if it is still the current one. */
  detach(plugin: LivePlugin, nowMs: number): boolean {
    if (this.#plugin !== plugin) return false
    this.#plugin = undefined
    this.#reported = false
    this.#stoppedAtMs = nowMs
    return true
  }

  notify(devices: DeviceList): void {
    this.#devices = devices
    this.#usableNow = undefined
    this.#reported = true
  }

  /** How long the resource is kept without a plugin; undefined: it has one. */
  graceLeftMs(nowMs: number): number | undefined {
    return this.#stoppedAtMs === undefined ? undefined : this.#stoppedAtMs + GRACE_MS - nowMs
  }

  get capacity(): number {
    return this.#devices.size
  }

  /** The devices that can be allocated: none without a plugin. */
  get healthy(): readonly ListedDevice[] {
    return this.#plugin === undefined ? NONE.devices : this.#usable().devices
  }

  /** Their ids; the same array until they change. */
  get healthyIds(): readonly string[] {
    return this.#plugin === undefined ? NONE.ids : this.#usable().ids
  }

  #usable(): Usable {
    if (this.#usableNow === undefined) {
      const devices = [...this.#devices.values()].filter((d) => d.healthy)
      this.#usableNow = { devices, ids: devices.map((d) => d.id) }
    }
    return this.#usableNow
  }
}
