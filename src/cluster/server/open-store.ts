import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { systemRandom } from '../../base/random.ts'
import type { StorageOptions } from '../../server/options/storage.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { openSqliteStore } from '../../storage/sqlite/sqlite-store.ts'
import type { Store } from '../../storage/store.ts'

/** Starts to open the configured store: etcd's, a folder's, or one in memory. */
export async function openStore(
  options: Pick<StorageOptions, 'dataDir' | 'etcd' | 'etcdOfAssets'>,
  clock: Clock,
  log: Logger = silentLogger,
): Promise<Store> {
  const { dataDir, etcd, etcdOfAssets } = options
  if (etcd !== undefined && etcdOfAssets === true) return (await import('./assets-store.ts')).openAssetsStore(etcd, { clock, log })
  if (etcd !== undefined) return (await import('./etcd-store.ts')).openKubernetesEtcd(etcd, { clock, log, random: systemRandom() })
  if (dataDir === undefined) return openMemoryStore({}, { clock })
  return openSqliteStore({ folder: path.join(dataDir, 'store') }, { clock })
}
