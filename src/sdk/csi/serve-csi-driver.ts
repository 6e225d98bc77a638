import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { type Clock, systemClock } from '../../base/clock.ts'
import { answer, serveUnix } from '../grpc/serve-unix.ts'
import { PLUGIN_REGISTRATION } from '../node-api/plugin-registration.ts'
import type { CsiStorageDriver } from './csi-driver.ts'
import { driverServices } from './driver-services.ts'

/** Where a driver is found. */
export interface ServeCsiDriverOptions {
  /** The path of its socket. */
  readonly socket: string
  /**
   * The folder in which the node looks for plugins (`/var/lib/kubelet/plugins_registry`). Default: the driver does not register with a
   * node.
   */
  readonly registry?: string
  /** Called when the node has registered the driver, or with the node's reason why not. */
  readonly registered?: (error: string | undefined) => void
  /** Default: the machine's. */
  readonly clock?: Clock
}

/**
 * Serves a CSI driver on a socket, and registers it with the node; what a node-driver-registrar does beside other drivers is part of it.
 * Disposing ends all calls and removes the sockets.
 *
 * ```ts
 * const { execFileSync } = await import('node:child_process')
 * await using driver = await serveCsiDriver(
 *   {
 *     name: 'memory.example.com',
 *     version: '1.0.0',
 *     node: {
 *       info: async () => ({ nodeId: 'worker-1' }),
 *       publish: async ({ targetPath }) => {
 *         execFileSync('mkdir', ['-p', targetPath])
 *         execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', targetPath])
 *       },
 *       unpublish: async (_volumeId, targetPath) => {
 *         execFileSync('umount', [targetPath])
 *         execFileSync('rmdir', [targetPath])
 *       },
 *     },
 *   },
 *   { socket: '/var/lib/kubelet/plugins/memory.example.com/csi.sock', registry: '/var/lib/kubelet/plugins_registry' },
 * )
 * ```
 */
export async function serveCsiDriver(driver: CsiStorageDriver, options: ServeCsiDriverOptions): Promise<AsyncDisposable> {
  const { socket, registry, registered, clock = systemClock } = options
  await using stack = new AsyncDisposableStack()
  mkdirSync(path.dirname(socket), { recursive: true, mode: 0o750 })
  // The node is written in Go, other callers too: they name the socket's path as the authority.
  const serving = { clock, anyAuthority: true }
  stack.use(await serveUnix(socket, driverServices(driver), serving))
  if (registry !== undefined) {
    mkdirSync(registry, { recursive: true, mode: 0o700 })
    const info = { type: 'CSIPlugin', name: driver.name, endpoint: socket, supportedVersions: ['1.0.0'] }
    const methods = [
      answer(PLUGIN_REGISTRATION.getInfo, () => info),
      answer(PLUGIN_REGISTRATION.notifyRegistrationStatus, ({ pluginRegistered, error }) => {
        registered?.(pluginRegistered ? undefined : error)
        return {}
      }),
    ]
    stack.use(await serveUnix(path.join(registry, `${driver.name}-reg.sock`), methods, serving))
  }
  return stack.move()
}
