import { ROOT } from '../../apiserver/cache/storage-keys.ts'
import { messageOf } from '../../base/message-of.ts'
import { Keyspace } from '../../storage/keyspace.ts'
import { type Entry, type Store, StoreError } from '../../storage/store.ts'

/**
 * All objects of a store, decrypted, with their revisions. What is no object (leases of servers, allocations) is left out: servers make it
 * anew. @throws {StoreError} if a value cannot be read
 */
export async function collectObjects(store: Store): Promise<Keyspace> {
  const { entries, revision } = await store.range(ROOT)
  const keyspace = new Keyspace(revision)
  for (const entry of entries) if (entry.key.startsWith(ROOT)) keyspace.applyCompacted(entry.key, readableEntry(entry))
  return keyspace
}

function readableEntry(entry: Entry): Entry {
  const { key, revision, createRevision, expiresAt } = entry
  try {
    const { value } = entry
    return { key, value, sizeBytes: value.byteLength, revision, createRevision, expiresAt }
  } catch (cause) {
    const why = messageOf(cause)
    throw new StoreError('untransformable', `${key} cannot be read: ${why}`, { cause })
  }
}
