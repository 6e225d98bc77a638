import type { KubeObject } from '../../machinery/object.ts'
import { objectKey } from './object-key.ts'

/** Index name → the values under which an object is found. */
export type Indexers<T extends KubeObject> = Readonly<Record<string, (object: Readonly<T>) => readonly string[]>>

/** Objects by key, and by the values of named indexes. */
export class IndexedStore<T extends KubeObject> {
  readonly #objects = new Map<string, Readonly<T>>()
  readonly #indexers: Indexers<T>
  readonly #indexes = new Map<string, Map<string, Map<string, Readonly<T>>>>()

  constructor(indexers: Indexers<T>) {
    this.#indexers = { namespace: (object) => [object.metadata.namespace ?? ''], ...indexers }
    for (const name of Object.keys(this.#indexers)) this.#indexes.set(name, new Map())
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: string): Readonly<T> | undefined {
    return this.#objects.get(key)
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys()
  }

  list(): readonly Readonly<T>[] {
    return [...this.#objects.values()]
  }

  byIndex(index: string, value: string): readonly Readonly<T>[] {
    const values = this.#indexes.get(index)
    if (values === undefined) throw new Error(`the informer has no index ${index}: name it in its indexers`)
    return [...(values.get(value)?.values() ?? [])]
  }

  /** Puts the object in; returns what stood there. */
  set(object: Readonly<T>): Readonly<T> | undefined {
    const key = objectKey(object)
    const old = this.#objects.get(key)
    if (old !== undefined) this.#unindex(key, old)
    this.#objects.set(key, object)
    for (const [name, valuesOf] of Object.entries(this.#indexers)) {
      const index = this.#indexes.get(name)
      for (const value of valuesOf(object)) {
        const found = index?.get(value)
        if (found === undefined) index?.set(value, new Map([[key, object]]))
        else found.set(key, object)
      }
    }
    return old
  }

  delete(key: string): Readonly<T> | undefined {
    const old = this.#objects.get(key)
    if (old === undefined) return undefined
    this.#objects.delete(key)
    this.#unindex(key, old)
    return old
  }

  #unindex(key: string, object: Readonly<T>): void {
    for (const [name, valuesOf] of Object.entries(this.#indexers)) {
      const index = this.#indexes.get(name)
      for (const value of valuesOf(object)) {
        const found = index?.get(value)
        found?.delete(key)
        if (found?.size === 0) index?.delete(value)
      }
    }
  }
}
