import type { Cancel, Clock } from '../base/clock.ts'
import { CursorWatcher } from './cursor-watcher.ts'
import { Forgetting } from './forgetting.ts'
import type { Journal, JournalListener } from './journal.ts'
import { KeptEntry } from './kept-entry.ts'
import type { Keyspace } from './keyspace.ts'
import { DEFAULT_PACKING, Packing, type PackingBounds } from './packing.ts'
import { DEFAULT_RETENTION, type Retention } from './retention.ts'
import {
  type Change,
  type Commit,
  type Entry,
  type Expect,
  type LocalStore,
  type Proposal,
  type RangeOptions,
  type RangeResult,
  type Revision,
  StoreError,
  storeClosed,
  type Watcher,
} from './store.ts'

/** The options of every engine. */
export interface EngineConfig {
  readonly retention?: Retention
  /** Larger values are refused. Default 8 MiB. */
  readonly maxValueBytes?: number
  /** How many bytes the current values may have together: etcd's `--quota-backend-bytes`. Default 2 GiB, as etcd's. */
  readonly quotaBytes?: number | undefined
  /** When values are packed that have not changed for a while. */
  readonly packing?: PackingBounds
}

export interface EngineDeps {
  readonly clock: Clock
  readonly keyspace: Keyspace
  readonly openJournal: (listener: JournalListener) => Journal
}

const MAX_VALUE_BYTES = 8 << 20
export const DEFAULT_QUOTA_BYTES = 2 * 1024 ** 3
/** Replacing values may exceed the quota by this share of it, so that objects can still get finalizers, a status and a time of deletion. */
const QUOTA_RESERVE = 1 / 8

/** A commit in flight: decided, not yet durable, invisible to all readers. */
interface Pending extends PromiseWithResolvers<Commit> {
  readonly revision: Revision
  readonly key: string
  readonly entry: Entry | undefined
  readonly previous: Entry | undefined
}

/**
 * The store over a journal. Conditions are decided here, at once, against the state after all pending commits; the keyspace shows only
 * durable commits. Invariants: pending commits have consecutive revisions behind the keyspace's. They become durable in order, or all of
 * them fail together, so no commit is acknowledged after an earlier one was lost.
 */
export class Engine implements LocalStore {
  readonly #clock: Clock
  readonly #maxValueBytes: number
  readonly #quotaBytes: number
  readonly #keyspace: Keyspace
  readonly #journal: Journal
  #queue: Pending[] = []
  /** The latest pending commit of each key. */
  readonly #heads = new Map<string, Pending>()
  readonly #watchers = new Set<CursorWatcher>()
  readonly #forgetting: Forgetting
  readonly #packing: Packing
  #leaseTimer: { readonly at: number; readonly stop: Cancel } | undefined
  #expiring = false
  #unusable: StoreError | undefined
  #isClosed = false
  #closing: Promise<void> | undefined

  constructor(config: EngineConfig, deps: EngineDeps) {
    this.#clock = deps.clock
    this.#maxValueBytes = config.maxValueBytes ?? MAX_VALUE_BYTES
    this.#quotaBytes = config.quotaBytes ?? DEFAULT_QUOTA_BYTES
    this.#keyspace = deps.keyspace
    this.#journal = deps.openJournal({
      durable: (revision) => this.#durable(revision),
      failed: (error, broken) => this.#failed(error, broken),
    })
    this.#forgetting = new Forgetting(config.retention ?? DEFAULT_RETENTION, {
      clock: this.#clock,
      keyspace: () => this.#keyspace,
      watchers: this.#watchers,
      compact: (revision) => this.#journal.forget(revision, this.#keyspace.compact(revision)),
    })
    this.#packing = new Packing(config.packing ?? DEFAULT_PACKING, {
      clock: this.#clock,
      revision: () => this.revision,
      isCurrent: (entry) => this.#keyspace.get(entry.key) === entry,
    })
    for (const entry of this.#keyspace.entries()) this.#packing.add(entry)
    this.#forgetting.watch()
    this.#watchLeases()
  }

  get revision(): Revision {
    return this.#keyspace.revision
  }

  get compacted(): Revision {
    return this.#keyspace.compacted
  }

  async latest(): Promise<Revision> {
    this.#assertOpen()
    return this.revision
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#assertOpen()
    return this.#keyspace.get(key)
  }

  async range(prefix: string, options?: RangeOptions): Promise<RangeResult> {
    this.#assertOpen()
    return this.#keyspace.range(prefix, options)
  }

  async commit(proposal: Proposal): Promise<Commit> {
    this.#assertAcceptable(proposal)
    const { key, expect } = proposal
    const head = this.#heads.get(key)
    const current = head === undefined ? this.#keyspace.get(key) : head.entry
    if (holds(expect, current)) {
      this.#assertRoom(proposal, current)
      return this.#propose(proposal, current)
    }
    if (head === undefined) return { kind: 'conflict', current }
    // What conflicts is not durable yet: it must not be shown before it is, and if it never will be, there was no conflict.
    const happened = await head.promise.then(
      () => true,
      () => false,
    )
    return happened ? { kind: 'conflict', current } : this.commit(proposal)
  }

  watch(prefix: string, after: Revision): Watcher {
    const watcher = new CursorWatcher(prefix, after, this.#keyspace, (ended) => this.#watchers.delete(ended))
    if (this.#isClosed) watcher.end(storeClosed())
    else this.#watchers.add(watcher)
    return watcher
  }

  async compact(revision: Revision): Promise<void> {
    this.#assertOpen()
    if (revision > this.revision) throw new StoreError('future', `cannot compact at revision ${revision}: the store is at ${this.revision}`)
    if (revision > this.compacted) this.#journal.forget(revision, this.#keyspace.compact(revision))
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** A copy of everything that is durable; costs nothing until one of the two changes. */
  snapshot(): Keyspace {
    this.#assertOpen()
    return this.#keyspace.clone()
  }

  #assertOpen(): void {
    if (this.#isClosed) throw storeClosed()
  }

  #assertAcceptable({ key, value, expect }: Proposal): void {
    this.#assertOpen()
    if (this.#unusable !== undefined) throw this.#unusable
    if (value === undefined && !('revision' in expect))
      throw new TypeError(`a deletion names the revision that it deletes; that of ${key} does not`)
    if (!key.isWellFormed()) throw new StoreError('bad-key', `the key ${JSON.stringify(key)} is not well-formed Unicode`)
    if (value !== undefined && value.byteLength > this.#maxValueBytes)
      throw new StoreError('too-large', `the value of ${key} has ${value.byteLength} bytes; at most ${this.#maxValueBytes} can be stored`)
  }

  /** Commits in flight are not counted: they are few. */
  #assertRoom({ value }: Proposal, current: Entry | undefined): void {
    const growth = (value?.byteLength ?? 0) - (current?.sizeBytes ?? 0)
    const quota = current === undefined ? this.#quotaBytes : this.#quotaBytes * (1 + QUOTA_RESERVE)
    if (growth > 0 && this.#keyspace.valueBytes + growth > quota)
      throw new StoreError('over-quota', 'etcdserver: mvcc: database space exceeded')
  }

  #propose(proposal: Proposal, previous: Entry | undefined): Promise<Commit> {
    const { key, value } = proposal
    const revision = this.revision + this.#queue.length + 1
    const entry =
      value === undefined
        ? undefined
        : new KeptEntry({
            key,
            value,
            revision,
            createRevision: previous?.createRevision ?? revision,
            expiresAt: proposal.ttlMs === undefined ? undefined : Math.ceil(this.#clock.now() + proposal.ttlMs),
          })
    const pending: Pending = { revision, key, entry, previous, ...Promise.withResolvers<Commit>() }
    this.#queue.push(pending)
    this.#heads.set(key, pending)
    this.#journal.append(pending)
    return pending.promise
  }

  #durable(revision: Revision): void {
    const count = revision - this.revision
    const done = count >= this.#queue.length ? this.#queue : this.#queue.slice(0, count)
    this.#queue = done === this.#queue ? [] : this.#queue.slice(count)
    const changes = done.map(changeOf)
    for (const change of changes) {
      this.#keyspace.apply(change)
      if (change.kind === 'put') this.#packing.add(change.entry)
    }
    for (const pending of done) if (this.#heads.get(pending.key) === pending) this.#heads.delete(pending.key)
    for (const watcher of this.#watchers) watcher.wake(changes)
    for (const pending of done) pending.resolve({ kind: 'stored', revision: pending.revision })
    this.#forgetting.grown()
    this.#watchLeases()
  }

  #failed(error: StoreError, broken: boolean): void {
    if (broken) this.#unusable = error
    const lost = this.#queue
    this.#queue = []
    this.#heads.clear()
    for (const pending of lost) pending.reject(error)
  }

  /** Keeps a timer for the lease that ends first. */
  #watchLeases(): void {
    if (this.#expiring || this.#isClosed) return
    const at = this.#keyspace.nextExpiry()
    if (at === this.#leaseTimer?.at) return
    this.#leaseTimer?.stop()
    this.#leaseTimer = undefined
    if (at === undefined) return
    const due = () => {
      this.#leaseTimer = undefined
      void this.#expire()
    }
    const stop = this.#clock.after(Math.max(0, at - this.#clock.now()), due, 'work')
    this.#leaseTimer = { at, stop }
  }

  /** Deletes what has expired. What was replaced meanwhile is a conflict, and stays; what fails is tried again in a while. */
  async #expire(): Promise<void> {
    this.#expiring = true
    const due = this.#keyspace.expired(this.#clock.now())
    const deletions = due.map(({ key, revision }) => this.commit({ key, expect: { revision }, value: undefined }))
    const results = await Promise.allSettled(deletions)
    if (results.some((result) => result.status === 'rejected')) await this.#clock.sleep(EXPIRY_RETRY_MS)
    this.#expiring = false
    if (this.#unusable === undefined) this.#watchLeases()
  }

  async #close(): Promise<void> {
    this.#forgetting.stop()
    this.#packing.stop()
    this.#leaseTimer?.stop()
    await this.#journal.close()
    for (const watcher of this.#watchers) watcher.end(storeClosed())
  }
}

const EXPIRY_RETRY_MS = 10_000

function holds(expect: Expect, current: Entry | undefined): boolean {
  return 'revision' in expect ? current?.revision === expect.revision : current === undefined
}

function changeOf({ revision, key, entry, previous }: Pending): Change {
  if (entry !== undefined) return { kind: 'put', revision, entry, previous }
  if (previous === undefined) throw new Error(`invariant: only a key that exists can be deleted, but ${key} does not`)
  return { kind: 'delete', revision, key, previous }
}
