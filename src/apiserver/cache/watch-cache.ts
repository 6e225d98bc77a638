import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { equalJson } from '../../machinery/equal.ts'
import { cloneJson, deepFreeze, type KubeObject } from '../../machinery/object.ts'
import type { Reader, ResourceDefinition } from '../../machinery/resource/definition.ts'
import { StatusError } from '../../machinery/status-error.ts'
import {
  type Change,
  type Commit,
  type Entry,
  type Expect,
  type Proposal,
  type RangeResult,
  type Revision,
  type Store,
  StoreError,
  type Watcher,
} from '../../storage/store.ts'
import { BatchPool } from './batch-pool.ts'
import { CacheUpkeep } from './cache-upkeep.ts'
import { MemoryBudget } from './memory-budget.ts'
import { encodeObject, orderedMeta } from './object-bytes.ts'
import { pastPage } from './past-page.ts'
import { type ChangeListener, type Page, type PageResult, ResourceCache, type SharedItems } from './resource-cache.ts'
import type { ResourceRegistry } from './resource-registry.ts'
import { RevisionWaiters } from './revision-waiters.ts'
import type { SharedCaches } from './shared-caches.ts'
import { builtinPrefix, customPrefix, namesIn, prefixOf, ROOT, storedAs } from './storage-keys.ts'
import { StoreHealth } from './store-health.ts'
import { refusalOf, unavailable } from './store-refusals.ts'
import { bytesOf, type StoredObject } from './stored-object.ts'
import { mayRecover } from './unreadable-objects.ts'
import { UnreadableRetry } from './unreadable-retry.ts'

/** The result of a write. */
export type Written =
  | { readonly kind: 'stored'; readonly item: StoredObject }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'same'; readonly item: StoredObject }

/** All caches of one server, fed by the watch of one store. */
export interface WatchCache extends AsyncDisposable {
  /** Present state of every resource, in storage versions, frozen. */
  readonly reader: Reader
  /** Everything up to this revision is in the caches. */
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
  /** Resolves when everything committed before this call is in the caches. */
  consistent(): Promise<void>
  /** Whether the store responds, soon. Checks that come at once share one request. */
  storeResponds(): Promise<boolean>
  /** Returns false if the caches do not reach the revision in time. */
  reach(revision: Revision, timeoutMs: number): Promise<boolean>
  /**
   * Stores a new state if the present one is still `replaces`, and resolves when it is in the cache. The object belongs to the watch cache
   * from then on.
   */
  put(definition: ResourceDefinition, key: string, object: KubeObject, replaces: StoredObject | undefined): Promise<Written>
  /**
   * Stores the same state again if the store would write it differently now (encrypted by another key); otherwise nothing is written and
   * the result is the item.
   */
  refresh(definition: ResourceDefinition, item: StoredObject): Promise<Written>
  /** Deletes the item if it is still the present state. */
  remove(
    definition: ResourceDefinition,
    item: StoredObject,
  ): Promise<{ readonly kind: 'gone'; readonly revision: Revision } | { readonly kind: 'conflict' }>
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

/** A write that is not yet seen on the watch: the bytes and the object that it stores. */
interface Underway {
  readonly value: Buffer
  readonly object: KubeObject
  /** The item made from it when the watch delivered it. */
  item?: StoredObject
}

/** Where an object is in the caches. */
interface CacheEntry {
  readonly cache: ResourceCache
  readonly key: string
  /** At the prefix of an earlier version. */
  readonly old: boolean
}

/** The largest object in bytes, as in Kubernetes: etcd accepts 1.5 MiB per request. */
const LARGEST_BYTES = 1.5 * 1024 * 1024
const MAX_PAST_BYTES = 64 * 1024 * 1024
interface Shared {
  readonly builtin: ReadonlySet<string>
  readonly atOldPlace: ReadonlySet<string>
  readonly items: ReadonlyMap<string, SharedItems>
}

/** The content of each `SharedCaches`, which is opaque to its holders. */
const SHARED = new WeakMap<SharedCaches, Shared>()

/** Fills the caches from the store, or with shared content, and follows the store's watch. */
export async function openWatchCache(deps: WatchCacheDeps): Promise<WatchCache> {
  const shared = deps.shared && SHARED.get(deps.shared)
  if (deps.shared !== undefined && shared !== undefined && sameNames(shared.builtin, builtinNames(deps.definitions))) {
    const watchCache = new StoreWatchCache(deps, deps.shared.revision, shared)
    watchCache.follow()
    await watchCache.consistent()
    return watchCache
  }
  const { entries, revision } = await deps.store.range(ROOT)
  const watchCache = new StoreWatchCache(deps, revision)
  for (const entry of entries) watchCache.load(entry)
  watchCache.follow()
  return watchCache
}

class StoreWatchCache implements WatchCache {
  readonly reader: Reader
  readonly #deps: WatchCacheDeps
  readonly #store: Store
  readonly #budget: MemoryBudget
  readonly #batches = new BatchPool()
  /** `group/resource` of the built-in kinds. */
  readonly #builtin: ReadonlySet<string>
  /** Resources that expire (events, leases): there are many objects of them, and they are rarely read. */
  readonly #passing: ReadonlySet<string>
  /** Caches by `group/resource`, and by the prefix under which objects are stored. */
  readonly #byName = new Map<string, ResourceCache>()
  readonly #byPrefix = new Map<string, ResourceCache>()
  /** The cache of each prefix of the store; `old`: custom objects at the prefix of an earlier version. */
  readonly #shelves = new Map<string, { readonly cache: ResourceCache; readonly old: boolean }>()
  /** Store keys of custom objects that are at the prefix of an earlier version. */
  readonly #atOldPlace = new Set<string>()
  #watcher: Watcher
  /** The store is older than what it had shown: everything is read again. */
  #rewound = false
  readonly #failed = new AbortController()
  readonly #floor: Revision
  readonly #waiters: RevisionWaiters
  /** Writes not yet seen on the watch, by store key: their objects need not be parsed again. */
  readonly #underway = new Map<string, Underway[]>()
  /** Caches of kinds that are in no store. */
  readonly #shown = new Set<ResourceCache>()
  #following: Promise<void> = Promise.resolve()
  readonly #health: StoreHealth
  readonly #retry: UnreadableRetry
  readonly #upkeep: CacheUpkeep

  constructor(deps: WatchCacheDeps, revision: Revision, shared?: Shared) {
    this.#deps = deps
    this.#store = deps.store
    this.#health = new StoreHealth(deps.store, deps.clock, deps.healthTimeoutMs)
    const { clock } = deps
    const caches = () => this.caches()
    this.#retry = new UnreadableRetry({ store: deps.store, clock, caches })
    this.#upkeep = new CacheUpkeep({ clock, caches, revision: () => this.revision, beforeAging: () => this.#batches.clear() })
    this.#budget = new MemoryBudget(deps.maxPastBytes ?? MAX_PAST_BYTES)
    this.#builtin = builtinNames(deps.definitions)
    this.#passing = new Set(deps.definitions.all().flatMap((d) => (d.ttlMs === undefined ? [] : [nameOf(storedAs(d))])))
    this.#floor = revision
    this.#waiters = new RevisionWaiters(revision, deps.clock)
    for (const key of shared?.atOldPlace ?? []) this.#atOldPlace.add(key)
    for (const [prefix, items] of shared?.items ?? []) {
      const { group, resource } = namesIn(prefix)
      this.#cacheAt(prefix, group, resource, items)
    }
    // All keys, not objects only: the latest revision may belong to something else, and waiters for it must see it.
    this.#watcher = deps.store.watch('', revision)
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

  get revision(): Revision {
    return this.#waiters.seen
  }

  get maxObjectBytes(): number {
    return this.#deps.maxObjectBytes ?? LARGEST_BYTES
  }

  get failed(): AbortSignal {
    return this.#failed.signal
  }

  get pastBytes(): number {
    return this.#budget.heldBytes
  }

  show(definition: ResourceDefinition, key: string, object: KubeObject): void {
    const cache = this.of(definition)
    this.#shown.add(cache)
    cache.load(cache.item({ key, source: bytesOf(encodeObject(object)), revision: 0 }))
  }

  share(): SharedCaches {
    const { revision } = this
    const items = new Map<string, SharedItems>()
    for (const [prefix, cache] of this.#byPrefix)
      if (!this.#shown.has(cache) && cache.size > 0) items.set(prefix, cache.share(revision, namesIn(prefix).custom))
    const caches: SharedCaches = { revision }
    SHARED.set(caches, { builtin: this.#builtin, atOldPlace: new Set(this.#atOldPlace), items })
    return caches
  }

  caches(): Iterable<ResourceCache> {
    return new Set([...this.#byName.values(), ...this.#byPrefix.values()])
  }

  onChange(group: string, resource: string, listener: ChangeListener): () => void {
    return this.cacheOf(group, resource).onChange(listener)
  }

  of(definition: ResourceDefinition): ResourceCache {
    const { group, resource } = storedAs(definition)
    if (definition.customDefinition === undefined) return this.cacheOf(group, resource)
    return this.#cacheAt(customPrefix(group, resource), group, resource)
  }

  cacheOf(group: string, resource: string): ResourceCache {
    const name = `${group}/${resource}`
    let cache = this.#byName.get(name)
    if (cache === undefined) {
      cache = this.#cacheAt(this.#builtin.has(name) ? builtinPrefix(group, resource) : customPrefix(group, resource), group, resource)
      this.#byName.set(name, cache)
    }
    return cache
  }

  #cacheAt(prefix: string, group: string, resource: string, make: SharedItems = (init) => new ResourceCache(init)): ResourceCache {
    let cache = this.#byPrefix.get(prefix)
    if (cache === undefined) {
      cache = make({
        group,
        resource,
        floor: this.#floor,
        budget: this.#budget,
        batches: this.#batches,
        log: this.#deps.log,
        cools: this.#passing.has(`${group}/${resource}`),
      })
      this.#byPrefix.set(prefix, cache)
    }
    return cache
  }

  load(entry: Entry): void {
    const place = this.#place(entry.key)
    if (place === undefined) return
    if (place.old) this.#atOldPlace.add(entry.key)
    if (entry.unreadable !== undefined) this.#unreadable(place, entry, entry.unreadable)
    else place.cache.load(place.cache.item({ key: place.key, source: entry, revision: entry.revision }))
  }

  follow(): void {
    this.#following = this.#follow()
    this.#upkeep.start()
  }

  async #follow(): Promise<void> {
    try {
      while (await this.#followOne()) await this.#restart()
      this.#waiters.fail(unavailable('this server is shutting down'))
    } catch (error) {
      this.#deps.log.error('the watch of the store broke; this server must be started again', { error })
      this.#waiters.fail(unavailable('the storage of this server failed; it must be started again', error))
      this.#failed.abort(error)
    }
  }

  /** Follows one watch to its end; true if changes were lost, and everything has to be read again. */
  async #followOne(): Promise<boolean> {
    try {
      for await (const changes of this.#watcher.changes) this.#apply(changes, this.#watcher.reached)
      return this.#rewound
    } catch (error) {
      if (error instanceof StoreError && error.code === 'compacted') return true
      throw error
    }
  }

  /** Reads everything again, and watches from there. */
  async #restart(): Promise<void> {
    this.#deps.log.warn('changes of the store were lost: the caches are filled again')
    const { entries, revision } = await this.#rangeAgain()
    const items = new Map<ResourceCache, StoredObject[]>()
    for (const entry of entries) {
      const place = this.#place(entry.key)
      if (place === undefined) continue
      const item = place.cache.item({ key: place.key, source: entry, revision: entry.revision })
      const known = items.get(place.cache)
      if (known === undefined) items.set(place.cache, [item])
      else known.push(item)
    }
    this.#rewound = false
    this.#watcher = this.#store.watch('', revision)
    this.#waiters.restart(revision, unavailable('the storage of this server was read again: try again'))
    for (const cache of this.caches()) if (!this.#shown.has(cache)) cache.restart(items.get(cache) ?? [], revision)
  }

  async #rangeAgain(): Promise<RangeResult> {
    for (;;) {
      try {
        return await this.#store.range(ROOT)
      } catch (error) {
        if (!(error instanceof StoreError) || !TRANSIENT.has(error.code)) throw error
        await this.#deps.clock.sleep(RESTART_PAUSE_MS)
      }
    }
  }

  /** `reached`: nothing up to this revision is missing. */
  #apply(changes: readonly Change[], reached: Revision): void {
    const touched = new Set<ResourceCache>()
    for (const change of changes) {
      const storeKey = change.kind === 'put' ? change.entry.key : change.key
      const place = this.#place(storeKey)
      if (place === undefined) continue
      touched.add(place.cache)
      if (change.kind === 'delete') {
        if (place.old) this.#atOldPlace.delete(storeKey)
        place.cache.unreadable.delete(place.key)
        place.cache.delete(place.key, change.revision)
      } else if (change.entry.unreadable !== undefined) this.#unreadable(place, change.entry, change.entry.unreadable)
      else {
        place.cache.unreadable.delete(place.key)
        place.cache.put(this.#arrived(place, change.entry))
      }
    }
    // Woken waiters may read the revision of the caches.
    this.#waiters.advance(reached)
    for (const cache of touched) cache.watchers.flush()
  }

  #unreadable({ cache, key }: CacheEntry, { key: storeKey, revision }: Entry, error: StoreError): void {
    this.#deps.log.error('an object in the store cannot be read', { key: storeKey, error })
    cache.unreadable.set(key, { storeKey, revision, error })
    if (mayRecover(error)) this.#retry.schedule()
  }

  /** The item of a change. The object of this server's own write is known already. */
  #arrived({ cache, key }: CacheEntry, entry: Entry): StoredObject {
    const { revision } = entry
    const mine = this.#underway
      .get(entry.key)
      ?.find((u) => u.item === undefined && (u.value === entry.value || u.value.equals(entry.value)))
    if (mine === undefined) return cache.item({ key, source: entry, revision })
    mine.object.metadata.resourceVersion = String(revision)
    if (this.#deps.freeze === true) deepFreeze(mine.object)
    mine.item = cache.item({ key, source: entry, revision, object: mine.object })
    return mine.item
  }

  #place(storeKey: string): CacheEntry | undefined {
    const prefix = prefixOf(storeKey)
    if (prefix === undefined) return undefined
    let shelf = this.#shelves.get(prefix)
    if (shelf === undefined) {
      const { group, resource, custom } = namesIn(prefix)
      const cache = custom ? this.#cacheAt(prefix, group, resource) : this.cacheOf(group, resource)
      shelf = { cache, old: !custom && !this.#builtin.has(`${group}/${resource}`) }
      this.#shelves.set(prefix, shelf)
    }
    return { ...shelf, key: storeKey.slice(prefix.length) }
  }

  async consistent(): Promise<void> {
    this.#waiters.assertAlive()
    const before = this.#waiters.seen
    let latest: Revision
    try {
      latest = await this.#store.latest()
    } catch (error) {
      throw refusalOf(error, this.#deps.log)
    }
    if (latest < before) await this.#rewind()
    const seen = this.#waiters.until(latest)
    if (seen !== undefined) await seen
  }

  storeResponds(): Promise<boolean> {
    return this.#health.responds()
  }

  /** The store was restored to an older state: what the caches show was undone. */
  async #rewind(): Promise<never> {
    if (!this.#rewound) {
      this.#rewound = true
      await this.#watcher[Symbol.asyncDispose]()
    }
    throw unavailable('the storage of this server was restored to an older state, and is read again: try again')
  }

  reach(revision: Revision, timeoutMs: number): Promise<boolean> {
    return this.#waiters.reach(revision, timeoutMs)
  }

  async put(definition: ResourceDefinition, key: string, object: KubeObject, replaces: StoredObject | undefined): Promise<Written> {
    this.#waiters.assertAlive()
    object.metadata = orderedMeta(object.metadata)
    const value = encodeObject(object, definition.customDefinition !== undefined)
    if (value.length > this.maxObjectBytes) throw new StatusError({ code: 500, message: 'etcdserver: request is too large' })
    if (replaces !== undefined && sameState(replaces, value, object)) return { kind: 'same', item: replaces }
    return this.#write(definition, key, { value, object }, replaces)
  }

  async refresh(definition: ResourceDefinition, item: StoredObject): Promise<Written> {
    this.#waiters.assertAlive()
    const entry = await this.#get(this.#storeKey(definition, item.key))
    if (entry?.stale !== true || entry.revision !== item.revision) return { kind: 'same', item }
    const object = cloneJson(item.object)
    return this.#write(definition, item.key, { value: encodeObject(object, definition.customDefinition !== undefined), object }, item)
  }

  async #write(definition: ResourceDefinition, key: string, underway: Underway, replaces: StoredObject | undefined): Promise<Written> {
    const { value } = underway
    const storeKey = this.#storeKey(definition, key)
    this.#underway.set(storeKey, [...(this.#underway.get(storeKey) ?? []), underway])
    try {
      const expect: Expect = replaces === undefined ? { absent: true } : { revision: replaces.revision }
      const ttl = definition.ttlMs === undefined ? {} : { ttlMs: definition.ttlMs }
      const result = await this.#commit({ key: storeKey, expect, value, ...ttl })
      if (result.kind === 'conflict') {
        await this.consistent()
        return result
      }
      const seen = this.#waiters.until(result.revision)
      if (seen !== undefined) await seen
      return { kind: 'stored', item: underway.item ?? this.of(definition).item({ key, source: bytesOf(value), revision: result.revision }) }
    } finally {
      const others = this.#underway.get(storeKey)?.filter((u) => u !== underway) ?? []
      if (others.length === 0) this.#underway.delete(storeKey)
      else this.#underway.set(storeKey, others)
    }
  }

  async remove(definition: ResourceDefinition, item: StoredObject) {
    this.#waiters.assertAlive()
    const key = this.#storeKey(definition, item.key)
    const result = await this.#commit({ key, expect: { revision: item.revision }, value: undefined })
    if (result.kind === 'conflict') {
      await this.consistent()
      return { kind: 'conflict' } as const
    }
    await this.#waiters.until(result.revision)
    return { kind: 'gone', revision: result.revision } as const
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

  /** The store key of an object, present or future. */
  #storeKey(definition: ResourceDefinition, key: string): string {
    const { group, resource } = storedAs(definition)
    const plain = builtinPrefix(group, resource) + key
    return definition.customDefinition === undefined || this.#atOldPlace.has(plain) ? plain : customPrefix(group, resource) + key
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#upkeep[Symbol.dispose]()
    await this.#retry[Symbol.asyncDispose]()
    await this.#watcher[Symbol.asyncDispose]()
    await this.#following
  }
}

const NOTHING: readonly KubeObject[] = []

/** Errors after which a range is tried again. */
const TRANSIENT: ReadonlySet<string> = new Set(['unavailable', 'timeout', 'no-leader', 'compacted'])
const RESTART_PAUSE_MS = 1000

const builtinNames = (definitions: ResourceRegistry) => new Set(definitions.all().map((d) => nameOf(storedAs(d))))

const sameNames = (a: ReadonlySet<string>, b: ReadonlySet<string>) => a.size === b.size && a.isSubsetOf(b)

const nameOf = ({ group, resource }: { readonly group: string; readonly resource: string }) => `${group}/${resource}`

/** True if both are equal except for the order of keys; then they have the same length in bytes. */
function sameState(old: StoredObject, value: Buffer, object: KubeObject): boolean {
  if (old.sizeBytes !== value.length) return false
  return (
    old.stored.equals(value) ||
    equalJson(old.object, { ...object, metadata: { ...object.metadata, resourceVersion: String(old.revision) } })
  )
}
