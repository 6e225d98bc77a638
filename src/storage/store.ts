/** The store's own counter, one for the whole keyspace: the `resourceVersion` of the API. Starts at 1; the first commit is 2 or later. */
export type Revision = number

/** One key at one revision. `value` is opaque. */
export interface Entry {
  readonly key: string
  /** To be read when it is needed: an engine may have to unpack it. */
  readonly value: Uint8Array
  /** How long the value is. */
  readonly sizeBytes: number
  /** The revision of the commit that wrote this value. */
  readonly revision: Revision
  /** The revision of the commit that created the key. */
  readonly createRevision: Revision
  /** When the store deletes the key by itself, in milliseconds since the Unix epoch; undefined: never. */
  readonly expiresAt: number | undefined
}

/** A change as watchers see it: in order of revision, each once. `previous` is what stood there before. */
export type Change =
  | { readonly kind: 'put'; readonly revision: Revision; readonly entry: Entry; readonly previous: Entry | undefined }
  | { readonly kind: 'delete'; readonly revision: Revision; readonly key: string; readonly previous: Entry }

/** The condition of a commit: what must stand at the key. */
export type Expect = { readonly absent: true } | { readonly revision: Revision }

/** What `commit` does: exactly one change, on condition. */
export type Proposal = PutProposal | DeleteProposal

export interface PutProposal {
  readonly key: string
  readonly expect: Expect
  /**
   * Belongs to the store from now on: nobody may write into these bytes again. Entries and changes give back equal bytes; a store in this
   * process gives back this very array, which spares its readers a comparison and the memory, and which nobody may rely on.
   */
  readonly value: Uint8Array
  /** A lease in milliseconds after which the store deletes the key (events); undefined keeps it for ever. Each put states it anew. */
  readonly ttlMs?: number
}

/** Only what stands there can be deleted. */
export interface DeleteProposal {
  readonly key: string
  readonly expect: { readonly revision: Revision }
  readonly value: undefined
}

export type Commit =
  | { readonly kind: 'stored'; readonly revision: Revision }
  /** Nothing was written; `current` is what stands there instead. */
  | { readonly kind: 'conflict'; readonly current: Entry | undefined }

export interface RangeOptions {
  /** Read the past: an older revision that is not compacted yet. */
  readonly revision?: Revision
  /** At most so many entries, in key order. */
  readonly limit?: number
  /** Start at this key (inclusive) rather than at the prefix's beginning. */
  readonly from?: string
}

export interface RangeResult {
  readonly entries: readonly Entry[]
  /** The store's revision at which the range was read. */
  readonly revision: Revision
  /** True when `limit` cut the range. */
  readonly more: boolean
  /** How many keys follow behind the last entry given. */
  readonly remaining: number
}

export interface Watcher extends AsyncDisposable {
  /**
   * Changes joined per turn of the event loop, in order, each once. Iteration ends when the watcher is disposed of; it throws a
   * `StoreError` with code `compacted` when the start revision is gone, and `closed` when the store closes. A watcher that does not
   * keep up costs no memory of its own: it reads on in the past that the store keeps, and is told `compacted` when that has gone.
   * One consumer a watcher.
   */
  readonly changes: AsyncIterable<readonly Change[]>
}

/**
 * - `compacted`, `future`: the revision is no longer, or not yet, there.
 * - `closed`: the store was disposed of.
 * - `locked`: another process has the data. `permission`: the system does not let us. `damaged`: the data is not what was written.
 * - `full`: no room on disk; nothing was written, and the next commit may succeed again.
 * - `io`: the disk or the writer failed. From then on every commit fails, and the store must be opened again.
 * - `unavailable`: who has the store does not answer, or went away before it did; it may come back.
 * - `too-large`, `bad-key`: this value, or this key, cannot be stored.
 */
export type StoreErrorCode =
  | 'compacted'
  | 'future'
  | 'closed'
  | 'locked'
  | 'permission'
  | 'damaged'
  | 'full'
  | 'io'
  | 'unavailable'
  | 'too-large'
  | 'bad-key'

/** What can go wrong with a store. `message` says what, where and what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode
  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/**
 * Ordered keys, opaque bytes, one revision counter without gaps. Never sees an object.
 * A commit is answered when it is durable (as durable as the engine promises); reads and watchers show it from then on, never before.
 * Keys are in the order of JavaScript strings (UTF-16 code units). Errors are `StoreError`s.
 */
export interface Store extends AsyncDisposable {
  /**
   * The revision of the latest durable commit, by whomever. It is asked for, not known: where several servers share a store, the answer
   * comes from elsewhere. Everything that was acknowledged before the call, to anybody, is at or before it.
   */
  latest(): Promise<Revision>
  get(key: string): Promise<Entry | undefined>
  range(prefix: string, options?: RangeOptions): Promise<RangeResult>
  /**
   * Changes one key if what is expected stands there. Commits take effect in the order of the calls; several to one key may be under way.
   */
  commit(proposal: Proposal): Promise<Commit>
  /** Every change under the prefix with a revision greater than `after`. */
  watch(prefix: string, after: Revision): Watcher
  /**
   * Forgets the past before `revision`, at once; the present is untouched. The room on disk comes free later. Nobody need call it: the
   * store itself, and nobody else, compacts by its retention (a store that several servers share elects one of them, by a key of its own).
   */
  compact(revision: Revision): Promise<void>
}

/** A store whose keys nobody but this process can write: what others have to ask for, it knows. */
export interface LocalStore extends Store {
  /** The revision of the latest durable commit. */
  readonly revision: Revision
  /** The oldest revision that can still be read or watched from. */
  readonly compacted: Revision
}
