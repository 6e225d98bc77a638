import { type Keeper, keeperOf } from '../../machinery/kept.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** Index name → the values under which an object is found. */
export type Indexers<T extends KubeObject> = Readonly<Record<string, (object: Readonly<T>) => readonly string[]>>

/** So many objects that came last are held as they are: they are likely to be looked at, or to change, soon. */
const RECENT = 1024

/** The entry of one object. It stays the same when the object changes. */
interface Slot<T extends KubeObject> {
  /** Absent once it is left to the keeper. */
  object: Readonly<T> | undefined
  /** Another holder of the object. */
  keeper: Keeper<T> | undefined
  /** When it was put in last. */
  turn: number
}

/**
 * Objects by key, and by the values of named indexes. Objects that have a keeper (the server of the same process) are held here for a while
 * only, and then read from it: of a hundred thousand idle pods there is one copy, and it may be packed.
 */
export class IndexedStore<T extends KubeObject> {
  readonly #slots = new Map<string, Slot<T>>()
  readonly #indexers: Indexers<T>
  readonly #indexes = new Map<string, Map<string, Set<Slot<T>>>>()
  /** The latest, in a ring. */
  readonly #recent: Slot<T>[] = []
  #turn = 0

  constructor(indexers: Indexers<T>) {
    this.#indexers = { namespace: (object) => [object.metadata.namespace ?? ''], ...indexers }
    for (const name of Object.keys(this.#indexers)) this.#indexes.set(name, new Map())
  }

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

  list(): readonly Readonly<T>[] {
    return Array.from(this.#slots.values(), objectIn)
  }

  byIndex(index: string, value: string): readonly Readonly<T>[] {
    const values = this.#indexes.get(index)
    if (values === undefined) throw new Error(`the informer has no index ${index}: name it in its indexers`)
    const slots = values.get(value)
    return slots === undefined ? [] : Array.from(slots, objectIn)
  }

  /** Stores the object under its key; returns the previous one (`known`: the previous one, if the caller has just read it). */
  set(key: string, object: Readonly<T>, known?: Readonly<T>): Readonly<T> | undefined {
    const standing = this.#slots.get(key)
    const old = standing && (known ?? objectIn(standing))
    const slot = standing ?? { object: undefined, keeper: undefined, turn: 0 }
    if (standing === undefined) this.#slots.set(keeperOf(object)?.key ?? key, slot)
    for (const name in this.#indexers) {
      const valuesOf = this.#indexers[name]
      const index = this.#indexes.get(name)
      if (valuesOf === undefined || index === undefined) continue
      const values = valuesOf(object)
      // Most changes leave an object's index values as they are.
      const before = old === undefined ? NOWHERE : valuesOf(old)
      for (const value of before) if (!values.includes(value)) takeOut(index, value, slot)
      for (const value of values) {
        const found = index.get(value)
        if (found === undefined) index.set(value, new Set([slot]))
        else if (!before.includes(value)) found.add(slot)
      }
    }
    this.#hold(slot, object)
    return old
  }

  delete(key: string): Readonly<T> | undefined {
    const slot = this.#slots.get(key)
    if (slot === undefined) return undefined
    const old = objectIn(slot)
    this.#slots.delete(key)
    for (const [name, valuesOf] of Object.entries(this.#indexers)) {
      const index = this.#indexes.get(name)
      if (index !== undefined) for (const value of valuesOf(old)) takeOut(index, value, slot)
    }
    return old
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

const NOWHERE: readonly string[] = []

function objectIn<T extends KubeObject>({ object, keeper }: Slot<T>): Readonly<T> {
  const found = object ?? keeper?.object
  if (found === undefined) throw new Error('invariant: an object that is not held here is kept elsewhere')
  return found
}

function takeOut<T extends KubeObject>(index: Map<string, Set<Slot<T>>>, value: string, slot: Slot<T>): void {
  const found = index.get(value)
  found?.delete(slot)
  if (found?.size === 0) index.delete(value)
}
