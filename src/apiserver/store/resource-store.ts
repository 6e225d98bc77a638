import { cloneJson, type Draft, type KubeObject } from '../../machinery/object.ts'
import { isCached, type ResourceDefinition, type Writer } from '../../machinery/resource/definition.ts'
import { notFound } from '../../machinery/status-error.ts'
import type { Page, PageResult } from '../cache/resource-cache.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { type Filter, withoutMatching } from '../cache/view.ts'
import { type Creation, createObject } from './create-object.ts'
import { deleteObject } from './delete-object.ts'
import { type Addressed, found } from './find.ts'
import { type GuaranteedUpdate, guaranteedUpdate } from './guaranteed-update.ts'
import { LatelyCreated } from './lately-created.ts'
import type { Deleted, Outcome } from './outcome.ts'
import { type ObjectKey, ownWrite, type ServerWrite, type TypedKey } from './own-write.ts'
import type { DeleteOptions } from './plan-delete.ts'
import { PreparedWatchSession } from './prepared-watch-session.ts'
import { withWriter } from './store-writer.ts'
import { assertAllReadable, assertComplete, assertPageReadable } from './unreadable.ts'
import { type Change, updateObject } from './update-object.ts'
import { CacheWatchSession, type WatchSession, type WatchStart } from './watch-session.ts'
import { groupResource, keyOf, type StoreDeps, type Write } from './write.ts'

/**
 * The objects of all definitions; the equivalent of Kubernetes' `rest.Store`. All writes below the request level go through it: prepare,
 * admit, validate, commit on condition of the state that was read, and retry after a conflict. Reads come from the cache.
 */
export interface ResourceStore {
  /** Everything of these objects up to this revision can be read. Objects of different stores have different revisions. */
  revisionOf(definition: ResourceDefinition): number
  /** Resolves when every commit to these objects before this call can be read. */
  consistent(definition: ResourceDefinition): Promise<void>
  /** Returns false if the revision is not reached in time. */
  reach(definition: ResourceDefinition, revision: number, timeoutMs: number): Promise<boolean>
  /** Throws 404. */
  get(addressed: Addressed): StoredObject
  /** A page of the state at the time of the call, with its revision. */
  list(definition: ResourceDefinition, page: Page): Promise<PageResult & { readonly revision: number }>
  /** Throws 500 if an object under a prefix of keys cannot be read. */
  assertAllReadable(definition: ResourceDefinition, prefix: string): void
  /** A page of an earlier state. Throws a `StoreError` with `compacted` if it no longer exists. */
  listAt(definition: ResourceDefinition, page: Page, revision: number): Promise<PageResult>
  watch(definition: ResourceDefinition, start: WatchStart): WatchSession
  /** `draft`: decoded, with defaults, in the working version; it belongs to the store from now on. */
  create(write: Write, draft: KubeObject, how?: Creation): Promise<Outcome>
  update(write: Write, change: Change): Promise<Outcome>
  delete(write: Write, options: DeleteOptions): Promise<Deleted>
  /** Removes an object that the store cannot read. False: it can be read, or there is none. */
  deleteUnreadable(definition: ResourceDefinition, place: Pick<Write['place'], 'namespace' | 'name'>): Promise<boolean>
  /** A write of the server itself: without admission and without a field manager. Throws 404 for an unknown resource. */
  ownWrite(key: ObjectKey, how?: ServerWrite): Write
  /** Writes of rules to other objects. */
  readonly writer: Writer
  /** Updates an object as the server, with all rules of the path. `change` gets a draft, and a new one after each conflict. */
  change<T extends KubeObject = KubeObject>(key: TypedKey<T>, change: (draft: Draft<T>) => void, how?: ServerWrite): Promise<KubeObject>
  /**
   * Changes a stored object without any rules or admission, as `GuaranteedUpdate` does below Kubernetes' strategies (a binding). `change`
   * gets a draft, and a new one after each conflict; it may throw a `StatusError`. Resolves with the object as stored, or as it would be
   * with `dryRun`.
   */
  guaranteedUpdate<T extends KubeObject = KubeObject>(
    key: TypedKey<T>,
    change: (draft: Draft<T>) => void,
    options?: GuaranteedUpdate<T>,
  ): Promise<KubeObject>
  /** Adds an object of a read-only kind to the cache without storing it (component statuses). */
  show(definition: ResourceDefinition, object: KubeObject): void
}

/** Builds the store over the cache. */
export function createResourceStore(given: Omit<StoreDeps, 'writer' | 'lately'>): ResourceStore {
  const { watchCache, definitions, clock } = given
  const deps = withWriter({ ...given, lately: new LatelyCreated() })
  return {
    revisionOf: (definition) => watchCache.of(definition).revision,
    consistent: (definition) => watchCache.consistent(definition),
    reach: (definition, revision, timeoutMs) => watchCache.reach(revision, timeoutMs, definition),
    get: (addressed) => found(watchCache, addressed),
    async list(definition, page) {
      const cache = watchCache.of(definition)
      const { revision } = cache
      if (page.limit === Number.POSITIVE_INFINITY) assertComplete(definition, cache, page.anyState)
      const result = await cache.firstPage(page, revision)
      assertPageReadable(definition, cache, page, result)
      return { ...result, revision }
    },
    assertAllReadable: (definition, prefix) => assertAllReadable(definition, watchCache.of(definition), prefix),
    listAt: (definition, page, revision) => watchCache.pastPage(definition, page, revision),
    watch(definition, start) {
      assertComplete(definition, watchCache.of(definition))
      const open = (filter: Filter) =>
        new CacheWatchSession({ cache: watchCache.of(definition), cached: isCached(definition), clock, ...start, filter })
      const { filter } = start
      return filter.prepare === undefined ? open(filter) : new PreparedWatchSession(open(withoutMatching(filter)), filter)
    },
    create: (write, draft, how = {}) => createObject(deps, write, draft, how),
    update: (write, change) => updateObject(deps, write, change),
    delete: (write, options) => deleteObject(deps, write, options),
    deleteUnreadable: (definition, { namespace, name }) => watchCache.removeUnreadable(definition, keyOf(definition, namespace, name)),
    ownWrite: (key, how) => ownWrite(definitions, key, how),
    writer: deps.writer,
    show: (definition, object) => watchCache.show(definition, object.metadata.name ?? '', object),
    change: (key, change, how) => changeObject(deps, ownWrite(definitions, key, how), change),
    guaranteedUpdate: (key, change, options) => guaranteedUpdate(deps, key, change, options),
  }
}

/** `change` gets a draft, and a new one after each conflict. */
async function changeObject<T extends KubeObject>(deps: StoreDeps, write: Write, change: (draft: Draft<T>) => void): Promise<KubeObject> {
  const outcome = await updateObject(deps, write, {
    draft(old) {
      if (old === undefined) throw notFound(groupResource(write), write.place.name)
      const draft = cloneJson(old)
      // An object under a key was decoded by the schema of its kind.
      change(draft as Draft<T>)
      return draft
    },
  })
  return outcome.kind === 'item' ? outcome.item.object : outcome.object
}
