import type { Entry, Revision, StoreError } from './store.ts'

/** What is written down of a commit. */
export interface JournalRecord {
  readonly revision: Revision
  readonly key: string
  /** What stands at the key from then on; undefined: nothing. */
  readonly entry: Entry | undefined
}

/** Hears how the writing goes. */
export interface JournalListener {
  /** Everything up to `revision` is durable. Called in order. */
  durable(revision: Revision): void
  /** Nothing that was appended and is not yet durable will ever be; the next record begins anew behind the last durable one.
   * `broken`: nor will anything else. */
  failed(error: StoreError, broken: boolean): void
}

/** Where an engine makes commits durable, in the order of their revisions. The one thing in which the engines differ. */
export interface Journal {
  append(record: JournalRecord): void
  /** The past up to `compacted` may go; `garbage` are the records that nobody needs, to be deleted in this order or not at all. */
  forget(compacted: Revision, garbage: readonly Revision[]): void
  /** Finishes what was appended, then lets go. */
  close(): Promise<void>
}
