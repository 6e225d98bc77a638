/** A map of which there are many, most of them empty: nothing is made before something is put into it. */
export class SparseMap<V> {
  #entries: Map<string, V> | undefined

  get isEmpty(): boolean {
    return this.#entries === undefined
  }

  get(key: string): V | undefined {
    return this.#entries?.get(key)
  }

  set(key: string, value: V): void {
    this.#entries ??= new Map()
    this.#entries.set(key, value)
  }

  delete(key: string): void {
    this.#entries?.delete(key)
    if (this.#entries?.size === 0) this.#entries = undefined
  }
}
