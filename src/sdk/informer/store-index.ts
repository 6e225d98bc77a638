import type { Keeper } from '../../machinery/kept.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** The values under which an index finds an object. */
export type Indexer<T extends KubeObject> = (object: Readonly<T>) => readonly string[]

/** The entry of one object. It stays the same when the object changes. */
export interface Slot<T extends KubeObject> {
  /** Absent once it is left to the keeper. */
  object: Readonly<T> | undefined
  /** Another holder of the object. */
  keeper: Keeper<T> | undefined
  /** When it was put in last. */
  turn: number
}

/** The entries of a store by the values that one function finds in their objects. */
export class StoreIndex<T extends KubeObject> {
  readonly valuesOf: Indexer<T>
  readonly #slots = new Map<string, Set<Slot<T>>>()

  constructor(valuesOf: Indexer<T>) {
    this.valuesOf = valuesOf
  }

  /** The objects under a value. */
  objects(value: string): readonly Readonly<T>[] {
    const slots = this.#slots.get(value)
    return slots === undefined ? [] : Array.from(slots, objectIn)
  }

  /** The entry's object has become another state; `old` undefined: it is new. */
  put(slot: Slot<T>, object: Readonly<T>, old: Readonly<T> | undefined): void {
    const values = this.valuesOf(object)
    // Most changes leave an object's index values as they are.
    const before = old === undefined ? NOWHERE : this.valuesOf(old)
    for (const value of before) if (!values.includes(value)) this.#takeOut(value, slot)
    for (const value of values) {
      const found = this.#slots.get(value)
      if (found === undefined) this.#slots.set(value, new Set([slot]))
      else if (!before.includes(value)) found.add(slot)
    }
  }

  delete(slot: Slot<T>, old: Readonly<T>): void {
    for (const value of this.valuesOf(old)) this.#takeOut(value, slot)
  }

  clear(): void {
    this.#slots.clear()
  }

  #takeOut(value: string, slot: Slot<T>): void {
    const found = this.#slots.get(value)
    found?.delete(slot)
    if (found?.size === 0) this.#slots.delete(value)
  }
}

const NOWHERE: readonly string[] = []

/** The object of an entry, decoded again where only its keeper has it. */
export function objectIn<T extends KubeObject>({ object, keeper }: Slot<T>): Readonly<T> {
  const found = object ?? keeper?.object
  if (found === undefined) throw new Error('invariant: an object that is not held here is kept elsewhere')
  return found
}
