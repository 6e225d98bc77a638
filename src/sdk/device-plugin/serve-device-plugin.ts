import { watch } from 'node:fs'
import path from 'node:path'
import { type Clock, keepAlive, systemClock } from '../../base/clock.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { pause, repeat } from '../../base/pause.ts'
import { quietErrors } from '../../base/quiet.ts'
import { Signal } from '../../base/signal.ts'
import { connectUnix } from '../grpc/connect-unix.ts'
import { answer, serveUnix, tell } from '../grpc/serve-unix.ts'
import { socketStamp } from '../grpc/socket-stamp.ts'
import {
  type ContainerAllocateResponse,
  DEVICE_PLUGIN,
  DEVICE_PLUGIN_VERSION,
  type PluginDevice,
  REGISTRATION,
  REGISTRATION_SOCKET,
} from '../node-api/device-plugin.ts'
import type { DeviceGrant, DevicePlugin, OfferedDevice } from './device-plugin.ts'

/** Paths, client and clock of a plugin. */
export interface ServeDevicePluginOptions {
  /** The folder with the node's `kubelet.sock`. Default: `/var/lib/kubelet/device-plugins`. */
  readonly folder?: string
  /** The name of the plugin's socket in that folder. Default: made from the resource's name. */
  readonly endpoint?: string
  /** How often devices are looked for, in milliseconds. Default: 5,000. */
  readonly everyMs?: number
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Default: no log. */
  readonly log?: Logger
}

/** A plugin that is served; disposing of it takes its socket away. */
export interface ServedDevicePlugin extends AsyncDisposable {
  /** Resolves when the node has taken the plugin for the first time. */
  readonly registered: Promise<void>
  /** Discovers devices now; resolves when they are being reported to the node. */
  refresh(): Promise<void>
}

const KUBELET_FOLDER = '/var/lib/kubelet/device-plugins'
const EVERY_MS = 5_000
/** Interval of the check whether the node's socket is still the one that the plugin registered with. */
const LOOK_MS = 1_000
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000
const REGISTER_LIMIT_MS = 10_000

/**
 * Serves a device plugin to a node: a kubelet, or one of Bowsprit's. It registers, reports its devices when they change, and registers
 * again whenever the node was restarted. If the node is not up yet, it waits.
 *
 * ```ts
 * await using plugin = await serveDevicePlugin({
 *   resource: 'example.com/dongle',
 *   discover: () => [{ id: 'dongle-0' }, { id: 'dongle-1', healthy: false }],
 *   allocate: (ids) => ({ env: { DONGLES: ids.join(',') } }),
 * })
 * await plugin.registered
 * ```
 */
export async function serveDevicePlugin(plugin: DevicePlugin, options: ServeDevicePluginOptions = {}): Promise<ServedDevicePlugin> {
  const { folder = KUBELET_FOLDER, everyMs = EVERY_MS, clock = systemClock, log = silentLogger } = options
  const endpoint = options.endpoint ?? `${plugin.resource.replaceAll(/[^a-zA-Z0-9.-]/g, '-')}.sock`
  const stop = new AbortController()
  const rest = keepAlive()
  const offer = new Offer()
  const refresh = async () => {
    try {
      offer.tell(await plugin.discover(stop.signal))
    } catch (error) {
      log.warn(`devices of ${plugin.resource} cannot be looked for`, { error })
      offer.fail()
    }
  }
  await refresh()
  let notify = () => {}
  const registered = new Promise<void>((resolve) => {
    notify = resolve
  })
  const service = serviceOf(plugin, offer)
  const place = { folder, endpoint, resource: plugin.resource, service, clock, log }
  const running = Promise.all([stayRegistered(place, notify, stop.signal), repeat(clock, everyMs, refresh, stop.signal)])
  return {
    registered,
    refresh,
    async [Symbol.asyncDispose]() {
      stop.abort()
      offer.end()
      await running
      rest()
    },
  }
}

/** The plugin's devices, for all listeners. */
class Offer {
  #devices: readonly PluginDevice[] = []
  readonly #listeners = new Set<Signal>()

  tell(devices: readonly OfferedDevice[]): void {
    const notify = devices.map(({ id, healthy = true, numaNodes = [] }) => ({
      id,
      health: healthy ? 'Healthy' : 'Unhealthy',
      topology: numaNodes.length === 0 ? undefined : { nodes: numaNodes.map((n) => ({ id: n })) },
    }))
    if (JSON.stringify(notify) === JSON.stringify(this.#devices)) return
    this.#devices = notify
    for (const listener of this.#listeners) listener.raise()
  }

  fail(): void {
    this.tell(this.#devices.map((d) => ({ id: d.id, healthy: false, numaNodes: d.topology?.nodes.map((n) => n.id) ?? [] })))
  }

  end(): void {
    for (const listener of this.#listeners) listener.raise()
  }

  async *listen(signal: AbortSignal) {
    const changed = new Signal()
    this.#listeners.add(changed)
    try {
      while (!signal.aborted) {
        yield { devices: this.#devices }
        await changed.wait({ signal })
      }
    } finally {
      this.#listeners.delete(changed)
    }
  }
}

function serviceOf(plugin: DevicePlugin, offer: Offer) {
  return [
    answer(DEVICE_PLUGIN.getDevicePluginOptions, () => ({
      preStartRequired: plugin.preStart !== undefined,
      getPreferredAllocationAvailable: plugin.prefer !== undefined,
    })),
    tell(DEVICE_PLUGIN.listAndWatch, (_, signal) => offer.listen(signal)),
    answer(DEVICE_PLUGIN.getPreferredAllocation, async ({ containers }) => {
      const prefer = async (c: (typeof containers)[number]) =>
        plugin.prefer?.({ available: c.availableIds, required: c.mustIncludeIds, count: c.size }) ?? []
      return { containers: await Promise.all(containers.map(async (c) => ({ ids: await prefer(c) }))) }
    }),
    answer(DEVICE_PLUGIN.allocate, async ({ containers }) => ({
      containers: await Promise.all(containers.map(async ({ ids }) => responseOf((await plugin.allocate?.(ids)) ?? {}))),
    })),
    answer(DEVICE_PLUGIN.preStartContainer, async ({ ids }) => {
      await plugin.preStart?.(ids)
      return {}
    }),
  ]
}

const responseOf = ({ env = {}, devices = [], mounts = [], annotations = {}, cdi = [] }: DeviceGrant): ContainerAllocateResponse => ({
  envs: new Map(Object.entries(env)),
  devices: devices.map(({ hostPath, containerPath = hostPath, permissions = 'rw' }) => ({ hostPath, containerPath, permissions })),
  mounts: mounts.map(({ hostPath, containerPath = hostPath, readOnly = false }) => ({ hostPath, containerPath, readOnly })),
  annotations: new Map(Object.entries(annotations)),
  cdiDevices: cdi.map((name) => ({ name })),
})

interface PluginServer {
  readonly folder: string
  readonly endpoint: string
  readonly resource: string
  readonly service: ReturnType<typeof serviceOf>
  readonly clock: Clock
  readonly log: Logger
}

/** Serves and registers; again whenever the node's socket is another one, or the plugin's own was wiped. */
async function stayRegistered(place: PluginServer, notify: () => void, signal: AbortSignal): Promise<void> {
  const { folder, clock, log, endpoint } = place
  const [nodeSocket, ownSocket] = [path.join(folder, REGISTRATION_SOCKET), path.join(folder, endpoint)]
  const changed = new Signal()
  let retryMs = FIRST_RETRY_MS
  const unwatch = watched(folder, changed)
  try {
    while (!signal.aborted) {
      const stamp = socketStamp(nodeSocket)
      if (stamp === undefined) {
        await changed.wait({ clock, untilMs: clock.now() + LOOK_MS, signal })
        continue
      }
      let server: AsyncDisposable | undefined
      try {
        server = await serveUnix(ownSocket, place.service, { clock })
        await register(place, nodeSocket, signal)
        notify()
        retryMs = FIRST_RETRY_MS
        const own = socketStamp(ownSocket)
        while (!signal.aborted && socketStamp(nodeSocket) === stamp && socketStamp(ownSocket) === own) {
          await changed.wait({ clock, untilMs: clock.now() + LOOK_MS, signal })
        }
      } catch (error) {
        if (!signal.aborted) log.warn(`the plugin of ${place.resource} could not register, trying again`, { error })
        await pause(clock, retryMs, signal)
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
      } finally {
        await server?.[Symbol.asyncDispose]()
      }
    }
  } finally {
    unwatch()
  }
}

async function register({ resource, endpoint, clock }: PluginServer, nodeSocket: string, signal: AbortSignal): Promise<void> {
  using node = await connectUnix(nodeSocket, { clock })
  const request = { version: DEVICE_PLUGIN_VERSION, endpoint, resourceName: resource, options: undefined }
  await node.call(REGISTRATION.register, request, { signal, timeoutMs: REGISTER_LIMIT_MS })
}

function watched(folder: string, changed: Signal): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, () => changed.raise())
    quietErrors(watcher, 'the folder is read every second as well')
    return () => watcher.close()
  } catch {
    return () => {} // the folder does not exist yet
  }
}
