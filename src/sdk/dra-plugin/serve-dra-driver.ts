import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { type Clock, keepAlive, systemClock } from '../../base/clock.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { pause, repeat } from '../../base/pause.ts'
import type { Client } from '../client/client.ts'
import { answer, serveUnix } from '../grpc/serve-unix.ts'
import { socketStamp } from '../grpc/socket-stamp.ts'
import { DRA_HEALTH_SERVICE, DRA_PLUGIN } from '../node-api/dra-plugin.ts'
import { PLUGIN_REGISTRATION } from '../node-api/plugin-registration.ts'
import { claimServices } from './answer-claims.ts'
import type { DevicePool, DraDriver } from './dra-driver.ts'
import { SlicePublisher } from './publish-slices.ts'
import { HealthTeller } from './reported-health.ts'

/** Paths, client and clock of a driver. */
export interface ServeDraDriverOptions {
  /** Reads its node and claims, reads and writes ResourceSlices of the node. */
  readonly client: Client
  /** The node on which it runs. */
  readonly nodeName: string
  /** The node's folder, with `plugins_registry` in it. Default: `/var/lib/kubelet`. */
  readonly folder?: string
  /** How often devices are looked for, in milliseconds. Default: 5,000. */
  readonly everyMs?: number
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Default: no log. */
  readonly log?: Logger
}

/**
 * A driver that is served. Disposing of it takes its socket away; its ResourceSlices stay until the node finds that it does not come back.
 */
export interface ServedDraDriver extends AsyncDisposable {
  /** Resolves when the node has taken the driver for the first time. */
  readonly registered: Promise<void>
  /** Resolves when its devices were published for the first time. */
  readonly published: Promise<void>
  /** Looks for devices now; resolves when they are being published. */
  refresh(): Promise<void>
}

const KUBELET_FOLDER = '/var/lib/kubelet'
const EVERY_MS = 5_000
/** Between two looks at whether the driver's own socket is still there. */
const LOOK_MS = 1_000
const RETRY_MS = 1_000

/**
 * Serves a driver of dynamic resource allocation to a node: a kubelet, or one of Bowsprit's. It waits in `plugins_registry` for the node,
 * publishes its devices as ResourceSlices and keeps them up to date, prepares claims, and reports the health of devices.
 *
 * ```ts
 * await using served = await serveDraDriver(
 *   {
 *     name: 'gpu.example.com',
 *     discover: () => [{ name: 'gpu-0', attributes: { model: 'small' }, capacity: { memory: '40Gi' } }],
 *     prepare: ({ devices }) => devices.map((d) => ({ ...d, cdi: [`example.com/gpu=${d.device}`] })),
 *   },
 *   { client, nodeName: 'node-1' },
 * )
 * await served.registered
 * ```
 */
export async function serveDraDriver(driver: DraDriver, options: ServeDraDriverOptions): Promise<ServedDraDriver> {
  const { client, nodeName, folder = KUBELET_FOLDER, everyMs = EVERY_MS, clock = systemClock, log = silentLogger } = options
  const stop = new AbortController()
  const rest = keepAlive()
  const health = new HealthTeller(clock)
  const publisher = new SlicePublisher({ client, clock, log, driver: driver.name, nodeName })
  const refresh = async () => {
    try {
      const found = await driver.discover(stop.signal)
      const pools: ReadonlyMap<string, DevicePool> = found instanceof Map ? found : new Map([[nodeName, { devices: found }]])
      health.tell(pools)
      publisher.publish(pools)
    } catch (error) {
      log.warn(`devices of ${driver.name} cannot be looked for`, { error })
      health.fail()
    }
  }
  await refresh()
  let tellRegistered = () => {}
  const registered = new Promise<void>((resolve) => {
    tellRegistered = resolve
  })
  const info = { type: 'DRAPlugin', name: driver.name, endpoint: '', supportedVersions: [...Object.keys(DRA_PLUGIN), DRA_HEALTH_SERVICE] }
  const services = [
    answer(PLUGIN_REGISTRATION.getInfo, () => info),
    answer(PLUGIN_REGISTRATION.notifyRegistrationStatus, ({ pluginRegistered, error }) => {
      if (pluginRegistered) tellRegistered()
      else log.warn(`the node does not take the driver ${driver.name}: ${error}`)
      return {}
    }),
    ...claimServices(driver, client),
    health.service,
  ]
  const socket = path.join(folder, 'plugins_registry', `${driver.name}-reg.sock`)
  const running = Promise.all([
    publisher.run(stop.signal),
    stayServed({ socket, services, clock, log }, stop.signal),
    repeat(clock, everyMs, refresh, stop.signal),
  ])
  return {
    registered,
    published: publisher.published,
    refresh,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      rest()
    },
  }
}

interface DriverServer {
  readonly socket: string
  readonly services: Parameters<typeof serveUnix>[1]
  readonly clock: Clock
  readonly log: Logger
}

/** Serves the socket, and serves it again when another process has removed it. */
async function stayServed({ socket, services, clock, log }: DriverServer, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let server: AsyncDisposable | undefined
    try {
      mkdirSync(path.dirname(socket), { recursive: true, mode: 0o700 })
      server = await serveUnix(socket, services, { clock })
      const own = socketStamp(socket)
      while (!signal.aborted && socketStamp(socket) === own) await pause(clock, LOOK_MS, signal)
    } catch (error) {
      if (!signal.aborted) log.warn(`${socket} cannot be opened, trying again`, { error })
      await pause(clock, RETRY_MS, signal)
    } finally {
      await server?.[Symbol.asyncDispose]()
    }
  }
}
