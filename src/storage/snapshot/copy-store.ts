import { Engine } from '../engine.ts'
import { Keyspace } from '../keyspace.ts'
import type { Store } from '../store.ts'

/**
 * What stands in a store now, of its own: writes on either side are not seen on the other. Of a store in this process with its past, and
 * for nothing; of one elsewhere the present alone.
 */
export async function copyOf(store: Store): Promise<Keyspace> {
  if (store instanceof Engine) return store.snapshot()
  const { entries, revision } = await store.range('')
  const keyspace = new Keyspace(revision)
  for (const entry of entries) keyspace.applyCompacted(entry.key, entry)
  return keyspace
}
