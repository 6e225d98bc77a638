import type { DevicePluginOptions } from '../../../sdk/node-api/device-plugin.ts'
import type { DeviceList, ListedDevice } from './device-list.ts'
import type { PluginConnection } from './plugin-connection.ts'

/** A plugin that serves a resource now. */
export interface LivePlugin {
  readonly connection: PluginConnection
  readonly options: DevicePluginOptions
}

/** How long the devices of a plugin that went are still counted, as the kubelet does it. */
export const GRACE_MS = 300_000

interface Usable {
  readonly devices: readonly ListedDevice[]
  readonly ids: readonly string[]
}

const NONE: Usable = { devices: [], ids: [] }

/** The devices of one resource, as its plugin told of them last. */
export class ResourcePool {
  readonly name: string
  #plugin: LivePlugin | undefined
  #options: DevicePluginOptions | undefined
  #devices: DeviceList = new Map()
  /** What of the devices can be given out, looked up once. */
  #usableNow: Usable | undefined
  /** Since when nobody serves the resource. */
  #stoppedAtMs: number | undefined
  /** Whether the plugin that serves now has told its devices. */
  #told = false

  /** Known from an agent before this one, or about to be served. */
  constructor(name: string, nowMs: number) {
    this.name = name
    this.#stoppedAtMs = nowMs
  }

  get plugin(): LivePlugin | undefined {
    return this.#plugin
  }

  /** Those of the plugin that serves, or of the last that did. */
  get options(): DevicePluginOptions | undefined {
    return this.#options
  }

  get devices(): DeviceList {
    return this.#devices
  }

  /** Whether a plugin serves that has told what it has. */
  get ready(): boolean {
    return this.#plugin !== undefined && this.#told
  }

  attach(plugin: LivePlugin): void {
    this.#plugin = plugin
    this.#options = plugin.options
    this.#stoppedAtMs = undefined
    this.#told = false
  }

  /** The plugin has gone, if it still is the one that serves. */
  detach(plugin: LivePlugin, nowMs: number): boolean {
    if (this.#plugin !== plugin) return false
    this.#plugin = undefined
    this.#told = false
    this.#stoppedAtMs = nowMs
    return true
  }

  tell(devices: DeviceList): void {
    this.#devices = devices
    this.#usableNow = undefined
    this.#told = true
  }

  /** Whether what the plugin had is counted no more. */
  expired(nowMs: number): boolean {
    return this.#stoppedAtMs !== undefined && nowMs - this.#stoppedAtMs >= GRACE_MS
  }

  get capacity(): number {
    return this.#devices.size
  }

  /** What can be given out: nothing while nobody serves it. */
  get healthy(): readonly ListedDevice[] {
    return this.#plugin === undefined ? NONE.devices : this.#usable().devices
  }

  /** Their ids: the same array as long as they are the same. */
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
