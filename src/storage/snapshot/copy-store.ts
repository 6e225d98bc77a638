import { Engine } from '../engine.ts'
import { Keyspace } from '../keyspace.ts'
import type { Store } from '../store.ts'

/**
 * An independent copy of a store's current state. For a store in this process it includes the history and costs nothing; for a remote one
 * it has the current state alone.
 */
export async function copyOf(store: Store): Promise<Keyspace> {
  if (store instanceof Engine) return store.snapshot()
  const { entries, revision } = await store.range('')
  const keyspace = new Keyspace(revision)
  for (const entry of entries) keyspace.applyCompacted(entry.key, entry)
  return keyspace
}
