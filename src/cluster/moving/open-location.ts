import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { EtcdOptions } from '../../server/options/storage.ts'
import { EncryptingStore } from '../../storage/encryption/encrypting-store.ts'
import { identity } from '../../storage/encryption/identity.ts'
import { readEtcdSnapshot } from '../../storage/etcd/read-etcd-snapshot.ts'
import { LOG_NAME, openFileStore } from '../../storage/file/file-store.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { readSnapshot } from '../../storage/snapshot/snapshot-file.ts'
import { openSqliteStore } from '../../storage/sqlite/sqlite-store.ts'
import type { Store } from '../../storage/store.ts'
import { ConfigError } from '../config.ts'
import { inKubernetesLayout, openKubernetesEtcd } from '../server/etcd-store.ts'
import type { ServerEncryption } from '../server/open-encryption.ts'
import { transformerOfKeys } from '../server/transformer-of-keys.ts'
import type { StoreLocation } from './store-location.ts'

export interface LocationDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly random: Random
  /** How an etcd is reached, and the prefix of its keys. */
  readonly etcd: Omit<EtcdOptions, 'servers'>
  /** How values are encrypted there; undefined: they are not. */
  readonly encryption: ServerEncryption | undefined
}

/** The objects at a place, by the keys of the watch cache. @throws {ConfigError} if there is no store */
export async function openLocation(place: StoreLocation, deps: LocationDeps): Promise<Store> {
  const { clock, etcd, encryption, random } = deps
  const live = encryption?.live
  const decrypted = (store: Store) => new EncryptingStore(store, live === undefined ? () => identity : transformerOfKeys(live))
  switch (place.kind) {
    case 'sqlite': {
      const folder = path.join(place.folder, 'store')
      assertExists(folder, place.folder)
      return decrypted(await openSqliteStore({ folder }, { clock }))
    }
    case 'file':
      assertExists(path.join(place.folder, LOG_NAME), place.folder)
      return decrypted(openFileStore({ folder: place.folder, sync: true }, { clock, random }))
    case 'snapshot':
      return openMemoryStore({}, { clock }, (await readSnapshot(place.file)).keyspace)
    case 'etcd':
      return openKubernetesEtcd({ ...etcd, servers: place.servers }, { clock, log: deps.log, random, ...(live && { encryption: live }) })
    case 'etcd-snapshot': {
      const root = `${etcd.prefix}/`
      const keys = openMemoryStore({}, { clock }, readEtcdSnapshot(place.file, root))
      return inKubernetesLayout(keys, { root, mediaType: etcd.mediaType, encryption: live })
    }
  }
}

function assertExists(file: string, folder: string): void {
  if (!existsSync(file)) throw new ConfigError(`there is no store in ${folder}: ${file} does not exist`)
}
