import type { Cluster, ClusterDeps } from '../cluster/cluster.ts'
import type { ClusterOptions } from '../cluster/cluster-options.ts'
import { startCluster as start } from '../cluster/start-cluster.ts'

/**
 * A cluster for a test: in memory, without sockets until `listen` is called, stopped at the end of the block.
 *
 * ```ts
 * await using cluster = await startCluster({ nodes: 3 })
 * await cluster.client().create({ group: '', version: 'v1', resource: 'pods', namespace: 'default' }, pod('web'))
 * const address = await cluster.listen() // only for clients outside this process
 * ```
 */
export function startCluster(options: ClusterOptions = {}, deps: ClusterDeps = {}): Promise<Cluster> {
  return start({ port: 0, ephemeral: options.dataDir === undefined, ...options }, { quiet: true, freeze: true, ...deps })
}
