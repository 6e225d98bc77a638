import { type Keeper, kept } from '../../machinery/kept.ts'
import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import type { CatalogueEntry } from '../frame/catalogue.ts'

/** An object of the cluster as the garbage collector knows it. */
export interface Vertex {
  readonly entry: CatalogueEntry
  readonly object: KubeObject
}

/** There are as many as objects in the cluster: each holds only the keeper of its object, and the owners that it is linked to. */
class LinkedVertex implements Vertex {
  readonly entry: CatalogueEntry
  owners: readonly OwnerReference[] | undefined
  #keeper: Keeper

  constructor(entry: CatalogueEntry, object: KubeObject) {
    this.entry = entry
    this.owners = object.metadata.ownerReferences
    this.#keeper = kept(object)
  }

  get object(): KubeObject {
    return this.#keeper.object
  }

  becomes(object: KubeObject): void {
    this.owners = object.metadata.ownerReferences
    this.#keeper = kept(object)
  }
}

/** Owners and dependents by uid. Only the informers' events change it. */
export class OwnerGraph {
  readonly #vertices = new Map<string, LinkedVertex>()
  /** An owner's uid → the uids of its dependents. The owner itself may be unknown. */
  readonly #dependents = new Map<string, Set<string>>()

  get(uid: string): Vertex | undefined {
    return this.#vertices.get(uid)
  }

  dependents(uid: string): readonly Vertex[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((u) => this.#vertices.get(u) ?? [])
  }

  /** All objects of some collections. */
  of(which: (entry: CatalogueEntry) => boolean): readonly Vertex[] {
    return [...this.#vertices.values()].filter((v) => which(v.entry))
  }

  put(entry: CatalogueEntry, object: KubeObject): void {
    const uid = object.metadata.uid ?? ''
    const known = this.#vertices.get(uid)
    const before = known?.owners
    const now = object.metadata.ownerReferences
    if (known?.entry === entry) known.becomes(object)
    else this.#vertices.set(uid, new LinkedVertex(entry, object))
    if (before === now) return
    for (const ref of before ?? []) this.#unlink(ref, uid)
    for (const ref of now ?? []) this.#link(ref, uid)
  }

  remove(uid: string): void {
    for (const ref of this.#vertices.get(uid)?.owners ?? []) this.#unlink(ref, uid)
    this.#vertices.delete(uid)
  }

  #link(ref: OwnerReference, uid: string): void {
    const set = this.#dependents.get(ref.uid)
    if (set === undefined) this.#dependents.set(ref.uid, new Set([uid]))
    else set.add(uid)
  }

  #unlink(ref: OwnerReference, uid: string): void {
    const set = this.#dependents.get(ref.uid)
    set?.delete(uid)
    if (set?.size === 0) this.#dependents.delete(ref.uid)
  }
}
