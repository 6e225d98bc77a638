import type { Clock } from '../../base/clock.ts'
import { CSI_NODE } from '../../sdk/csi/node-service.ts'
import { capabilityTypes } from '../../sdk/csi/volume.ts'
import { connectUnix, type GrpcConnection } from '../../sdk/grpc/connect-unix.ts'
import type { UnaryMethod } from '../../sdk/grpc/method.ts'
import type { PluginTaker } from '../plugins/plugin-registry.ts'
import { CsiError } from './csi-error.ts'
import type { NodeDrivers } from './node-drivers.ts'

/** The plugin type of CSI drivers in the plugin registry. */
export const CSI_PLUGIN_TYPE = 'CSIPlugin'

/** The time limit of one call, as the kubelet's. */
const CALL_LIMIT_MS = 120_000

/** The node service of a driver. */
export interface CsiDriver {
  readonly name: string
  /** Rejects with `GrpcError`. */
  call<Q, A>(method: UnaryMethod<Q, A>, request: Q): Promise<A>
  /** Numbers of `NODE_CAPABILITY`; asked anew each time, because a driver may be replaced by another release. */
  capabilities(): Promise<ReadonlySet<number>>
}

interface Registered extends CsiDriver, Disposable {
  readonly endpoint: string
}

/** The CSI drivers of a node that have registered, by name. */
export class CsiDrivers implements Disposable {
  readonly #clock: Clock
  readonly #node: NodeDrivers
  readonly #drivers = new Map<string, Registered>()
  readonly #stop = new AbortController()

  constructor(clock: Clock, node: NodeDrivers) {
    this.#clock = clock
    this.#node = node
  }

  /** @throws {CsiError} */
  get(name: string): CsiDriver {
    const driver = this.#drivers.get(name)
    if (driver === undefined) throw new CsiError(`driver name ${name} not found in the list of registered CSI drivers`)
    return driver
  }

  /** Registers what is found in `plugins_registry`. */
  get taker(): PluginTaker {
    return {
      check: ({ name, supportedVersions }) => checkVersions(name, supportedVersions),
      take: ({ name, endpoint }) => this.#register(name, endpoint),
      leave: ({ name, endpoint }) => this.#leave(name, endpoint),
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
    for (const driver of this.#drivers.values()) driver[Symbol.dispose]()
    this.#drivers.clear()
  }

  /** A driver that registers again replaces its earlier registration. */
  async #register(name: string, endpoint: string): Promise<void> {
    const driver = openDriver(name, endpoint, await connectUnix(endpoint, { clock: this.#clock }), this.#stop.signal)
    this.#drivers.get(name)?.[Symbol.dispose]()
    this.#drivers.set(name, driver)
    try {
      await this.#node.publish(name, await driver.call(CSI_NODE.info, {}))
    } catch (error) {
      this.#drop(driver)
      throw error
    }
  }

  #leave(name: string, endpoint: string): void {
    const driver = this.#drivers.get(name)
    if (driver?.endpoint !== endpoint) return
    this.#drop(driver)
    this.#node.withdraw(name)
  }

  #drop(driver: Registered): void {
    if (this.#drivers.get(driver.name) === driver) this.#drivers.delete(driver.name)
    driver[Symbol.dispose]()
  }
}

function openDriver(name: string, endpoint: string, connection: GrpcConnection, signal: AbortSignal): Registered {
  const limits = { signal, timeoutMs: CALL_LIMIT_MS }
  return {
    name,
    endpoint,
    call: (method, request) => connection.call(method, request, limits),
    async capabilities() {
      return capabilityTypes((await connection.call(CSI_NODE.capabilities, {}, limits)).capabilities)
    },
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  }
}

/** Release 1 of the interface is spoken. */
function checkVersions(name: string, versions: readonly string[]): void {
  if (versions.length === 0) throw new CsiError(`driver ${name}: CSI driver registration failed: supported versions are empty`)
  if (!versions.some((version) => /^v?1(\.\d+)*$/.test(version)))
    throw new CsiError(`driver ${name}: none of the versions ${versions.slice(0, 16).join(', ')} is supported; there is 1`)
}
