import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { equalJson } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Reader, ResourceDefinition } from '../../machinery/resource/definition.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { Change, Expect, Revision, Store, Watcher } from '../../storage/store.ts'
import type { Definitions } from './definitions.ts'
import { Item } from './item.ts'
import { encodeObject, orderedMeta } from './object-bytes.ts'
import { type ChangeListener, ResourceCache } from './resource-cache.ts'

/** What came of a write. */
export type Written =
  | { readonly kind: 'stored'; readonly item: Item }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'same'; readonly item: Item }

/** All caches of one server, fed by the watch of one store. */
export interface Registry extends AsyncDisposable {
  /** Present state of every resource, in storage versions, frozen. */
  readonly reader: Reader
  /** Everything up to this revision is in the caches. */
  readonly revision: Revision
  /** Aborted when the store's watch breaks: this server knows nothing new from then on. */
  readonly failed: AbortSignal
  /**
   * Calls `listener` for every change of this resource in the cache, in order and at once (before whoever wrote is answered): `object` is undefined
   * after a deletion, `old` at a creation. What is there already is not told: read it with `reader.list`. Whoever keeps an index (RBAC, quotas) uses it.
   */
  onChange(group: string, resource: string, listener: ChangeListener): () => void
  cacheOf(group: string, resource: string): ResourceCache
  caches(): Iterable<ResourceCache>
  /** Shows an object that no store holds; for kinds that nobody can write. */
  show(definition: ResourceDefinition, key: string, object: KubeObject): void
  /** The cache in which a definition's objects stand (that of `storedAs`, where it has one). */
  cache(definition: ResourceDefinition): ResourceCache
  /** Resolves when everything committed before this call is in the caches. */
  consistent(): Promise<void>
  /** False when the caches have not reached the revision in time. */
  reach(revision: Revision, timeoutMs: number): Promise<boolean>
  /** Stores a new state on condition that nothing but `replaces` stands there, and resolves when the caches show it. The object belongs to the registry from then on. */
  put(definition: ResourceDefinition, key: string, object: KubeObject, replaces: Item | undefined): Promise<Written>
  /** Deletes on condition of the revision. */
  remove(
    definition: ResourceDefinition,
    item: Item,
  ): Promise<{ readonly kind: 'gone'; readonly revision: Revision } | { readonly kind: 'conflict' }>
  /** The state of a collection at an earlier revision that the caches no longer keep. */
  readonly store: Store
}

export interface RegistryDeps {
  readonly store: Store
  readonly definitions: Definitions
  readonly clock: Clock
  readonly log: Logger
  /** Freeze what the caches give out (tests): it makes objects slower. */
  readonly freeze?: boolean
}

interface Waiting {
  readonly revision: Revision
  readonly resolve: () => void
}

const ROOT = '/registry/'
/** The largest object, in bytes, as Kubernetes stores it: etcd takes 1.5 MiB in one request. */
const LARGEST = 1.5 * 1024 * 1024
const COMPACT_EVERY_MS = 300_000

/** Fills the caches from the store and follows its watch. */
export async function openRegistry(deps: RegistryDeps): Promise<Registry> {
  const { entries, revision } = await deps.store.range(ROOT)
  const registry = new StoreRegistry(deps, revision)
  for (const entry of entries) registry.load(entry.key, bufferOf(entry.value), entry.revision)
  registry.follow()
  return registry
}

/** Where a resource's objects are stored: `/registry/apps/deployments/`. */
export function storagePrefix(group: string, resource: string): string {
  return `${ROOT}${group === '' ? 'core' : group}/${resource}/`
}

/** Group and resource under which a definition's objects are stored. */
export const storedAs = (d: ResourceDefinition) => d.storedAs ?? { group: d.group, resource: d.names.plural }

class StoreRegistry implements Registry {
  readonly store: Store
  readonly reader: Reader
  readonly #deps: RegistryDeps
  readonly #caches = new Map<string, ResourceCache>()
  readonly #watcher: Watcher
  readonly #failed = new AbortController()
  readonly #floor: Revision
  #seen: Revision
  #waiting: Waiting[] = []
  /** Objects on their way to the store, by their bytes: what comes back need not be parsed again. */
  readonly #underway = new WeakMap<Uint8Array, KubeObject>()
  #following: Promise<void> = Promise.resolve()
  #stopCompaction: () => void = () => {}

  constructor(deps: RegistryDeps, revision: Revision) {
    this.#deps = deps
    this.store = deps.store
    this.#floor = revision
    this.#seen = revision
    this.#watcher = deps.store.watch(ROOT, revision)
    this.reader = {
      get: (group, resource, namespace, name) =>
        this.cacheOf(group, resource).get(namespace === '' ? name : `${namespace}/${name}`)?.object,
      list: (group, resource, namespace) => {
        const prefix = namespace === undefined || namespace === '' ? '' : `${namespace}/`
        return this.cacheOf(group, resource)
          .list({ key: prefix, prefix })
          .map((item) => item.object)
      },
    }
  }

  get revision(): Revision {
    return this.#seen
  }

  get failed(): AbortSignal {
    return this.#failed.signal
  }

  show(definition: ResourceDefinition, key: string, object: KubeObject): void {
    this.cache(definition).load(new Item({ key, value: encodeObject(object), revision: 0 }))
  }

  caches(): Iterable<ResourceCache> {
    return this.#caches.values()
  }

  onChange(group: string, resource: string, listener: ChangeListener): () => void {
    return this.cacheOf(group, resource).onChange(listener)
  }

  cache(definition: ResourceDefinition): ResourceCache {
    const { group, resource } = storedAs(definition)
    return this.cacheOf(group, resource)
  }

  cacheOf(group: string, resource: string): ResourceCache {
    const prefix = storagePrefix(group, resource)
    let cache = this.#caches.get(prefix)
    if (cache === undefined) {
      cache = new ResourceCache(group, resource, this.#floor)
      this.#caches.set(prefix, cache)
    }
    return cache
  }

  load(key: string, value: Buffer, revision: Revision): void {
    const place = this.#place(key)
    place?.cache.load(new Item({ key: place.key, value, revision }))
  }

  follow(): void {
    this.#following = this.#follow()
    this.#scheduleCompaction()
  }

  async #follow(): Promise<void> {
    try {
      for await (const changes of this.#watcher.changes) this.#apply(changes)
    } catch (error) {
      this.#deps.log.error('the watch of the store broke; this server must be started again', { error })
      this.#failed.abort(error)
    }
  }

  #apply(changes: readonly Change[]): void {
    const touched = new Set<ResourceCache>()
    for (const change of changes) {
      this.#seen = change.revision
      const place = this.#place(change.kind === 'put' ? change.entry.key : change.key)
      if (place === undefined) continue
      touched.add(place.cache)
      if (change.kind === 'delete') place.cache.delete(place.key, change.revision)
      else place.cache.put(this.#itemOf(place.key, change.entry.value, change.revision))
    }
    for (const cache of touched) cache.watchers.flush()
    if (this.#waiting.length === 0) return
    const still: Waiting[] = []
    for (const w of this.#waiting) {
      if (w.revision <= this.#seen) w.resolve()
      else still.push(w)
    }
    this.#waiting = still
  }

  #itemOf(key: string, value: Uint8Array, revision: Revision): Item {
    const object = this.#underway.get(value)
    if (object !== undefined) {
      if (!Object.isFrozen(object.metadata)) object.metadata.resourceVersion = String(revision)
      if (this.#deps.freeze === true) deepFreeze(object)
    }
    return new Item({ key, value: bufferOf(value), revision, object })
  }

  #place(key: string): { cache: ResourceCache; key: string } | undefined {
    const second = key.indexOf('/', ROOT.length)
    const third = key.indexOf('/', second + 1)
    if (second < 0 || third < 0) return undefined
    const cache =
      this.#caches.get(key.slice(0, third + 1)) ?? this.cacheOf(groupOf(key.slice(ROOT.length, second)), key.slice(second + 1, third))
    return { cache, key: key.slice(third + 1) }
  }

  consistent(): Promise<void> {
    return this.#sees(this.store.revision)
  }

  #sees(revision: Revision): Promise<void> {
    if (revision <= this.#seen) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ revision, resolve }))
  }

  async reach(revision: Revision, timeoutMs: number): Promise<boolean> {
    if (revision <= this.#seen) return true
    const timeout = Promise.withResolvers<boolean>()
    const cancel = this.#deps.clock.after(timeoutMs, () => timeout.resolve(false))
    const reached = await Promise.race([this.#sees(revision).then(() => true), timeout.promise])
    cancel()
    this.#waiting = this.#waiting.filter((w) => w.revision !== revision)
    return reached
  }

  async put(definition: ResourceDefinition, key: string, object: KubeObject, replaces: Item | undefined): Promise<Written> {
    object.metadata = orderedMeta(object.metadata)
    const value = encodeObject(object)
    if (value.length > LARGEST) throw new StatusError({ code: 500, message: 'etcdserver: request is too large' })
    if (replaces !== undefined && sameState(replaces, value, object)) return { kind: 'same', item: replaces }
    this.#underway.set(value, object)
    const full = this.#fullKey(definition, key)
    const expect: Expect = replaces === undefined ? { absent: true } : { revision: replaces.revision }
    const ttl = definition.ttlMs === undefined ? {} : { ttlMs: definition.ttlMs }
    const result = await this.store.commit({ key: full, expect, value, ...ttl })
    if (result.kind === 'conflict') {
      await this.consistent()
      return result
    }
    await this.#sees(result.revision)
    return { kind: 'stored', item: this.#itemOf(key, value, result.revision) }
  }

  async remove(definition: ResourceDefinition, item: Item) {
    const result = await this.store.commit({
      key: this.#fullKey(definition, item.key),
      expect: { revision: item.revision },
      value: undefined,
    })
    if (result.kind === 'conflict') {
      await this.consistent()
      return { kind: 'conflict' } as const
    }
    await this.#sees(result.revision)
    return { kind: 'gone', revision: result.revision } as const
  }

  #fullKey(definition: ResourceDefinition, key: string): string {
    const { group, resource } = storedAs(definition)
    return storagePrefix(group, resource) + key
  }

  /** Forgets the past that is older than one round. */
  #scheduleCompaction(): void {
    const before = this.#seen
    this.#stopCompaction = this.#deps.clock.after(COMPACT_EVERY_MS, () => {
      this.store.compact(before).catch((error: unknown) => this.#deps.log.warn('compaction failed', { error }))
      this.#scheduleCompaction()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopCompaction()
    await this.#watcher[Symbol.asyncDispose]()
    await this.#following
  }
}

/** Equal but for the order of keys: then the bytes are equally many. */
function sameState(old: Item, value: Buffer, object: KubeObject): boolean {
  if (old.value.length !== value.length) return false
  return (
    old.value.equals(value) || equalJson(old.object, { ...object, metadata: { ...object.metadata, resourceVersion: String(old.revision) } })
  )
}

const groupOf = (segment: string) => (segment === 'core' ? '' : segment)

const bufferOf = (value: Uint8Array): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)

function deepFreeze(value: unknown): void {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
}
