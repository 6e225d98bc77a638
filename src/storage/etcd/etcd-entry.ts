import type { Change, Entry, Revision } from '../store.ts'
import type { KeyPrefix } from './key-prefix.ts'
import type { EtcdEvent, KeyValue } from './messages.ts'

const DELETE = 1

/** An entry of a key-value pair. */
export const entryOf = (prefix: KeyPrefix, kv: KeyValue): Entry =>
  // A copy, because the bytes are a part of a response of many values.
  entryAt(prefix.inside(kv.key), { ...kv, value: new Uint8Array(kv.value) })

function entryAt(key: string, { value, modRevision, createRevision }: KeyValue): Entry {
  return {
    key,
    value,
    sizeBytes: value.byteLength,
    revision: modRevision,
    createRevision,
    // etcd knows leases, but not which keys end when.
    expiresAt: undefined,
  }
}

/** Its values are views of the response: what a watch delivers is read at once, and let go. */
export function changeOf(prefix: KeyPrefix, { type, kv, prevKv }: EtcdEvent): Change {
  if (kv === undefined) throw new Error('invariant: an event of etcd has a key')
  const key = prefix.inside(kv.key)
  const previous = prevKv && entryAt(key, prevKv)
  if (type !== DELETE) return { kind: 'put', revision: kv.modRevision, entry: entryAt(key, kv), previous }
  return { kind: 'delete', revision: kv.modRevision, key, previous: previous ?? forgotten(key) }
}

/** The entry before a deletion, when etcd has compacted it. */
const forgotten = (key: string): Entry => ({
  key,
  value: new Uint8Array(0),
  sizeBytes: 0,
  revision: FORGOTTEN,
  createRevision: FORGOTTEN,
  expiresAt: undefined,
})
const FORGOTTEN: Revision = 0
