import { keeperOf } from '../../machinery/kept.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { type Indexer, objectIn, type Slot, StoreIndex } from './store-index.ts'

/** So many objects that came last are held as they are: they are likely to be looked at, or to change, soon. */
const RECENT = 1024

/**
 * Objects by key, and by the values of indexes. Objects that have a keeper (the server of the same process) are held here for a while
 * only, and then read from it: of a hundred thousand idle pods there is one copy, and it may be packed.
 */
export class IndexedStore<T extends KubeObject> {
  readonly #slots = new Map<string, Slot<T>>()
  readonly #byNamespace = new StoreIndex<T>(({ metadata }) => [metadata.namespace ?? ''])
  /** With the number of those who use each. */
  readonly #indexes = new Map<StoreIndex<T>, number>([[this.#byNamespace, 1]])
  /** The latest, in a ring. */
  readonly #recent: Slot<T>[] = []
  #turn = 0

  get size(): number {
    return this.#slots.size
  }

  /** How many objects it holds itself. */
  get held(): number {
    let held = 0
    for (const slot of this.#slots.values()) if (slot.object !== undefined) held++
    return held
  }

  get(key: string): Readonly<T> | undefined {
    const slot = this.#slots.get(key)
    return slot && objectIn(slot)
  }

  keys(): IterableIterator<string> {
    return this.#slots.keys()
  }

  /** All objects, or those of a namespace. */
  list(namespace?: string): readonly Readonly<T>[] {
    return namespace === undefined ? Array.from(this.#slots.values(), objectIn) : this.#byNamespace.objects(namespace)
  }

  /** An index by this function, kept from now on; the same function has the same index. */
  addIndex(valuesOf: Indexer<T>): StoreIndex<T> {
    for (const [index, users] of this.#indexes) {
      if (index.valuesOf !== valuesOf) continue
      this.#indexes.set(index, users + 1)
      return index
    }
    const made = new StoreIndex(valuesOf)
    for (const slot of this.#slots.values()) made.put(slot, objectIn(slot), undefined)
    this.#indexes.set(made, 1)
    return made
  }

  /** One user of the index less; without any it is kept no longer. */
  releaseIndex(index: StoreIndex<T>): void {
    const users = this.#indexes.get(index)
    if (users === undefined) return
    if (users === 1) this.#indexes.delete(index)
    else this.#indexes.set(index, users - 1)
  }

  /** Stores the object under its key; returns the previous one (`known`: the previous one, if the caller has just read it). */
  set(key: string, object: Readonly<T>, known?: Readonly<T>): Readonly<T> | undefined {
    const standing = this.#slots.get(key)
    const old = standing && (known ?? objectIn(standing))
    const slot = standing ?? { object: undefined, keeper: undefined, turn: 0 }
    if (standing === undefined) this.#slots.set(keeperOf(object)?.key ?? key, slot)
    for (const index of this.#indexes.keys()) index.put(slot, object, old)
    this.#hold(slot, object)
    return old
  }

  delete(key: string): Readonly<T> | undefined {
    const slot = this.#slots.get(key)
    if (slot === undefined) return undefined
    const old = objectIn(slot)
    this.#slots.delete(key)
    for (const index of this.#indexes.keys()) index.delete(slot, old)
    return old
  }

  clear(): void {
    this.#slots.clear()
    this.#recent.length = 0
    for (const index of this.#indexes.keys()) index.clear()
  }

  #hold(slot: Slot<T>, object: Readonly<T>): void {
    slot.object = object
    slot.keeper = keeperOf(object)
    if (slot.keeper === undefined) return
    slot.turn = ++this.#turn
    const place = slot.turn % RECENT
    const oldest = this.#recent[place]
    // It may have changed since, and come again.
    if (oldest !== undefined && oldest.turn === slot.turn - RECENT && oldest.keeper !== undefined) oldest.object = undefined
    this.#recent[place] = slot
  }
}
