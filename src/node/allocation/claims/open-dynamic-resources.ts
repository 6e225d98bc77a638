import path from 'node:path'
import { fileCheckpoint } from '../../checkpoints/checkpoint-file.ts'
import type { DeviceFolders } from '../../plugins/device-folders.ts'
import type { PluginTaker } from '../../plugins/plugin-registry.ts'
import { CLAIM_CHECKPOINT } from './claim-checkpoint.ts'
import { connectDriver } from './drivers/driver-connection.ts'
import { serviceOf } from './drivers/driver-registry.ts'
import { DynamicResources, type DynamicResourcesDeps } from './dynamic-resources.ts'

/** The plugin type of DRA drivers in the plugin registry. */
export const DRA_PLUGIN_TYPE = 'DRAPlugin'

/** The claims of a node's pods, restored from the checkpoint next to the folder of device plugins. */
export function openDynamicResources(folders: DeviceFolders, deps: Omit<DynamicResourcesDeps, 'checkpoint'>): DynamicResources {
  return new DynamicResources({ ...deps, checkpoint: fileCheckpoint(path.join(path.dirname(folders.plugins), CLAIM_CHECKPOINT)) })
}

/** Registers drivers that are found in `plugins_registry`. */
export const driverTaker = ({ drivers }: DynamicResources, deps: Pick<DynamicResourcesDeps, 'clock'>): PluginTaker => ({
  check: (info) => void serviceOf(info),
  async take(info) {
    drivers.add(info.name, await connectDriver(info.endpoint, serviceOf(info), deps.clock))
  },
  leave: ({ name, endpoint }) => drivers.remove(name, endpoint),
})
