import { PassingMap } from '../../base/collections/passing-map.ts'

/** A value that this server writes: as the watch cache has it, and as etcd does. */
export interface OwnValue {
  readonly json: Uint8Array
  readonly stored: Uint8Array
}

/** The values that this server writes, until its watch delivers them: then they need not be decoded. */
export class OwnValues {
  readonly #byKey = new PassingMap<string, OwnValue>()

  add(key: string, value: OwnValue): void {
    this.#byKey.set(key, value)
  }

  /** It was not stored, or no watch will deliver it. */
  drop(key: string, value: OwnValue): void {
    if (this.#byKey.get(key) === value) this.#byKey.delete(key)
  }

  /** The JSON of a value that the watch delivers, where this server wrote it. */
  deliver(key: string, stored: Uint8Array): Uint8Array | undefined {
    const own = this.#byKey.get(key)
    if (own === undefined || Buffer.compare(own.stored, stored) !== 0) return undefined
    this.#byKey.delete(key)
    return own.json
  }

  /** What the watch had to deliver is lost. */
  clear(): void {
    this.#byKey.clear()
  }
}
