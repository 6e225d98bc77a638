import type { Cancel } from '../../base/clock.ts'
import { apiVersionOf, type KubeObject } from '../../machinery/object.ts'
import type { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Catalogue, CatalogueEntry } from '../frame/catalogue.ts'
import type { Informers } from '../frame/informers.ts'
import type { OwnerGraph } from './graph.ts'
import { awaitsDependents, sameOwners } from './plan.ts'

export interface FollowedResourcesDeps {
  readonly informers: Informers
  readonly catalogue: Catalogue
  readonly graph: OwnerGraph
  /** Takes the uids of objects that have to be looked at. */
  readonly queue: Pick<WorkQueue, 'add'>
}

/** Keeps the owner graph by informers of all collections that the server has. */
export class FollowedResources {
  readonly #deps: FollowedResourcesDeps
  readonly #followed = new Map<string, { readonly entry: CatalogueEntry; readonly stop: Cancel }>()

  constructor(deps: FollowedResourcesDeps) {
    this.#deps = deps
  }

  /** Resolves when all first lists are in. */
  async synced(): Promise<void> {
    await Promise.all([...this.#followed.values()].map(({ entry }) => this.#deps.informers.of(entry).synced))
  }

  /** Follows new collections, and forgets those that are not served any more. */
  async update(): Promise<void> {
    const { catalogue, informers } = this.#deps
    const { failed } = await catalogue.discover()
    const entries = (await catalogue.entries()).filter((e) => !isEvent(e))
    const served = new Set(entries.map(keyOf))
    for (const [key, { entry, stop }] of this.#followed) {
      // The objects of a server that is down are not lost.
      if (served.has(key) || failed.has(apiVersionOf(entry))) continue
      stop()
      informers.drop(entry)
      this.#followed.delete(key)
      this.#forget(key)
    }
    for (const entry of entries) if (!this.#followed.has(keyOf(entry))) this.#follow(entry)
  }

  #follow(entry: CatalogueEntry): void {
    const { informers } = this.#deps
    const stop = informers.of<KubeObject>(entry).addHandler({
      added: (object) => this.#seen(entry, object),
      updated: (object, old) => this.#updated(entry, object, old),
      deleted: (object) => this.#gone(object),
    })
    this.#followed.set(keyOf(entry), { entry, stop })
  }

  #seen(entry: CatalogueEntry, object: KubeObject): void {
    const { graph, queue } = this.#deps
    const { uid = '', ownerReferences, deletionTimestamp } = object.metadata
    graph.put(entry, object)
    // Dependents come first: also those that do not block the owner's deletion are deleted with it.
    if (awaitsDependents(object)) for (const d of graph.dependents(uid)) queue.add(d.object.metadata.uid ?? '')
    if (ownerReferences !== undefined || deletionTimestamp !== undefined) queue.add(uid)
  }

  #updated(entry: CatalogueEntry, object: KubeObject, old: KubeObject): void {
    const { graph, queue } = this.#deps
    // Most updates, those of leases for instance, have nothing to do with ownership.
    if (object.metadata.deletionTimestamp === undefined && sameOwners(object, old)) {
      graph.put(entry, object)
      return
    }
    this.#seen(entry, object)
    // An owner that waits for its dependents has lost one, or need not wait for one any more.
    for (const { uid, blockOwnerDeletion } of old.metadata.ownerReferences ?? []) {
      const now = object.metadata.ownerReferences?.find((r) => r.uid === uid)
      if (now === undefined || (blockOwnerDeletion && !now.blockOwnerDeletion)) queue.add(uid)
    }
  }

  #gone(object: KubeObject): void {
    const { graph, queue } = this.#deps
    const { uid = '', ownerReferences = [] } = object.metadata
    graph.remove(uid)
    for (const d of graph.dependents(uid)) queue.add(d.object.metadata.uid ?? '')
    for (const ref of ownerReferences) queue.add(ref.uid)
  }

  /** The objects of a collection that is not served any more are gone: their dependents have to be looked at. */
  #forget(key: string): void {
    for (const vertex of this.#deps.graph.of((entry) => keyOf(entry) === key)) this.#gone(vertex.object)
  }
}

/** Events expire by themselves, and have no owners. */
const isEvent = ({ group, resource }: CatalogueEntry) => resource === 'events' && (group === '' || group === 'events.k8s.io')
const keyOf = ({ group, version, resource }: CatalogueEntry) => `${group}/${version}/${resource}`
