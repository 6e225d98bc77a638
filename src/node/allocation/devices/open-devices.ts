import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { type Clock, holding } from '../../../base/clock.ts'
import { hasCode } from '../../../base/has-code.ts'
import type { Logger } from '../../../base/logger.ts'
import { SocketError, serveUnix } from '../../../sdk/grpc/serve-unix.ts'
import { REGISTRATION_SOCKET } from '../../../sdk/node-api/device-plugin.ts'
import { type DeviceFolders, podResourcesSocket, registrationSocket } from '../../plugins/device-folders.ts'
import { type PluginTaker, watchPluginRegistry } from '../../plugins/plugin-registry.ts'
import type { Pod } from '../../types/pod.ts'
import { CHECKPOINT_FILE } from './checkpoint.ts'
import { DeviceManager } from './device-manager.ts'
import type { DeviceMetrics } from './device-metrics.ts'
import { connectPlugin } from './plugin-connection.ts'
import { type OtherResources, podResourcesService } from './pod-resources-service.ts'
import { registrationService } from './registration-service.ts'

export interface OpenDevicesDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: DeviceMetrics
  /** Records an event about the node. */
  readonly notify: (reason: string, message: string) => void
  /** The admitted pods that have not ended. */
  readonly pods: () => readonly Pod[]
  /** A pod of the node, ended or not. */
  readonly pod: (namespace: string, name: string) => Pod | undefined
  readonly others?: OtherResources
  /** The topology manager drives the device manager. */
  readonly led?: boolean
  /** Handlers of other plugin types that are found in the registry. */
  readonly takers?: ReadonlyMap<string, PluginTaker>
  /** Another part of the node watches the registry, with the handlers of `Devices.takers`. */
  readonly registryIsWatched?: boolean
}

/** The device manager of a node and its sockets. */
export interface Devices extends AsyncDisposable {
  readonly manager: DeviceManager
  readonly folders: DeviceFolders
  /** Handlers of plugins that are found in the registry, by type. */
  readonly takers: ReadonlyMap<string, PluginTaker>
}

/** Restores the checkpoint, opens the sockets, and removes those of plugins so that they notice the restart and register again. */
export async function openDevices(folders: DeviceFolders, deps: OpenDevicesDeps): Promise<Devices> {
  const { clock, log, metrics } = deps
  for (const folder of Object.values(folders) as string[]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (await somebodyListens(registrationSocket(folders), clock)) {
    throw new SocketError(`${registrationSocket(folders)} is served by another kubelet; choose another folder for device plugins`)
  }
  const file = path.join(folders.plugins, CHECKPOINT_FILE)
  const checkpoint = { read: () => readIfThere(file) ?? readIfThere(draftOf(file)), write: (text: string) => writeCheckpoint(file, text) }
  const manager = new DeviceManager({ clock, log, metrics, checkpoint, notify: deps.notify, led: deps.led ?? false })
  const opened: AsyncDisposable[] = [manager]
  const close = async () => {
    for (const part of opened.reverse()) await part[Symbol.asyncDispose]()
  }
  try {
    const resources = podResourcesService({ manager, others: deps.others ?? {}, pods: deps.pods, pod: deps.pod, clock, metrics })
    opened.push(await serveUnix(podResourcesSocket(folders), resources, { clock, anyAuthority: true }))
    opened.push(
      await serveUnix(registrationSocket(folders), [registrationService(manager, folders.plugins, clock)], {
        clock,
        anyAuthority: true,
      }),
    )
    // The registration socket is open before: many plugins give up if they cannot register at once.
    wipeSockets(folders.plugins)
  } catch (error) {
    await close()
    throw error
  }
  const takers = new Map([['DevicePlugin', deviceTaker(manager, clock)], ...(deps.takers ?? [])])
  if (deps.registryIsWatched === true) return { manager, folders, takers, [Symbol.asyncDispose]: close }
  const stop = new AbortController()
  const watching = watchPluginRegistry({ clock, log, folder: folders.registry, takers }, stop.signal)
  opened.push({
    async [Symbol.asyncDispose]() {
      stop.abort()
      await watching
    },
  })
  return { manager, folders, takers, [Symbol.asyncDispose]: close }
}

/** Registers plugins that are found in `plugins_registry` and do not register by themselves. */
const deviceTaker = (manager: DeviceManager, clock: Clock): PluginTaker => ({
  check: ({ name, supportedVersions }) => manager.plugins.check(name, supportedVersions),
  async take({ name, endpoint }) {
    await manager.plugins.register(name, await connectPlugin(endpoint, clock))
  },
})

/** Whether another process listens on that socket: a kubelet, or another node of Bowsprit. */
function somebodyListens(socket: string, clock: Clock): Promise<boolean> {
  return holding(clock, `looking who listens on ${socket}`, () => {
    return new Promise((resolve) => {
      const connection = connect(socket, () => {
        connection.destroy()
        resolve(true)
      })
      connection.on('error', () => resolve(false))
    })
  })
}

function wipeSockets(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name)
    if (name === REGISTRATION_SOCKET) continue
    if (statSync(file, { throwIfNoEntry: false })?.isSocket()) rmSync(file, { force: true })
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

const draftOf = (file: string) => path.join(path.dirname(file), `.${path.basename(file)}.new`)

/**
 * Whenever the process is killed, the file has the old text or the new one, or the new one is in the draft. A rename over an existing file
 * waits for the disk on some file systems, which costs several milliseconds per pod.
 */
function writeCheckpoint(file: string, text: string): void {
  const draft = draftOf(file)
  writeFileSync(draft, text, { mode: 0o600 })
  rmSync(file, { force: true })
  renameSync(draft, file)
}
