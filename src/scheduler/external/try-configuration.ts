import { systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { NodeTable } from '../cache/node-table.ts'
import type { CompleteConfiguration } from '../config/complete.ts'
import { profilesOf } from '../config/configuration.ts'
import { modulePlugins } from './module-plugins.ts'

/**
 * Creates the profiles of a configuration, and runs nothing: faults of plugins and of their arguments are found before a scheduler starts.
 * @param folder the folder from which the paths of plugin modules start
 */
export function tryConfiguration(configuration: CompleteConfiguration, folder: string): void {
  const { factories } = modulePlugins(configuration, { clock: systemClock, log: silentLogger, table: new NodeTable(), folder })
  profilesOf(configuration, { random: { int: () => 0, uuid: () => '' }, plugins: factories })
}
