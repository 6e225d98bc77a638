import { prefixOf, ROOT } from '../../apiserver/cache/storage-keys.ts'
import { messageOf } from '../../base/message-of.ts'
import { type KeyNames, keyNames } from '../../resources/etcd-keys.ts'
import { mappedWatcher } from '../../storage/mapped-watcher.ts'
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
} from '../../storage/store.ts'
import { OwnValues } from './own-values.ts'
import type { StoredValues } from './stored-values.ts'

const CUSTOM = `${ROOT}custom/`

/**
 * A store whose keys and values are those of kube-apiserver: `below` has `pods/default/a` in protobuf, where the watch cache has
 * `/registry/core/pods/default/a` in JSON. Values are decoded when they are first read.
 */
export class LayoutStore implements Store {
  readonly #below: Store
  readonly #values: StoredValues
  readonly #names: KeyNames = keyNames()
  /** Where each resource is in the store below, by its prefix here. */
  readonly #prefixes = new Map<string, string>()
  readonly #own = new OwnValues()
  /** A watch was opened: it delivers what is written. */
  #watched = false

  constructor(below: Store, values: StoredValues) {
    this.#below = below
    this.#values = values
  }

  latest(): Promise<Revision> {
    return this.#below.latest()
  }

  async get(key: string): Promise<Entry | undefined> {
    const found = await this.#below.get(this.#outside(key))
    return found && checked(this.#entry(found))
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<RangeResult> {
    const { from = prefix } = options
    const { entries, ...rest } = await this.#below.range(this.#outside(prefix), { ...options, from: this.#outside(from) })
    return { ...rest, entries: entries.map((entry) => this.#entry(entry)) }
  }

  async commit(proposal: Proposal): Promise<Commit> {
    const key = this.#outside(proposal.key)
    if (proposal.value === undefined) return this.#seen(await this.#below.commit({ ...proposal, key }))
    const { object, ...put } = proposal
    const stored = proposal.key.startsWith(CUSTOM) ? this.#values.encodeCustom(put.value, object) : this.#values.encode(put.value, object)
    const own = { json: proposal.value, stored }
    this.#own.add(key, own)
    let awaited = false
    try {
      const commit = await this.#below.commit({ ...put, key, value: stored })
      // The watch may deliver it before or after this response.
      awaited = commit.kind === 'stored' && this.#watched
      return this.#seen(commit)
    } finally {
      if (!awaited) this.#own.drop(key, own)
    }
  }

  watch(prefix: string, after: Revision): Watcher {
    this.#own.clear()
    this.#watched = true
    return mappedWatcher(this.#below.watch(this.#outside(prefix), after), (changes) => changes.map((change) => this.#change(change)))
  }

  compact(revision: Revision): Promise<void> {
    return this.#below.compact(revision)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#below[Symbol.asyncDispose]()
  }

  #outside(key: string): string {
    if (key === ROOT) return ''
    if (!key.startsWith(ROOT)) return key.slice(1)
    const prefix = prefixOf(key)
    if (prefix === undefined) return this.#names.outside(key).slice(ROOT.length)
    let outside = this.#prefixes.get(prefix)
    if (outside === undefined) {
      outside = this.#names.outside(prefix).slice(ROOT.length)
      this.#prefixes.set(prefix, outside)
    }
    return outside + key.slice(prefix.length)
  }

  #inside(key: string): string {
    return OWN.test(key) ? `/${key}` : this.#names.inside(ROOT + key)
  }

  #entry(below: Entry): Entry {
    return this.#entryAt(this.#inside(below.key), below)
  }

  /** `json`: the value decoded, if it is at hand. */
  #entryAt(key: string, below: Entry, json?: Uint8Array): Entry {
    return below.unreadable === undefined ? new LaidOutEntry(below, key, this.#values, json) : withKey(below, key, below.unreadable)
  }

  #change(change: Change): Change {
    const below = change.kind === 'put' ? change.entry : change.previous
    const key = this.#inside(below.key)
    if (change.kind === 'delete') return { ...change, key, previous: this.#entryAt(key, below) }
    const json = below.unreadable === undefined ? this.#own.deliver(below.key, below.value) : undefined
    const previous = change.previous && this.#entryAt(key, change.previous)
    return { ...change, entry: checked(this.#entryAt(key, below, json)), previous }
  }

  #seen(commit: Commit): Commit {
    return commit.kind === 'stored' || commit.current === undefined ? commit : { ...commit, current: this.#entry(commit.current) }
  }
}

/** What is no object of the API: the watch cache does not look at it. */
const OWN = /^(masterleases|peerserverleases|ranges)\//

/** Decoded now: what is no object is an entry that cannot be read. */
function checked(entry: Entry): Entry {
  const { undecodable } = entry
  return undecodable === undefined ? entry : withKey(entry, entry.key, undecodable)
}

/** An entry that cannot be read. */
const withKey = ({ sizeBytes, revision, createRevision, expiresAt }: Entry, key: string, unreadable: StoreError): Entry => ({
  key,
  sizeBytes,
  revision,
  createRevision,
  expiresAt,
  unreadable,
  get value(): Uint8Array {
    throw unreadable
  },
})

/** An entry whose value is decoded when it is first read; then the stored bytes are dropped. */
class LaidOutEntry implements Entry {
  readonly key: string
  readonly sizeBytes: number
  readonly revision: Revision
  readonly createRevision: Revision
  readonly expiresAt: number | undefined
  readonly stale: boolean
  readonly #values: StoredValues
  #stored: Uint8Array | undefined
  #json: Uint8Array | undefined

  constructor(below: Entry, key: string, values: StoredValues, json: Uint8Array | undefined) {
    this.key = key
    this.sizeBytes = below.sizeBytes
    this.revision = below.revision
    this.createRevision = below.createRevision
    this.expiresAt = below.expiresAt
    this.stale = below.stale ?? false
    this.#values = values
    this.#json = json
    this.#stored = json === undefined ? below.value : undefined
  }

  get value(): Uint8Array {
    this.#json ??= this.#values.decode(this.#stored ?? NOTHING, this.key)
    this.#stored = undefined
    return this.#json
  }

  get undecodable(): StoreError | undefined {
    try {
      void this.value
      return undefined
    } catch (error) {
      return new StoreError('undecodable', messageOf(error), { cause: error })
    }
  }
}

const NOTHING = new Uint8Array(0)
