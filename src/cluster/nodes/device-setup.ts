import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ClusterConfig } from '../config.ts'
import type { DeviceSetup } from './node-devices.ts'

/** The folder of the nodes' devices; undefined: they have none. Disposing of it removes one that was made for this run. */
export function deviceFolder({ devicePluginDir, devices, dataDir }: ClusterConfig): { readonly folder: string | undefined } & Disposable {
  if (devicePluginDir === undefined && devices.length === 0) return { folder: undefined, [Symbol.dispose]: () => {} }
  const own = devicePluginDir === undefined && dataDir === undefined ? mkdtempSync(path.join(os.tmpdir(), 'bowsprit-devices-')) : undefined
  return {
    folder: devicePluginDir ?? own ?? path.join(dataDir ?? '', 'kubelet'),
    [Symbol.dispose]: () => {
      if (own !== undefined) rmSync(own, { recursive: true, force: true })
    },
  }
}

/** Where the nodes of a cluster have their devices: each in a folder of its own, unless it is the only node. */
export const deviceSetup = (
  { devices }: ClusterConfig,
  nodeNames: readonly string[],
  folder: string | undefined,
): DeviceSetup | undefined =>
  folder === undefined
    ? undefined
    : { folder: (name) => (nodeNames.length === 1 && nodeNames[0] === name ? folder : path.join(folder, name)), described: devices }
