import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { copyOf } from '../../storage/snapshot/copy-store.ts'
import type { Cluster, ClusterCheckpoint, InnerClusterDeps } from '../cluster.ts'
import type { ClusterOptions } from '../cluster-options.ts'
import { catchUp } from './catch-up.ts'
import type { ClusterState } from './cluster-origin.ts'

/** The cluster that is forked. */
export interface ForkedCluster extends ClusterState {
  readonly options: ClusterOptions
  readonly deps: InnerClusterDeps
}

export type StartCluster = (options: ClusterOptions, deps: InnerClusterDeps) => Promise<Cluster>

/** Keeps the state of a cluster, to start others from: see `Cluster.checkpoint`. */
export async function checkpointOf(of: ForkedCluster, start: StartCluster): Promise<ClusterCheckpoint> {
  // In the same turn in which the copy begins, so that the copy has everything that the caches have.
  const caches = of.share()
  const nowMs = of.clock.now()
  const keyspace = await copyOf(of.store)
  return {
    async fork(options = {}, deps = {}) {
      await catchUp(deps.clock, nowMs)
      const store = async (clock: ClusterState['clock']) => openMemoryStore({}, { clock }, keyspace.clone())
      return start(
        { ...sharedOptions(of.options), ...options, ephemeral: true },
        {
          ...of.deps,
          certificates: of.certificates,
          quiet: true,
          ...deps,
          origin: { store, ...(keyspace.compacted <= caches.revision && { caches }) },
        },
      )
    },
  }
}

/** The options that two running clusters can share. */
function sharedOptions(options: ClusterOptions): ClusterOptions {
  const {
    from: _from,
    name: _name,
    port: _port,
    kubeconfig: _file,
    dataDir: _data,
    serviceAddresses: _addresses,
    auditLog: _log,
    auditPolicy: _policy,
    encryptionProviderConfig: _encryption,
    encryptionProviderConfigAutomaticReload: _reloads,
    ...shared
  } = options
  const { devicePluginDir: _plugins, ...rest } = shared
  return { ...rest, port: 0 }
}
