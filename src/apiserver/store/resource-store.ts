import { atOnce } from '../../base/steps.ts'
import type { ResourceRef } from '../../machinery/api-call.ts'
import { asKubeObject, cloneJson, type Draft, type KubeObject } from '../../machinery/object.ts'
import { type ResourceDefinition, subresourcesOf, type Writer } from '../../machinery/resource/definition.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { isStatus, notFound } from '../../machinery/status-error.ts'
import type { Page, PageResult } from '../cache/resource-cache.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { type Filter, withoutMatching } from '../cache/view.ts'
import type { RequestContext } from '../request/request-context.ts'
import { type Creation, createObject } from './create-object.ts'
import { deleteObject } from './delete-object.ts'
import { type Addressed, find, found } from './find.ts'
import { LatelyCreated } from './lately-created.ts'
import { normalForm } from './normal-form.ts'
import type { Deleted, Outcome } from './outcome.ts'
import type { DeleteOptions } from './plan-delete.ts'
import { PreparedWatchSession } from './prepared-watch-session.ts'
import { withPartsOf } from './shared-parts.ts'
import { assertAllReadable, assertComplete, assertPageReadable } from './unreadable.ts'
import { type Change, updateObject } from './update-object.ts'
import { CacheWatchSession, type WatchSession, type WatchStart } from './watch-session.ts'
import { keyOf, type StoreDeps, type Write } from './write.ts'

/** Identifies one object, whatever its version. */
export interface ObjectKey {
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** A key that carries the type of its object for the compiler, as a `ResourceRef` does: `{ ...PODS, namespace, name }`. */
export type TypedKey<T extends KubeObject> = ObjectKey & Partial<ResourceRef<T>>

/** Options of the server's own writes. */
export interface ServerWrite {
  /** Default: the server. */
  readonly user?: UserInfo
  /** The subresource path; default `''`, the resource itself. */
  readonly subresource?: string
  /** Nothing is stored. */
  readonly dryRun?: boolean
  /** Record the server as field manager, as Kubernetes does for writes through a client of its own. */
  readonly noted?: boolean
}

export interface GuaranteedUpdate<T extends KubeObject = KubeObject> {
  /** Nothing is stored. */
  readonly dryRun?: boolean
  /** Makes the draft. Default: a deep copy. A `change` that knows which parts it changes in place needs no copy of the rest. */
  readonly draftOf?: (object: Draft<T>) => Draft<T>
}

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

/** The field manager of Kubernetes' own client. */
const NAME = 'kube-apiserver'
const SERVER: UserInfo = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] }
const OWN_REQUEST: RequestContext = { user: SERVER, signal: new AbortController().signal, warn() {}, annotate() {} }
const NO_ADMISSION: Write['admission'] = []
const NO_OPTIONS: KubeObject = { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', metadata: {} }

/** The server's own deletes have no preconditions and no grace period. */
const AT_ONCE: DeleteOptions = {
  gracePeriodSeconds: 0,
  orphanDependents: undefined,
  propagationPolicy: undefined,
  preconditions: undefined,
}

/** Builds the store over the cache. */
export function createResourceStore(given: Omit<StoreDeps, 'writer' | 'lately'>): ResourceStore {
  const { watchCache, definitions, clock } = given
  const servedBy = ({ group, resource, name }: ObjectKey) => {
    const definition = definitions.get(group, resource)
    const served = definition && definitions.served(group, definition.storageVersion, resource)
    if (served !== undefined) return served
    const version = definition?.versions.find((v) => v.version === definition.storageVersion)
    if (definition === undefined || version === undefined) throw notFound({ group, resource }, name)
    return { definition, version }
  }
  const ownWrite: ResourceStore['ownWrite'] = (key, how = {}) => {
    const served = servedBy(key)
    const subresource = how.subresource ?? ''
    return {
      served,
      place: { namespace: key.namespace, name: key.name, subresource },
      subresource: subresource === '' ? undefined : subresourcesOf(served.definition, served.version)[subresource],
      request: how.user === undefined ? OWN_REQUEST : { ...OWN_REQUEST, user: how.user },
      manager: how.noted === true ? NAME : undefined,
      dryRun: how.dryRun === true,
      options: NO_OPTIONS,
      admission: NO_ADMISSION,
    }
  }
  const writer: Writer = {
    async create(group, resource, object) {
      const { namespace = '', name = '' } = object.metadata
      try {
        await createObject(deps, ownWrite({ group, resource, namespace, name }), cloneJson(object), {})
        return true
      } catch (error) {
        if (isStatus(error, 'AlreadyExists')) return false
        throw error
      }
    },
    async delete(group, resource, namespace, name) {
      try {
        await deleteObject(deps, ownWrite({ group, resource, namespace, name }), AT_ONCE)
      } catch (error) {
        if (!isStatus(error, 'NotFound')) throw error
      }
    },
  }
  const deps: StoreDeps = { ...given, writer, lately: new LatelyCreated() }
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
      const open = (filter: Filter) => new CacheWatchSession({ cache: watchCache.of(definition), clock, ...start, filter })
      const { filter } = start
      return filter.prepare === undefined ? open(filter) : new PreparedWatchSession(open(withoutMatching(filter)), filter)
    },
    create: (write, draft, how = {}) => createObject(deps, write, draft, how),
    update: (write, change) => updateObject(deps, write, change),
    delete: (write, options) => deleteObject(deps, write, options),
    deleteUnreadable: (definition, { namespace, name }) => watchCache.removeUnreadable(definition, keyOf(definition, namespace, name)),
    ownWrite,
    writer,
    show: (definition, object) => watchCache.show(definition, object.metadata.name ?? '', object),
    async change<T extends KubeObject>(key: TypedKey<T>, change: (draft: Draft<T>) => void, how?: ServerWrite) {
      const outcome = await updateObject(deps, ownWrite(key, how), {
        draft(old) {
          if (old === undefined) throw notFound(key, key.name)
          const draft = cloneJson(old)
          // An object under a key was decoded by the schema of its kind.
          change(draft as Draft<T>)
          return draft
        },
      })
      return outcome.kind === 'item' ? outcome.item.object : outcome.object
    },
    async guaranteedUpdate<T extends KubeObject>(key: TypedKey<T>, change: (draft: Draft<T>) => void, options: GuaranteedUpdate<T> = {}) {
      const addressed = { served: servedBy(key), place: key }
      const { definition } = addressed.served
      await watchCache.consistent(definition)
      for (;;) {
        const item = find(watchCache, addressed)
        if (item === undefined) throw notFound(key, key.name)
        const draft: KubeObject = options.draftOf?.(item.object as Draft<T>) ?? draftOf(item.object)
        change(draft as Draft<T>)
        if (options.dryRun === true) return draft
        const shared = withPartsOf(draft, item.object, true)
        const normal = asKubeObject(atOnce(normalForm(given.kinds, definition, { object: shared.object, known: shared.parts })).object)
        const written = await watchCache.put(definition, item.key, { object: normal }, item)
        if (written.kind !== 'conflict') return written.item.object
      }
    },
  }
}

/** A deep copy except `metadata.managedFields`, which is shared: it is half of most objects and never changed in place. */
function draftOf(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata
  const draft: KubeObject = cloneJson({ ...object, metadata })
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields
  return draft
}
