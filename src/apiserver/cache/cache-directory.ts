import type { Logger } from '../../base/logger.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { Revision } from '../../storage/store.ts'
import { BatchPool } from './batch-pool.ts'
import type { MemoryBudget } from './memory-budget.ts'
import { encodeObject } from './object-bytes.ts'
import { ResourceCache, type SharedItems } from './resource-cache.ts'
import type { ResourceRegistry } from './resource-registry.ts'
import type { SharedCaches } from './shared-caches.ts'
import { builtinPrefix, customPrefix, namesIn, prefixOf, storedAs } from './storage-keys.ts'
import { bytesOf } from './stored-object.ts'

/** Where an object is in the caches. */
export interface CacheLocation {
  readonly cache: ResourceCache
  readonly key: string
  /** At the prefix of an earlier version. */
  readonly old: boolean
}

/** What one server's directory has for that of another. */
interface SharedContent {
  readonly builtin: ReadonlySet<string>
  readonly atOldPrefix: ReadonlySet<string>
  readonly items: ReadonlyMap<string, SharedItems>
}

export interface CacheDirectoryInit {
  /** Those present at the start are the built-in kinds: their names are never used for custom objects. */
  readonly definitions: ResourceRegistry
  readonly log: Logger
  readonly budget: MemoryBudget
  /** The revision of the first content. */
  readonly floor: Revision
  /** Up to which revision the store is known. */
  readonly reached: () => Revision
  /** The first content; undefined: none, or one for other definitions. */
  readonly shared: SharedCaches | undefined
}

/** The content of each `SharedCaches`, which is opaque to its holders. */
const CONTENT = new WeakMap<SharedCaches, SharedContent>()

/** Whether the content was shared by a server with the same built-in kinds, so that it can be used. */
export function canShare(shared: SharedCaches, definitions: ResourceRegistry): boolean {
  const builtin = CONTENT.get(shared)?.builtin
  const own = builtinNames(definitions)
  return builtin?.size === own.size && builtin.isSubsetOf(own)
}

/** The caches of all resources, by name and by the prefix of their keys in the store. */
export class CacheDirectory {
  readonly batches = new BatchPool()
  readonly #init: CacheDirectoryInit
  /** `group/resource` of the built-in kinds. */
  readonly #builtin: ReadonlySet<string>
  /** Resources that expire (events, leases): there are many objects of them, and they are rarely read. */
  readonly #passing: ReadonlySet<string>
  /** By group and resource: every read of an object looks here, so no key is put together. */
  readonly #byGroup = new Map<string, Map<string, ResourceCache>>()
  /** By the prefix under which objects are stored. */
  readonly #byPrefix = new Map<string, ResourceCache>()
  /** By each prefix of the store; `old`: custom objects at the prefix of an earlier version. */
  readonly #byStoredPrefix = new Map<string, Omit<CacheLocation, 'key'>>()
  /** Store keys of custom objects that are at the prefix of an earlier version. */
  readonly #atOldPrefix: Set<string>
  /** Caches of kinds that are in no store. */
  readonly #shown = new Set<ResourceCache>()

  constructor(init: CacheDirectoryInit) {
    this.#init = init
    this.#builtin = builtinNames(init.definitions)
    this.#passing = new Set(init.definitions.all().flatMap((d) => (d.ttlMs === undefined ? [] : [nameOf(storedAs(d))])))
    const content = init.shared && CONTENT.get(init.shared)
    this.#atOldPrefix = new Set(content?.atOldPrefix)
    for (const [prefix, items] of content?.items ?? []) {
      const { group, resource } = namesIn(prefix)
      this.#at(prefix, group, resource, items)
    }
  }

  all(): Iterable<ResourceCache> {
    return new Set(this.#byPrefix.values())
  }

  /** All but those of kinds that are in no store. */
  *stored(): Iterable<ResourceCache> {
    for (const cache of this.all()) if (!this.#shown.has(cache)) yield cache
  }

  named(group: string, resource: string): ResourceCache {
    return this.#byGroup.get(group)?.get(resource) ?? this.#name(group, resource)
  }

  of(definition: ResourceDefinition): ResourceCache {
    const { group, resource } = storedAs(definition)
    if (definition.customDefinition === undefined) return this.named(group, resource)
    return this.#at(customPrefix(group, resource), group, resource)
  }

  /** Adds an object that is in no store. */
  show(definition: ResourceDefinition, key: string, object: KubeObject): void {
    const cache = this.of(definition)
    this.#shown.add(cache)
    cache.load(cache.item({ key, source: bytesOf(encodeObject(object)), revision: 0 }))
  }

  /** Undefined for a key of the store that is no object's. */
  locate(storeKey: string): CacheLocation | undefined {
    const prefix = prefixOf(storeKey)
    if (prefix === undefined) return undefined
    let found = this.#byStoredPrefix.get(prefix)
    if (found === undefined) {
      const { group, resource, custom } = namesIn(prefix)
      const cache = custom ? this.#at(prefix, group, resource) : this.named(group, resource)
      found = { cache, old: !custom && !this.#builtin.has(`${group}/${resource}`) }
      this.#byStoredPrefix.set(prefix, found)
    }
    return { ...found, key: storeKey.slice(prefix.length) }
  }

  /** An object was found in the store. */
  noteStored(storeKey: string, { old }: CacheLocation): void {
    if (old) this.#atOldPrefix.add(storeKey)
  }

  /** An object was deleted from the store. */
  noteDeleted(storeKey: string, { old }: CacheLocation): void {
    if (old) this.#atOldPrefix.delete(storeKey)
  }

  /** The store key of an object, present or future. */
  storeKey(definition: ResourceDefinition, key: string): string {
    const { group, resource } = storedAs(definition)
    const plain = builtinPrefix(group, resource) + key
    return definition.customDefinition === undefined || this.#atOldPrefix.has(plain) ? plain : customPrefix(group, resource) + key
  }

  /** The present content, at this revision. */
  share(revision: Revision): SharedCaches {
    const items = new Map<string, SharedItems>()
    for (const [prefix, cache] of this.#byPrefix)
      if (!this.#shown.has(cache) && cache.size > 0) items.set(prefix, cache.share(revision, namesIn(prefix).custom))
    const caches: SharedCaches = { revision }
    CONTENT.set(caches, { builtin: this.#builtin, atOldPrefix: new Set(this.#atOldPrefix), items })
    return caches
  }

  #name(group: string, resource: string): ResourceCache {
    const builtin = this.#builtin.has(nameOf({ group, resource }))
    const cache = this.#at(builtin ? builtinPrefix(group, resource) : customPrefix(group, resource), group, resource)
    let caches = this.#byGroup.get(group)
    if (caches === undefined) {
      caches = new Map()
      this.#byGroup.set(group, caches)
    }
    caches.set(resource, cache)
    return cache
  }

  #at(prefix: string, group: string, resource: string, make: SharedItems = (init) => new ResourceCache(init)): ResourceCache {
    let cache = this.#byPrefix.get(prefix)
    if (cache === undefined) {
      const { floor, reached, budget, log } = this.#init
      const cools = this.#passing.has(`${group}/${resource}`)
      cache = make({ group, resource, floor, reached, budget, batches: this.batches, log, cools })
      this.#byPrefix.set(prefix, cache)
    }
    return cache
  }
}

const nameOf = ({ group, resource }: { readonly group: string; readonly resource: string }) => `${group}/${resource}`

const builtinNames = (definitions: ResourceRegistry) => new Set(definitions.all().map((d) => nameOf(storedAs(d))))
