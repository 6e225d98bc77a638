import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import type { StorageOptions } from '../../server/options/storage.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { openSqliteStore } from '../../storage/sqlite/sqlite-store.ts'
import type { Store } from '../../storage/store.ts'

/** Starts to open the configured store: etcd's, a folder's, or one in memory. */
export async function openStore(
  options: Pick<StorageOptions, 'dataDir' | 'etcd'>,
  clock: Clock,
  log: Logger = silentLogger,
): Promise<Store> {
  if (options.etcd !== undefined) return (await import('./etcd-store.ts')).openEtcdStore(options.etcd, { clock, log })
  if (options.dataDir === undefined) return openMemoryStore({}, { clock })
  return openSqliteStore({ folder: path.join(options.dataDir, 'store') }, { clock })
}
