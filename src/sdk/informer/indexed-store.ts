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
    this.#objects.set(key, object)
    for (const name in this.#indexers) {
      const valuesOf = this.#indexers[name]
      const index = this.#indexes.get(name)
      if (valuesOf === undefined || index === undefined) continue
      const values = valuesOf(object)
      // Most changes leave an object where it stands: then it takes the place of the old one.
      if (old !== undefined) for (const value of valuesOf(old)) if (!values.includes(value)) takeOut(index, value, key)
      for (const value of values) {
        const found = index.get(value)
        if (found === undefined) index.set(value, new Map([[key, object]]))
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
      if (index !== undefined) for (const value of valuesOf(object)) takeOut(index, value, key)
    }
  }
}

function takeOut<T>(index: Map<string, Map<string, T>>, value: string, key: string): void {
  const found = index.get(value)
  found?.delete(key)
  if (found?.size === 0) index.delete(value)
}
