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
  /** True if the value would be stored differently now (by another key): the next update writes it, even one without a change. */
  readonly stale?: boolean
  /** Why the value cannot be read; then `value` throws this. */
  readonly unreadable?: StoreError
  /** Why the value is no object, where the store knows objects: looking decodes it. */
  readonly undecodable?: StoreError | undefined
}

/** A change as watchers see it: in order of revision, each once. `previous` is the entry before it. */
export type Change =
  | { readonly kind: 'put'; readonly revision: Revision; readonly entry: Entry; readonly previous: Entry | undefined }
  | { readonly kind: 'delete'; readonly revision: Revision; readonly key: string; readonly previous: Entry }

/** The condition of a commit on the current entry of the key. */
export type Expect = { readonly absent: true } | { readonly revision: Revision }

/** What `commit` does: exactly one change, on condition. */
export type Proposal = PutProposal | DeleteProposal

export interface PutProposal {
  readonly key: string
  readonly expect: Expect
  /**
   * The store owns these bytes from now on: they must not be changed. Entries and changes return equal bytes; a store in this process
   * returns this very array, which saves its readers a comparison and the memory, but callers must not rely on it.
   */
  readonly value: Uint8Array
  /** What the value encodes, for a store that writes it in another form: it saves decoding it again. Read at once, and never changed. */
  readonly object?: object
  /** A lease in milliseconds after which the store deletes the key (events); undefined keeps it for ever. Each put sets it anew. */
  readonly ttlMs?: number
}

/** Only an existing key can be deleted. */
export interface DeleteProposal {
  readonly key: string
  readonly expect: { readonly revision: Revision }
  readonly value: undefined
}

export type Commit =
  | { readonly kind: 'stored'; readonly revision: Revision }
  /** Nothing was written; `current` is the current entry. */
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
   * Changes in batches per turn of the event loop, in order, each once. Iteration ends when the watcher is disposed of; it throws a
   * `StoreError` with code `compacted` when the start revision is compacted, and `closed` when the store closes. A slow watcher costs no
   * memory of its own: it reads the store's history, and gets `compacted` when that was dropped. One consumer a watcher.
   */
  readonly changes: AsyncIterable<readonly Change[]>
  /**
   * Every change up to this revision has been delivered. A batch without changes reports that it has risen: the latest revision may belong
   * to a key that the watcher does not watch.
   */
  readonly reached: Revision
}

/**
 * - `compacted`, `future`: the revision no longer exists, or not yet.
 * - `closed`: the store was disposed of.
 * - `locked`: another process uses the data. `permission`: the system denies access. `damaged`: the data is not what was written.
 * - `full`: the disk is full; nothing was written, and the next commit may succeed again.
 * - `over-quota`: the values together are as large as they may be; what makes room succeeds.
 * - `io`: the disk or the writer failed. From then on every commit fails, and the store must be opened again.
 * - `unavailable`: the process of the store does not respond, or went away before it did; it may come back.
 * - `timeout`: no response in time; what was asked may have been done.
 * - `no-leader`: the members of the store's cluster have no leader, or lost it; what was asked may have been done.
 * - `too-large`, `bad-key`: this value, or this key, cannot be stored.
 * - `untransformable`: this value cannot be encrypted, or not be decrypted. The message is kube-apiserver's.
 * - `undecodable`: this value is no object: another program wrote it. The message is kube-apiserver's where it has one.
 */
export type StoreErrorCode =
  | 'compacted'
  | 'future'
  | 'closed'
  | 'locked'
  | 'permission'
  | 'damaged'
  | 'full'
  | 'over-quota'
  | 'io'
  | 'unavailable'
  | 'timeout'
  | 'no-leader'
  | 'too-large'
  | 'bad-key'
  | 'untransformable'
  | 'undecodable'

/** The errors of a store. `message` has the cause and a remedy. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode
  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** How calls of a store fail that was closed. */
export const storeClosed = () => new StoreError('closed', 'the store is closed')

/**
 * Ordered keys, opaque bytes, one revision counter. Never sees an object.
 * A commit is acknowledged when it is durable (as durable as the engine promises); reads and watchers show it from then on, never before.
 * Keys are in the order of JavaScript strings (UTF-16 code units), which is that of bytes for all keys of Kubernetes. Errors are
 * `StoreError`s.
 */
export interface Store extends AsyncDisposable {
  /**
   * The revision of the latest durable commit, of any client. It is asynchronous, because with a store that several servers share it comes
   * from another process. Every commit that was acknowledged before the call, to any client, is at or before it.
   */
  latest(): Promise<Revision>
  get(key: string): Promise<Entry | undefined>
  range(prefix: string, options?: RangeOptions): Promise<RangeResult>
  /**
   * Changes one key if its current entry fulfils the condition. Commits to one key take effect in the order of the calls; several may be
   * pending.
   */
  commit(proposal: Proposal): Promise<Commit>
  /** Every change under the prefix with a revision greater than `after`. */
  watch(prefix: string, after: Revision): Watcher
  /**
   * Drops the history before `revision`, at once; the current state does not change. Disk space is freed later. Callers need not call it:
   * only the store itself compacts by its retention (servers that share a store elect one of them, by a key of its own).
   */
  compact(revision: Revision): Promise<void>
}

/** A store whose keys only this process can write: its latest revision is known without a request. */
export interface LocalStore extends Store {
  /** The revision of the latest durable commit. */
  readonly revision: Revision
  /** The oldest revision that can still be read or watched from. */
  readonly compacted: Revision
}
