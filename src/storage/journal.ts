import type { Entry, Revision, StoreError } from './store.ts'

/** What is written down of a commit. */
export interface JournalRecord {
  readonly revision: Revision
  readonly key: string
  /** The entry at the key after this record; undefined: deleted. */
  readonly entry: Entry | undefined
}

/** Notified of the results of writes. */
export interface JournalListener {
  /** Everything up to `revision` is durable. Called in order. */
  durable(revision: Revision): void
  /** Appended records that are not durable are lost; the next record follows the last durable one. `broken`: all later writes fail, too. */
  failed(error: StoreError, broken: boolean): void
}

/** Where an engine makes commits durable, in the order of their revisions. The one thing in which the engines differ. */
export interface Journal {
  append(record: JournalRecord): void
  /**
   * The history up to `compacted` may be dropped; `garbage` are the records that are no longer needed, to be deleted in this order or not
   * at all.
   */
  forget(compacted: Revision, garbage: readonly Revision[]): void
  /** Finishes what was appended, then lets go. */
  close(): Promise<void>
}
