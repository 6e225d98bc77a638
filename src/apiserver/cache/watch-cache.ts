import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { equalJson } from '../../machinery/equal.ts'
import { cloneJson, type KubeObject } from '../../machinery/object.ts'
import type { Reader, ResourceDefinition } from '../../machinery/resource/definition.ts'
import { tooLargeForEtcd } from '../../machinery/status-error.ts'
import type { Commit, Entry, Expect, Proposal, Revision, Store, StoreError } from '../../storage/store.ts'
import { CacheDirectory, type CacheLocation, canShare } from './cache-directory.ts'
import { CacheUpkeep } from './cache-upkeep.ts'
import { MemoryBudget } from './memory-budget.ts'
import { encodeObject, orderedMeta } from './object-bytes.ts'
import { type OwnWrite, OwnWrites } from './own-writes.ts'
import { pastPage } from './past-page.ts'
import type { ChangeListener, Page, PageResult, ResourceCache } from './resource-cache.ts'
import type { ResourceRegistry } from './resource-registry.ts'
import type { SharedCaches } from './shared-caches.ts'
import { builtinPrefix, customPrefix, ROOT, storedAs } from './storage-keys.ts'
import { StoreFollower } from './store-follower.ts'
import { StoreHealth } from './store-health.ts'
import { refusalOf } from './store-refusals.ts'
import { bytesOf, type StoredObject } from './stored-object.ts'
import { mayRecover } from './unreadable-objects.ts'
import { UnreadableRetry } from './unreadable-retry.ts'

/** The result of a write. */
export type Written =
  | { readonly kind: 'stored'; readonly item: StoredObject }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'same'; readonly item: StoredObject }

/** An object that is to be stored. */
export interface NewState {
  readonly object: KubeObject
  /** Without what every read adds, if that differs: a store with a form of its own writes this. */
  readonly written?: KubeObject
}

/** All caches of one server, fed by the watch of one store. */
export interface WatchCache extends AsyncDisposable {
  /** Present state of every resource, in storage versions, frozen. */
  readonly reader: Reader
  /** Everything up to this revision of the store is in the caches; of several stores, that of the resources without one of their own. */
  readonly revision: Revision
  /** Larger objects are refused, in bytes of JSON; infinite if the store refuses them itself. */
  readonly maxObjectBytes: number
  /**
   * Aborted when the store's watch breaks: from then on the caches are stale. Requests that wait for a revision, and every later write and
   * consistent read, fail with 503.
   */
  readonly failed: AbortSignal
  /** The bytes of past states in all caches. */
  readonly pastBytes: number
  /**
   * Calls `listener` for every change of this resource in the cache, in order and synchronously (before the writer gets its response).
   * `object` is undefined for a deletion, `old` for a creation. Present objects are not reported: read them with `reader.list`. Used by
   * indexes (RBAC, quotas). An exception of a listener is logged.
   */
  onChange(group: string, resource: string, listener: ChangeListener): () => void
  cacheOf(group: string, resource: string): ResourceCache
  caches(): Iterable<ResourceCache>
  /** Adds an object that is in no store, of a kind that cannot be written. */
  show(definition: ResourceDefinition, key: string, object: KubeObject): void
  /**
   * The present content, for the caches of another server whose store is a copy of this one's. Costs nothing until one of the two changes.
   */
  share(): SharedCaches
  /** The cache of a definition's objects (that of `storedAs`, if it has one). */
  of(definition: ResourceDefinition): ResourceCache
  /** Resolves when everything committed to the definition's store (undefined: to any) before this call is in the caches. */
  consistent(definition?: ResourceDefinition): Promise<void>
  /** Whether the store responds, soon. Checks that come at once share one request. */
  storeResponds(): Promise<boolean>
  /** Returns false if the caches of the definition's store (undefined: as for `revision`) do not reach the revision in time. */
  reach(revision: Revision, timeoutMs: number, definition?: ResourceDefinition): Promise<boolean>
  /**
   * Stores a new state if the present one is still `replaces`, and resolves when it is in the cache. It belongs to the watch cache from
   * then on.
   */
  put(definition: ResourceDefinition, key: string, state: NewState, replaces: StoredObject | undefined): Promise<Written>
  /**
   * Stores the same state again if the store would write it differently now (encrypted by another key, with what reading added); otherwise
   * nothing is written and the result is the item.
   */
  refresh(definition: ResourceDefinition, item: StoredObject): Promise<Written>
  /** Deletes the item if it is still the present state. */
  remove(
    definition: ResourceDefinition,
    item: StoredObject,
  ): Promise<{ readonly kind: 'gone'; readonly revision: Revision } | { readonly kind: 'conflict' }>
  /** Deletes what the store cannot read at this key. False: it can be read, there is nothing, or it was written anew. */
  removeUnreadable(definition: ResourceDefinition, key: string): Promise<boolean>
  /**
   * A page of an earlier state, from the kept states or the store's history. Throws a `StoreError` with code `compacted` if neither has it.
   */
  pastPage(definition: ResourceDefinition, page: Page, revision: Revision): Promise<PageResult>
}

export interface WatchCacheDeps {
  readonly store: Store
  /** Those present at the start are the built-in kinds: their names are never used for custom objects. */
  readonly definitions: ResourceRegistry
  readonly clock: Clock
  readonly log: Logger
  /** Freeze the cached objects (tests); this makes them slower. */
  readonly freeze?: boolean
  /** Default 64 MiB; see `docs/limits.md`. */
  readonly maxPastBytes?: number
  /** Larger objects are refused here, in etcd's words. Default 1.5 MiB, etcd's limit; a real etcd refuses them itself. */
  readonly maxObjectBytes?: number
  /** How long a health check waits for the store. Default 2 s. */
  readonly healthTimeoutMs?: number
  /** Initial content up to a revision that the store still has; absent: everything is read from the store. */
  readonly shared?: SharedCaches
}

/** The largest object in bytes, as in Kubernetes: etcd accepts 1.5 MiB per request. */
const LARGEST_BYTES = 1.5 * 1024 * 1024
const MAX_PAST_BYTES = 64 * 1024 * 1024

/** Fills the caches from the store, or with shared content, and follows the store's watch. */
export async function openWatchCache(deps: WatchCacheDeps): Promise<WatchCache> {
  const { shared } = deps
  if (shared !== undefined && canShare(shared, deps.definitions)) {
    const watchCache = new StoreWatchCache(deps, shared.revision, shared)
    watchCache.start([])
    await watchCache.consistent()
    return watchCache
  }
  const { entries, revision } = await deps.store.range(ROOT)
  const watchCache = new StoreWatchCache(deps, revision, undefined)
  watchCache.start(entries)
  return watchCache
}

class StoreWatchCache implements WatchCache {
  readonly reader: Reader
  readonly #deps: WatchCacheDeps
  readonly #store: Store
  readonly #budget: MemoryBudget
  readonly #directory: CacheDirectory
  readonly #follower: StoreFollower
  readonly #ownWrites: OwnWrites
  readonly #health: StoreHealth
  readonly #retry: UnreadableRetry
  readonly #upkeep: CacheUpkeep

  constructor(deps: WatchCacheDeps, revision: Revision, shared: SharedCaches | undefined) {
    const { store, clock, log, definitions } = deps
    this.#deps = deps
    this.#store = store
    this.#budget = new MemoryBudget(deps.maxPastBytes ?? MAX_PAST_BYTES)
    this.#directory = new CacheDirectory({ definitions, log, budget: this.#budget, floor: revision, reached: () => this.revision, shared })
    this.#ownWrites = new OwnWrites(deps.freeze === true)
    this.#health = new StoreHealth(store, clock, deps.healthTimeoutMs)
    const caches = () => this.caches()
    this.#retry = new UnreadableRetry({ store, clock, caches })
    const { batches } = this.#directory
    this.#upkeep = new CacheUpkeep({ clock, caches, revision: () => this.revision, beforeAging: () => batches.clear() })
    const follower = {
      itemOf: (location: CacheLocation, entry: Entry) => this.#ownWrites.itemOf(location, entry),
      onUnreadable: (location: CacheLocation, entry: Entry, error: StoreError) => this.#noteUnreadable(location, entry, error),
    }
    this.#follower = new StoreFollower({ store, clock, log, directory: this.#directory, ...follower }, revision)
    this.reader = {
      get: (group, resource, namespace, name) =>
        this.cacheOf(group, resource).get(namespace === '' ? name : `${namespace}/${name}`)?.object,
      list: (group, resource, namespace) => {
        const prefix = namespace === undefined || namespace === '' ? '' : `${namespace}/`
        const cache = this.cacheOf(group, resource)
        return cache.size === 0 ? NOTHING : cache.list({ key: prefix, prefix }).map((item) => item.object)
      },
    }
  }

  /** Takes the first content, and follows the store. */
  start(entries: readonly Entry[]): void {
    for (const entry of entries) this.#follower.load(entry)
    this.#follower.start()
    this.#upkeep.start()
  }

  get revision(): Revision {
    return this.#follower.waiters.seen
  }

  get maxObjectBytes(): number {
    return this.#deps.maxObjectBytes ?? LARGEST_BYTES
  }

  get failed(): AbortSignal {
    return this.#follower.failed
  }

  get pastBytes(): number {
    return this.#budget.heldBytes
  }

  show(definition: ResourceDefinition, key: string, object: KubeObject): void {
    this.#directory.show(definition, key, object)
  }

  share(): SharedCaches {
    return this.#directory.share(this.revision)
  }

  caches(): Iterable<ResourceCache> {
    return this.#directory.all()
  }

  onChange(group: string, resource: string, listener: ChangeListener): () => void {
    return this.cacheOf(group, resource).onChange(listener)
  }

  of(definition: ResourceDefinition): ResourceCache {
    return this.#directory.of(definition)
  }

  cacheOf(group: string, resource: string): ResourceCache {
    return this.#directory.named(group, resource)
  }

  consistent(): Promise<void> {
    return this.#follower.consistent()
  }

  storeResponds(): Promise<boolean> {
    return this.#health.responds()
  }

  reach(revision: Revision, timeoutMs: number): Promise<boolean> {
    return this.#follower.waiters.reach(revision, timeoutMs)
  }

  async put(definition: ResourceDefinition, key: string, state: NewState, replaces: StoredObject | undefined): Promise<Written> {
    this.#follower.waiters.assertAlive()
    const { object } = state
    const custom = definition.customDefinition !== undefined
    object.metadata = orderedMeta(object.metadata, { custom, resourceVersion: '' })
    const value = encodeObject(object, custom)
    if (value.length > this.maxObjectBytes) throw tooLargeForEtcd()
    if (
      replaces !== undefined &&
      sameState(replaces, value, object) &&
      this.#ownWrites.isCompleted(replaces) === (state.written !== undefined)
    )
      return { kind: 'same', item: replaces }
    return this.#write(definition, key, { ...state, value }, replaces)
  }

  async refresh(definition: ResourceDefinition, item: StoredObject): Promise<Written> {
    this.#follower.waiters.assertAlive()
    if (!this.#ownWrites.isCompleted(item) && !(await this.#isStale(definition, item))) return { kind: 'same', item }
    const object = cloneJson(item.object)
    return this.#write(definition, item.key, { value: encodeObject(object, definition.customDefinition !== undefined), object }, item)
  }

  async #isStale(definition: ResourceDefinition, item: StoredObject): Promise<boolean> {
    const entry = await this.#get(this.#directory.storeKey(definition, item.key))
    return entry?.stale === true && entry.revision === item.revision
  }

  async #write(definition: ResourceDefinition, key: string, own: OwnWrite, replaces: StoredObject | undefined): Promise<Written> {
    const { value, object, written = object } = own
    const storeKey = this.#directory.storeKey(definition, key)
    this.#ownWrites.add(storeKey, own)
    try {
      const expect: Expect = replaces === undefined ? { absent: true } : { revision: replaces.revision }
      const ttl = definition.ttlMs === undefined ? {} : { ttlMs: definition.ttlMs }
      const result = await this.#commit({ key: storeKey, expect, value, object: written, ...ttl })
      if (result.kind === 'conflict') {
        await this.consistent()
        return result
      }
      const seen = this.#follower.waiters.until(result.revision)
      if (seen !== undefined) await seen
      return { kind: 'stored', item: own.item ?? this.of(definition).item({ key, source: bytesOf(value), revision: result.revision }) }
    } finally {
      this.#ownWrites.remove(storeKey, own)
    }
  }

  remove(definition: ResourceDefinition, item: StoredObject) {
    return this.#delete(this.#directory.storeKey(definition, item.key), item.revision)
  }

  async #delete(storeKey: string, revision: Revision) {
    this.#follower.waiters.assertAlive()
    const result = await this.#commit({ key: storeKey, expect: { revision }, value: undefined })
    if (result.kind === 'conflict') {
      await this.consistent()
      return { kind: 'conflict' } as const
    }
    await this.#follower.waiters.until(result.revision)
    return { kind: 'gone', revision: result.revision } as const
  }

  async removeUnreadable(definition: ResourceDefinition, key: string): Promise<boolean> {
    const found = this.of(definition).unreadable.get(key)
    if (found === undefined) return false
    const removed = await this.#delete(found.storeKey, found.revision)
    return removed.kind === 'gone'
  }

  async pastPage(definition: ResourceDefinition, page: Page, revision: Revision): Promise<PageResult> {
    const cache = this.of(definition)
    const { group, resource } = storedAs(definition)
    const custom = definition.customDefinition !== undefined
    const prefixes = custom ? [customPrefix(group, resource), builtinPrefix(group, resource)] : [builtinPrefix(group, resource)]
    return (await cache.nextPage(page, revision)) ?? pastPage({ store: this.#store, cache, prefixes }, page, revision)
  }

  async #commit(proposal: Proposal): Promise<Commit> {
    try {
      return await this.#store.commit(proposal)
    } catch (error) {
      throw refusalOf(error, this.#deps.log)
    }
  }

  async #get(storeKey: string): Promise<Entry | undefined> {
    try {
      return await this.#store.get(storeKey)
    } catch (error) {
      throw refusalOf(error, this.#deps.log)
    }
  }

  #noteUnreadable({ cache, key }: CacheLocation, { key: storeKey, revision }: Entry, error: StoreError): void {
    this.#deps.log.error('an object in the store cannot be read', { key: storeKey, error })
    cache.unreadable.set(key, { storeKey, revision, error })
    if (mayRecover(error)) this.#retry.schedule()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#upkeep[Symbol.dispose]()
    await this.#retry[Symbol.asyncDispose]()
    await this.#follower[Symbol.asyncDispose]()
  }
}

const NOTHING: readonly KubeObject[] = []

/** True if both are equal except for the order of keys; then they have the same length in bytes. */
function sameState(old: StoredObject, value: Buffer, object: KubeObject): boolean {
  if (old.sizeBytes !== value.length) return false
  return (
    old.stored.equals(value) ||
    equalJson(old.object, { ...object, metadata: { ...object.metadata, resourceVersion: String(old.revision) } })
  )
}
