import { Keyspace } from '../../storage/keyspace.ts'
import type { Entry } from '../../storage/store.ts'
import type { ServerEncryption } from '../server/open-encryption.ts'
import { transformerOfKeys } from '../server/transformer-of-keys.ts'

/** The same keys and revisions with the values that are stored; without encryption, the keyspace itself. */
export function encryptedKeyspace(keyspace: Keyspace, encryption: ServerEncryption | undefined): Keyspace {
  if (encryption === undefined) return keyspace
  const transformerOf = transformerOfKeys(encryption.live)
  const stored = new Keyspace(keyspace.revision)
  for (const entry of keyspace.entries()) {
    const value = transformerOf(entry.key).toStorage(entry.value, entry.key)
    stored.applyCompacted(entry.key, { ...plain(entry), value, sizeBytes: value.byteLength })
  }
  return stored
}

const plain = ({ key, revision, createRevision, expiresAt }: Entry) => ({ key, revision, createRevision, expiresAt })
