import { type Clock, systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { systemRandom } from '../../base/random.ts'
import { initialValues } from '../../machinery/flags/flag.ts'
import { readEtcd, STORAGE_FLAGS } from '../../server/options/storage.ts'
import type { Keyspace } from '../../storage/keyspace.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import type { Cluster, InnerClusterDeps } from '../cluster.ts'
import type { ClusterOptions } from '../cluster-options.ts'
import { collectObjects } from '../moving/collect-objects.ts'
import { openLocation } from '../moving/open-location.ts'
import type { StartCluster } from './fork-cluster.ts'

/**
 * Starts a cluster on the objects of another one, in memory. It has new certificates, and runs the API server alone unless parts are named.
 */
export function startFromObjects(
  keyspace: Keyspace,
  options: ClusterOptions,
  deps: InnerClusterDeps,
  start: StartCluster,
): Promise<Cluster> {
  const { from: _from, fromEtcdSnapshot: _snapshot, dataDir: _folder, ...own } = options
  const store = async (clock: Clock) => openMemoryStore({}, { clock }, keyspace)
  return start({ parts: ['server'], ...own, ephemeral: true }, { ...deps, origin: { store } })
}

/** Starts a cluster to look into a snapshot of another cluster's etcd. */
export async function startFromEtcdSnapshot(
  file: string,
  options: ClusterOptions,
  deps: InnerClusterDeps,
  start: StartCluster,
): Promise<Cluster> {
  const { encryptionProviderConfig, encryptionProviderConfigAutomaticReload: _reloads, ...own } = options
  return startFromObjects(await objectsIn(file, encryptionProviderConfig, deps), own, deps, start)
}

async function objectsIn(file: string, encryptionFile: string | undefined, deps: InnerClusterDeps): Promise<Keyspace> {
  const { clock = systemClock, log = silentLogger, random = systemRandom() } = deps
  const encryption = encryptionFile === undefined ? undefined : await opened(encryptionFile)
  try {
    const etcd = readEtcd({ values: initialValues(STORAGE_FLAGS) })
    await using store = await openLocation({ kind: 'etcd-snapshot', file }, { clock, log, random, etcd, encryption })
    return await collectObjects(store)
  } finally {
    await encryption?.live[Symbol.asyncDispose]()
  }

  async function opened(configuration: string) {
    const { openEncryption } = await import('../server/open-encryption.ts')
    return openEncryption({ file: configuration, reloads: false }, { clock, log, random })
  }
}
