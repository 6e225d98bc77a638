import sortedBTree from 'sorted-btree'
import { byText } from '../base/by-text.ts'
import { type Change, type Entry, type RangeOptions, type RangeResult, type Revision, StoreError } from './store.ts'

const BTree = sortedBTree.default
type Tree<K, V> = sortedBTree.default<K, V>

const byNumber = (a: number, b: number) => a - b

/**
 * All keys at the latest durable revision, and the changes since the last compaction.
 * Invariant: there is exactly one change for each revision in (`compacted`, `revision`], so a past state is the current one with changes
 * undone.
 */
export class Keyspace {
  readonly #entries: Tree<string, Entry>
  readonly #history: Tree<Revision, Change>
  /** The entries that expire, in order of time. */
  readonly #leases: Tree<Entry, undefined>
  #revision: Revision
  #compacted: Revision
  #historyBytes = 0
  #valueBytes = 0
  /**
   * The past state that was read last: the pages of one list are read from one state. It shares all its entries with the present and the
   * history.
   */
  #past: { readonly revision: Revision; readonly prefix: string; readonly tree: Tree<string, Entry> } | undefined

  constructor(compacted: Revision = 1, of?: Keyspace) {
    this.#entries = of === undefined ? new BTree<string, Entry>(undefined, byText) : of.#entries.clone()
    this.#history = of === undefined ? new BTree<Revision, Change>(undefined, byNumber) : of.#history.clone()
    this.#leases = of === undefined ? new BTree<Entry, undefined>(undefined, byExpiry) : of.#leases.clone()
    this.#revision = of?.revision ?? compacted
    this.#compacted = compacted
    this.#historyBytes = of?.historyBytes ?? 0
    this.#valueBytes = of?.valueBytes ?? 0
  }

  /** The latest revision. */
  get revision(): Revision {
    return this.#revision
  }

  /** The oldest revision that can still be read. */
  get compacted(): Revision {
    return this.#compacted
  }

  /** How many bytes of values are held for the past alone. */
  get historyBytes(): number {
    return this.#historyBytes
  }

  /** The bytes of all current values. */
  get valueBytes(): number {
    return this.#valueBytes
  }

  /** An independent copy; costs nothing until one of the two changes (the trees share their nodes). */
  clone(): Keyspace {
    return new Keyspace(this.#compacted, this)
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key)
  }

  /** All current entries, in order of keys. */
  entries(): IterableIterator<Entry> {
    return this.#entries.values()
  }

  /** Adds the next change. */
  apply(change: Change): void {
    this.#revision = change.revision
    this.#history.set(change.revision, change)
    this.#historyBytes += supersededBytes(change)
    this.#set(change.kind === 'put' ? change.entry.key : change.key, change.kind === 'put' ? change.entry : undefined, change.previous)
  }

  /** Adds a change that is so old that the past forgets it at once. */
  applyCompacted(key: string, entry: Entry | undefined): void {
    this.#set(key, entry, this.#entries.get(key))
  }

  /** Changes under the prefix after a revision, in order. */
  changes(prefix: string, after: Revision): Change[] {
    const found: Change[] = []
    this.#history.forRange(after + 1, this.#revision, true, (_revision, change) => {
      if (changedKey(change).startsWith(prefix)) found.push(change)
    })
    return found
  }

  range(prefix: string, { revision = this.#revision, limit, from = prefix }: RangeOptions = {}): RangeResult {
    if (revision > this.#revision)
      throw new StoreError('future', `revision ${revision} is not there yet; the store is at ${this.#revision}: ask again later`)
    this.#assertKept(revision)
    const tree = this.#treeAt(revision, prefix)
    const low = from > prefix ? from : prefix
    const entries: Entry[] = []
    for (const [key, entry] of tree.entries(low)) {
      if (!key.startsWith(prefix) || (limit !== undefined && entries.length > limit)) break
      entries.push(entry)
    }
    const next = limit !== undefined && entries.length > limit ? entries.pop() : undefined
    return { entries, revision, more: next !== undefined, remaining: next === undefined ? 0 : countFrom(tree, next.key, prefix) }
  }

  /**
   * Drops the changes up to a revision, which the caller has checked to be within the history. Returns the revisions whose records are no
   * longer needed. They must be deleted in this order: if a deletion's record were removed before the put that it deleted, that put would
   * become current again.
   */
  compact(revision: Revision): Revision[] {
    const garbage: Revision[] = []
    this.#history.forRange(this.#compacted + 1, revision, true, (_revision, change) => {
      this.#historyBytes -= supersededBytes(change)
      if (change.previous !== undefined) garbage.push(change.previous.revision)
      if (change.kind === 'delete') garbage.push(change.revision)
    })
    this.#history.deleteRange(this.#compacted + 1, revision, true)
    this.#compacted = revision
    if (this.#past !== undefined && this.#past.revision < revision) this.#past = undefined
    return garbage
  }

  /** When the next lease ends. */
  nextExpiry(): number | undefined {
    return this.#leases.minKey()?.expiresAt
  }

  /** The entries whose lease has ended at `nowMs`, earliest first. */
  expired(nowMs: number): Entry[] {
    const found: Entry[] = []
    for (const entry of this.#leases.keys()) {
      if (expiryOf(entry) > nowMs) break
      found.push(entry)
    }
    return found
  }

  #set(key: string, entry: Entry | undefined, previous: Entry | undefined): void {
    this.#valueBytes += (entry?.sizeBytes ?? 0) - (previous?.sizeBytes ?? 0)
    if (previous?.expiresAt !== undefined) this.#leases.delete(previous)
    if (entry === undefined) this.#entries.delete(key)
    else this.#entries.set(key, entry)
    if (entry?.expiresAt !== undefined) this.#leases.set(entry, undefined)
  }

  #assertKept(revision: Revision): void {
    if (revision < this.#compacted)
      throw new StoreError(
        'compacted',
        `revision ${revision} was compacted; the oldest that is kept is ${this.#compacted}: read again without a revision`,
      )
  }

  #treeAt(revision: Revision, prefix: string): Tree<string, Entry> {
    if (revision === this.#revision) return this.#entries
    if (this.#past?.revision === revision && this.#past.prefix === prefix) return this.#past.tree
    const tree = this.#entries.clone()
    for (const change of this.changes(prefix, revision).reverse()) {
      if (change.previous === undefined) tree.delete(changedKey(change))
      else tree.set(changedKey(change), change.previous)
    }
    this.#past = { revision, prefix, tree }
    return tree
  }
}

/** The key that a change is about. */
export const changedKey = (change: Change): string => (change.kind === 'put' ? change.entry.key : change.key)

const supersededBytes = (change: Change) => change.previous?.sizeBytes ?? 0

const expiryOf = ({ expiresAt = 0 }: Entry) => Math.max(0, Math.ceil(expiresAt))
const byExpiry = (a: Entry, b: Entry) => expiryOf(a) - expiryOf(b) || byText(a.key, b.key)

function countFrom(tree: Tree<string, Entry>, low: string, prefix: string): number {
  const last = prefix.charCodeAt(prefix.length - 1)
  // The smallest string behind all that begin with the prefix; without one, what follows must be looked at one by one.
  if (prefix === '') return tree.forRange(low, tree.maxKey() ?? low, true)
  if (last < 0xffff) return tree.forRange(low, prefix.slice(0, -1) + String.fromCharCode(last + 1), false)
  let n = 0
  for (const key of tree.keys(low)) {
    if (!key.startsWith(prefix)) break
    n++
  }
  return n
}
