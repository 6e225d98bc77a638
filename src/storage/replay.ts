import type { JournalRecord } from './journal.ts'
import type { Keyspace } from './keyspace.ts'
import { type Change, type Entry, type Revision, StoreError } from './store.ts'

/**
 * Applies one record of a log to the keyspace, and returns the change, unless its revision is compacted. Records that are no longer needed
 * are added to `garbage`.
 */
export function replay({ revision, key, entry }: JournalRecord, keyspace: Keyspace, garbage?: Revision[]): Change | undefined {
  const previous = keyspace.get(key)
  if (revision <= keyspace.compacted) {
    if (previous !== undefined) garbage?.push(previous.revision)
    if (entry === undefined) garbage?.push(revision)
    keyspace.applyCompacted(key, entry)
    return undefined
  }
  if (revision !== keyspace.revision + 1) throw damaged(`revision ${keyspace.revision + 1} is missing`)
  const change = changeOf({ revision, key, entry }, previous)
  keyspace.apply(change)
  return change
}

function changeOf({ revision, key, entry }: JournalRecord, previous: Entry | undefined): Change {
  if (entry !== undefined) return { kind: 'put', revision, entry, previous }
  if (previous === undefined) throw damaged(`revision ${revision} deletes ${key}, which is not there`)
  return { kind: 'delete', revision, key, previous }
}

/** Why a log cannot be read. */
const damaged = (why: string) =>
  new StoreError(
    'damaged',
    `the store's log is damaged (${why}): put a backup in its place, or move the folder away to start with an empty store`,
  )
