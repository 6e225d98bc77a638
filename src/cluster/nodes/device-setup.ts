import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ClusterConfig } from '../config.ts'
import type { DeviceSetup } from './node-devices.ts'

/** The device folders of a cluster's nodes; undefined: nodes have no devices. Disposing of it removes a temporary folder. */
export function deviceSetup({
  devicePluginDir,
  devices,
  dataDir,
  nodes,
}: ClusterConfig): { readonly setup: DeviceSetup | undefined } & Disposable {
  if (devicePluginDir === undefined && devices.length === 0) return { setup: undefined, [Symbol.dispose]: () => {} }
  const own = devicePluginDir === undefined && dataDir === undefined ? mkdtempSync(path.join(os.tmpdir(), 'bowsprit-devices-')) : undefined
  const root = devicePluginDir ?? own ?? path.join(dataDir ?? '', 'kubelet')
  return {
    setup: { folder: (name) => (nodes === 1 ? root : path.join(root, name)), described: devices },
    [Symbol.dispose]: () => {
      if (own !== undefined) rmSync(own, { recursive: true, force: true })
    },
  }
}
