import path from 'node:path'
import { ROOT } from '../../apiserver/cache/storage-keys.ts'
import type { Clock } from '../../base/clock.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { systemRandom } from '../../base/random.ts'
import type { StorageOptions } from '../../server/options/storage.ts'
import { EncryptingStore } from '../../storage/encryption/encrypting-store.ts'
import { identity } from '../../storage/encryption/identity.ts'
import { ENCRYPTED_PREFIX, startsWith } from '../../storage/encryption/value-transformer.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { openSqliteStore } from '../../storage/sqlite/sqlite-store.ts'
import type { Store } from '../../storage/store.ts'
import type { ServerEncryption } from './open-encryption.ts'
import { transformerOfKeys } from './transformer-of-keys.ts'

/** Starts to open the configured store: etcd's, a folder's, or one in memory. */
export async function openStore(
  options: Pick<StorageOptions, 'dataDir' | 'quotaBackendBytes' | 'etcd' | 'etcdOfAssets'>,
  clock: Clock,
  log: Logger = silentLogger,
  encryption?: ServerEncryption,
): Promise<Store> {
  const { dataDir, quotaBackendBytes: quotaBytes, etcd, etcdOfAssets } = options
  if (etcd !== undefined && etcdOfAssets === true) return (await import('./assets-store.ts')).openAssetsStore(etcd, { clock, log })
  if (etcd !== undefined)
    return (await import('./etcd-store.ts')).openKubernetesEtcd(etcd, {
      clock,
      log,
      random: systemRandom(),
      ...(encryption && { encryption: encryption.live }),
    })
  if (dataDir === undefined) return openMemoryStore({ quotaBytes }, { clock })
  const store = await openSqliteStore({ folder: path.join(dataDir, 'store'), quotaBytes }, { clock })
  if (encryption !== undefined) return new EncryptingStore(store, transformerOfKeys(encryption.live))
  return (await holdsEncrypted(store)) ? new EncryptingStore(store, () => identity) : store
}

/** Without a configuration, encrypted values must be reported as what they are. */
async function holdsEncrypted(store: Store): Promise<boolean> {
  const { entries } = await store.range(ROOT)
  return entries.some(({ value }) => startsWith(value, ENCRYPTED_PREFIX))
}
