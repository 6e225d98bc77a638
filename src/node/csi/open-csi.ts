import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Client } from '../../sdk/client/client.ts'
import { type PluginTaker, watchPluginRegistry } from '../plugins/plugin-registry.ts'
import type { AgentPart } from '../types/agent-part.ts'
import { CSI_PLUGIN_TYPE, CsiDrivers } from './csi-drivers.ts'
import { csiFolders } from './csi-folders.ts'
import { CsiVolumes } from './csi-volumes.ts'
import type { DeviceMounts } from './mount-volume.ts'
import { NodeDrivers } from './node-drivers.ts'

export interface CsiConfig {
  /** The kubelet's folder. */
  readonly root: string
  readonly nodeName: string
  readonly mounts: DeviceMounts
}

export interface CsiDeps {
  /** As `system:node:<name>`. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  /** Handlers of other plugins that are found in the same registry, by type. */
  readonly takers: ReadonlyMap<string, PluginTaker>
}

/** The CSI drivers of a real node, and what they mount. */
export interface NodeCsi {
  readonly volumes: CsiVolumes
  readonly parts: readonly AgentPart[]
}

export function openCsi({ root, nodeName, mounts }: CsiConfig, { client, clock, log, takers: others }: CsiDeps): NodeCsi {
  const node = new NodeDrivers({ client, nodeName, clock, log })
  const drivers = new CsiDrivers(clock, node)
  const volumes = new CsiVolumes({ client, nodeName, drivers, mounts, folders: csiFolders(root), clock, log })
  const takers = new Map([...others, [CSI_PLUGIN_TYPE, drivers.taker]])
  const registry: AgentPart = {
    async run(_agent, signal) {
      await node.open().catch((error) => log.warn('the CSINode could not be made', { error }))
      using _drivers = drivers
      await watchPluginRegistry({ clock, log, folder: path.join(root, 'plugins_registry'), takers }, signal)
    },
  }
  return { volumes, parts: [registry, volumes] }
}
