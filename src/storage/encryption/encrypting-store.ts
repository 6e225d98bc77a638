import { allOf, andThen, type Later } from '../../base/steps.ts'
import { mappedWatcher } from '../mapped-watcher.ts'
import {
  type Change,
  type Commit,
  type Entry,
  type Proposal,
  type RangeOptions,
  type RangeResult,
  type Revision,
  type Store,
  StoreError,
  type Watcher,
} from '../store.ts'
import { identity } from './identity.ts'
import { ENCRYPTED_PREFIX, type ReadValue, startsWith, TransformError, type ValueTransformer } from './value-transformer.ts'

/** The transformer of the value at a key, at this moment: configurations change while a store is open. */
export type TransformerOf = (key: string) => ValueTransformer

/**
 * A store whose values are encrypted in another one. A value that cannot be decrypted is an entry that is `unreadable`; all other entries
 * can be read. It owns the other store.
 */
export class EncryptingStore implements Store {
  readonly #inner: Store
  readonly #transformerOf: TransformerOf
  readonly #root: string
  /** What was stored for a value: a store in this process shows these very bytes to watches, which then need not decrypt them. */
  readonly #written = new WeakMap<Uint8Array, Uint8Array>()

  /** `root`: what the keys of the other store are below; providers authenticate it, too. */
  constructor(inner: Store, transformerOf: TransformerOf, root = '') {
    this.#inner = inner
    this.#transformerOf = transformerOf
    this.#root = root
  }

  latest(): Promise<Revision> {
    return this.#inner.latest()
  }

  async get(key: string): Promise<Entry | undefined> {
    return this.#readIf(await this.#inner.get(key))
  }

  async range(prefix: string, options?: RangeOptions): Promise<RangeResult> {
    const { entries, ...rest } = await this.#inner.range(prefix, options)
    return { ...rest, entries: await allOf(entries.map((entry) => this.#read(entry))) }
  }

  async commit(proposal: Proposal): Promise<Commit> {
    const result = await this.#inner.commit(proposal.value === undefined ? proposal : { ...proposal, value: this.#stored(proposal) })
    return result.kind === 'stored' ? result : { kind: 'conflict', current: await this.#readIf(result.current) }
  }

  watch(prefix: string, after: Revision): Watcher {
    return mappedWatcher(this.#inner.watch(prefix, after), (changes) => allOf(changes.map((change) => this.#readChange(change))))
  }

  compact(revision: Revision): Promise<void> {
    return this.#inner.compact(revision)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inner[Symbol.asyncDispose]()
  }

  #stored({ key, value }: { readonly key: string; readonly value: Uint8Array }): Uint8Array {
    try {
      const stored = this.#transformerOf(key).toStorage(value, this.#root + key)
      if (stored !== value) this.#written.set(stored, value)
      return stored
    } catch (error) {
      throw asStoreError(error)
    }
  }

  async #readIf(entry: Entry | undefined): Promise<Entry | undefined> {
    return entry === undefined ? undefined : this.#read(entry)
  }

  /** The entry itself if its value is not encrypted and need not be. */
  #read(entry: Entry): Later<Entry> {
    if (entry.unreadable !== undefined) return entry
    const transformer = this.#transformerOf(entry.key)
    return transformer === identity && !startsWith(entry.value, ENCRYPTED_PREFIX) ? entry : this.#decrypted(entry, transformer)
  }

  async #decrypted(entry: Entry, transformer: ValueTransformer): Promise<Entry> {
    try {
      return readable(entry, await transformer.fromStorage(entry.value, this.#root + entry.key))
    } catch (error) {
      return unreadable(entry, asStoreError(error))
    }
  }

  #readChange(change: Change): Later<Change> {
    if (change.kind === 'delete') return andThen(this.#readLately(change.previous), (previous) => ({ ...change, previous }))
    const before = change.previous && this.#readLately(change.previous)
    return andThen(this.#readLately(change.entry), (entry) => andThen(before, (previous) => ({ ...change, entry, previous })))
  }

  #readLately(entry: Entry): Later<Entry> {
    const value = entry.unreadable === undefined ? this.#written.get(entry.value) : undefined
    return value === undefined ? this.#read(entry) : readable(entry, { value, stale: false })
  }
}

const readable = ({ key, revision, createRevision, expiresAt }: Entry, { value, stale }: ReadValue): Entry => ({
  key,
  revision,
  createRevision,
  expiresAt,
  value,
  sizeBytes: value.byteLength,
  stale,
})

const unreadable = ({ key, revision, createRevision, expiresAt, sizeBytes }: Entry, error: StoreError): Entry => ({
  key,
  revision,
  createRevision,
  expiresAt,
  sizeBytes,
  unreadable: error,
  get value(): Uint8Array {
    throw error
  },
})

function asStoreError(error: unknown): StoreError {
  if (!(error instanceof TransformError)) throw error
  return new StoreError('untransformable', error.message, { cause: error })
}
