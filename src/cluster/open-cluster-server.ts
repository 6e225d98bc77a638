import { OptionsError } from '../server/options-error.ts'
import type { PartReports } from '../server/reports/part-reports.ts'
import { ConfigError } from './config.ts'
import type { NodeSide } from './create-node-side.ts'
import type { ClusterFoundation } from './open-foundation.ts'
import type { ClusterSetup } from './read-setup.ts'
import { openServerPart, type ServerPart } from './server/server-part.ts'

/** The API server of a cluster; `reports` is filled while its parts run. */
export async function openClusterServer(
  setup: ClusterSetup,
  { opening, encryption, serverOptions }: ClusterFoundation,
  nodeSide: NodeSide,
  reports: PartReports,
): Promise<ServerPart> {
  const { config, deps, clock, random, log, topology } = setup
  const { origin, socketClock, opened, freeze = false } = deps
  // Described ones, or this one.
  const hasMachines = (topology ?? config.runtime) !== undefined && config.parts.has('nodes')
  try {
    return await openServerPart(serverOptions, {
      parts: config.parts,
      opening,
      ...(encryption && { encryption }),
      clock,
      random,
      log,
      freeze,
      connectors: nodeSide.connectors,
      services: nodeSide.services,
      inside: nodeSide.reach.inside,
      trails: config.trails,
      reports,
      ...(hasMachines && { topologyReports: (pod) => nodeSide.reach.topologyReport(pod) }),
      ...(socketClock && { socketClock }),
      ...(opened && { opened }),
      ...(origin?.caches && { shared: origin.caches }),
    })
  } catch (error) {
    await nodeSide[Symbol.asyncDispose]()
    throw error instanceof OptionsError ? new ConfigError(`${optionOf(error)}: ${error.message}`, { cause: error }) : error
  }
}

/** Of a cluster's own options two name something that the server opens: the file of the audit log, and an etcd. */
const optionOf = ({ code }: OptionsError) => (code === 'bad-file' ? '--audit-log: the file cannot be written' : '--store')
