import type { KubeObject } from '../../machinery/object.ts'
import type { Reader, ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { Revision } from '../../storage/store.ts'
import type { ChangeListener, Page, PageResult, ResourceCache } from './resource-cache.ts'
import type { SharedCaches } from './shared-caches.ts'
import { storedAs } from './storage-keys.ts'
import type { StoredObject } from './stored-object.ts'
import type { NewState, WatchCache, Written } from './watch-cache.ts'

/** The watch cache of a store that some built-in resources have to themselves. */
export interface OwnWatchCache {
  readonly watchCache: WatchCache
  /** `GROUP/RESOURCE` of each. */
  readonly resources: ReadonlySet<string>
}

/** The watch caches of several stores as one. Each store counts its own revisions; what it has of other resources is passed over. */
export class JoinedWatchCache implements WatchCache {
  readonly reader: Reader
  readonly failed: AbortSignal
  readonly #main: WatchCache
  readonly #all: readonly WatchCache[]
  readonly #own = new Map<string, WatchCache>()

  /** `main` has the resources that no other one has. */
  constructor(main: WatchCache, others: readonly OwnWatchCache[]) {
    this.#main = main
    this.#all = [main, ...others.map(({ watchCache }) => watchCache)]
    for (const { watchCache, resources } of others) for (const name of resources) this.#own.set(name, watchCache)
    this.failed = AbortSignal.any(this.#all.map(({ failed }) => failed))
    this.reader = {
      get: (group, resource, ...at) => this.#named(group, resource).reader.get(group, resource, ...at),
      list: (group, resource, ...at) => this.#named(group, resource).reader.list(group, resource, ...at),
    }
  }

  get revision(): Revision {
    return this.#main.revision
  }

  get maxObjectBytes(): number {
    return this.#main.maxObjectBytes
  }

  get pastBytes(): number {
    return this.#all.reduce((sum, { pastBytes }) => sum + pastBytes, 0)
  }

  onChange(group: string, resource: string, listener: ChangeListener): () => void {
    return this.#named(group, resource).onChange(group, resource, listener)
  }

  cacheOf(group: string, resource: string): ResourceCache {
    return this.#named(group, resource).cacheOf(group, resource)
  }

  *caches(): Iterable<ResourceCache> {
    for (const watchCache of this.#all)
      for (const cache of watchCache.caches()) if (this.#named(cache.group, cache.resource) === watchCache) yield cache
  }

  show(definition: ResourceDefinition, key: string, object: KubeObject): void {
    this.#at(definition).show(definition, key, object)
  }

  share(): SharedCaches {
    throw new Error('invariant: a cluster on several stores is not copied')
  }

  of(definition: ResourceDefinition): ResourceCache {
    return this.#at(definition).of(definition)
  }

  async consistent(definition?: ResourceDefinition): Promise<void> {
    if (definition !== undefined) return this.#at(definition).consistent()
    await Promise.all(this.#all.map((watchCache) => watchCache.consistent()))
  }

  storeResponds(): Promise<boolean> {
    return this.#main.storeResponds()
  }

  reach(revision: Revision, timeoutMs: number, definition?: ResourceDefinition): Promise<boolean> {
    return (definition === undefined ? this.#main : this.#at(definition)).reach(revision, timeoutMs)
  }

  put(definition: ResourceDefinition, key: string, state: NewState, replaces: StoredObject | undefined): Promise<Written> {
    return this.#at(definition).put(definition, key, state, replaces)
  }

  refresh(definition: ResourceDefinition, item: StoredObject): Promise<Written> {
    return this.#at(definition).refresh(definition, item)
  }

  remove(definition: ResourceDefinition, item: StoredObject): ReturnType<WatchCache['remove']> {
    return this.#at(definition).remove(definition, item)
  }

  removeUnreadable(definition: ResourceDefinition, key: string): Promise<boolean> {
    return this.#at(definition).removeUnreadable(definition, key)
  }

  pastPage(definition: ResourceDefinition, page: Page, revision: Revision): Promise<PageResult> {
    return this.#at(definition).pastPage(definition, page, revision)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((watchCache) => watchCache[Symbol.asyncDispose]()))
  }

  #at(definition: ResourceDefinition): WatchCache {
    const { group, resource } = storedAs(definition)
    return this.#named(group, resource)
  }

  #named(group: string, resource: string): WatchCache {
    return this.#own.get(`${group}/${resource}`) ?? this.#main
  }
}
