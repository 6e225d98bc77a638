import type { Cancel, Clock } from '../../../../base/clock.ts'
import type { Logger } from '../../../../base/logger.ts'
import { DRA_PLUGIN, type DraService } from '../../../../sdk/node-api/dra-plugin.ts'
import { ClaimError } from '../claim.ts'
import type { DriverConnection } from './driver-connection.ts'

/** How long a driver may be unreachable before its ResourceSlices are deleted, as the kubelet's. */
export const WIPE_DELAY_MS = 30_000

export interface DriverRegistryDeps {
  readonly clock: Clock
  readonly log: Logger
  /** A driver has been unreachable for too long. */
  readonly wipe: (driver: string) => void
  /** A driver can be reached again. */
  readonly usable: (driver: string) => void
  /** Follows the health reports of one plugin until the signal is aborted. Never rejects. */
  readonly follow: (driver: string, connection: DriverConnection, signal: AbortSignal) => Promise<void>
}

/** A plugin is refused; it gets the message. */
export class DriverRefused extends Error {
  override readonly name = 'DriverRefused'
  readonly code = 'refused'
}

interface Plugin {
  readonly connection: DriverConnection
  readonly stop: AbortController
  readonly following: Promise<void>
  connected: boolean
}

const SUPPORTED = Object.keys(DRA_PLUGIN) as readonly DraService[]
/** Limits of what a plugin may put into an error message. */
const MOST_TOLD = { versions: 16, characters: 100 } as const
const quoted = (list: readonly string[]) =>
  `[${list
    .slice(0, MOST_TOLD.versions)
    .map((s) => JSON.stringify(s.slice(0, MOST_TOLD.characters)))
    .join(' ')}]`
/** The longest path of a unix socket on Linux. */
const LONGEST_PATH = 107
/** The syntax of CSI driver names, which the API requires. */
const DRIVER_NAME = /^[a-z0-9](?:[-a-z0-9.]{0,61}[a-z0-9])?$/i

/** The first of a plugin's services that this node supports. Throws `DriverRefused`. Pure. */
export function serviceOf({
  name,
  endpoint,
  supportedVersions,
}: {
  name: string
  endpoint: string
  supportedVersions: readonly string[]
}): DraService {
  if (!DRIVER_NAME.test(name)) throw new DriverRefused(`${JSON.stringify(name.slice(0, MOST_TOLD.characters))} is no name of a driver`)
  if (Buffer.byteLength(endpoint) > LONGEST_PATH)
    throw new DriverRefused(`the endpoint of ${name} is longer than the path of a socket can be`)
  const fault = (why: string) =>
    new DriverRefused(`invalid supported gRPC versions of DRA driver plugin ${name} at endpoint ${endpoint}: ${why}`)
  if (supportedVersions.length === 0) throw fault('empty list of supported gRPC services (aka supported versions)')
  const chosen = supportedVersions.flatMap((v) => SUPPORTED.find((s) => s === v) ?? [])[0]
  if (chosen !== undefined) return chosen
  throw fault(`none of services supported by the plugin (${quoted(supportedVersions)}) are supported by the kubelet (${quoted(SUPPORTED)})`)
}

/**
 * Which plugin serves which driver. A driver may have several while it is updated: the newest connected one is used. The ResourceSlices of
 * an unreachable driver are deleted after a delay.
 */
export class DriverRegistry implements AsyncDisposable {
  readonly #deps: DriverRegistryDeps
  /** By driver, in order of registration. */
  readonly #plugins = new Map<string, readonly Plugin[]>()
  readonly #wipes = new Map<string, Cancel>()
  readonly #leaving = new Set<Promise<void>>()
  #closed = false

  constructor(deps: DriverRegistryDeps) {
    this.#deps = deps
  }

  /** Adds a plugin, and follows it. Throws `DriverRefused` if another driver uses the same endpoint. */
  add(driver: string, connection: DriverConnection): void {
    const others = this.#plugins.get(driver) ?? []
    if (this.#closed || others.some((p) => p.connection.endpoint === connection.endpoint)) {
      connection[Symbol.dispose]()
      throw new DriverRefused(`endpoint ${connection.endpoint} already registered for DRA driver plugin ${driver}`)
    }
    const stop = new AbortController()
    const plugin: Plugin = { connection, stop, connected: false, following: this.#deps.follow(driver, connection, stop.signal) }
    this.#plugins.set(driver, [...others, plugin])
    this.#sync(driver)
    connection.watch((connected) => {
      this.#deps.log.info(`the plugin of ${driver} at ${connection.endpoint} is ${connected ? 'connected' : 'not connected'}`)
      plugin.connected = connected
      this.#sync(driver)
    }, stop.signal)
  }

  /** The plugin's socket is gone. */
  remove(driver: string, endpoint: string): void {
    const plugins = this.#plugins.get(driver) ?? []
    const gone = plugins.find((p) => p.connection.endpoint === endpoint)
    if (gone === undefined) return
    const left = plugins.filter((p) => p !== gone)
    if (left.length === 0) this.#plugins.delete(driver)
    else this.#plugins.set(driver, left)
    this.#sync(driver)
    const leaving = leave(gone).finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
  }

  /** Throws `ClaimError` where no plugin serves the driver. */
  get(driver: string): DriverConnection {
    const plugins = this.#plugins.get(driver) ?? []
    const plugin = plugins.findLast((p) => p.connected) ?? plugins.at(-1)
    if (plugin === undefined) throw new ClaimError(`DRA driver ${driver} is not registered`)
    return plugin.connection
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const cancel of this.#wipes.values()) cancel()
    const all = [...this.#plugins.values()].flat()
    this.#plugins.clear()
    await Promise.all([...all.map(leave), ...this.#leaving])
  }

  #sync(driver: string): void {
    if (this.#closed) return
    const { clock, wipe, usable } = this.#deps
    if (this.#plugins.get(driver)?.some((p) => p.connected)) {
      this.#wipes.get(driver)?.()
      this.#wipes.delete(driver)
      usable(driver)
    } else if (!this.#wipes.has(driver)) {
      const cancel = clock.after(WIPE_DELAY_MS, () => {
        this.#wipes.delete(driver)
        wipe(driver)
      })
      this.#wipes.set(driver, cancel)
    }
  }
}

async function leave({ stop, connection, following }: Plugin): Promise<void> {
  stop.abort()
  connection[Symbol.dispose]()
  await following
}
