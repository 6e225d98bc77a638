import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { copyOf } from '../../storage/snapshot/copy-store.ts'
import type { Cluster, ClusterDeps, InnerClusterDeps } from '../cluster.ts'
import type { ClusterOptions } from '../cluster-options.ts'
import { catchUp } from './catch-up.ts'
import type { ClusterState } from './cluster-origin.ts'

/** The cluster that is forked. */
export interface ForkedCluster extends ClusterState {
  readonly options: ClusterOptions
  readonly deps: InnerClusterDeps
}

export type StartCluster = (options: ClusterOptions, deps: InnerClusterDeps) => Promise<Cluster>

/** Starts a cluster with the state of another: see `Cluster.fork`. */
export async function forkCluster(of: ForkedCluster, options: ClusterOptions, deps: ClusterDeps, start: StartCluster): Promise<Cluster> {
  // In the same turn in which the copy begins, so that the copy has everything that the caches have.
  const caches = of.share()
  const keyspace = await copyOf(of.store)
  await catchUp(deps.clock, of.clock.now())
  const store = async (clock: ClusterState['clock']) => openMemoryStore({}, { clock }, keyspace)
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
