import { PassingMap } from '../../base/collections/passing-map.ts'
import { deepFreeze, type KubeObject } from '../../machinery/object.ts'
import type { Entry } from '../../storage/store.ts'
import type { CacheLocation } from './cache-directory.ts'
import type { StoredObject } from './stored-object.ts'

/** A write of this server that is not yet seen on the watch: the bytes and the object that it stores. */
export interface OwnWrite {
  readonly value: Buffer
  readonly object: KubeObject
  /** The object without what every read adds. */
  readonly written?: KubeObject
  /** The item made from it when the watch delivered it. */
  item?: StoredObject
}

/** The writes of this server that are under way, by store key: when the watch delivers them, their objects need not be decoded again. */
export class OwnWrites {
  readonly #byKey = new PassingMap<string, OwnWrite[]>()
  /** Items whose object has what reading adds, and the stored one has not. */
  readonly #completed = new WeakSet<StoredObject>()
  readonly #freeze: boolean

  /** `freeze`: the objects of items are frozen. */
  constructor(freeze: boolean) {
    this.#freeze = freeze
  }

  add(storeKey: string, write: OwnWrite): void {
    const others = this.#byKey.get(storeKey)
    this.#byKey.set(storeKey, others === undefined ? [write] : [...others, write])
  }

  remove(storeKey: string, write: OwnWrite): void {
    const others = this.#byKey.get(storeKey)?.filter((other) => other !== write) ?? []
    if (others.length === 0) this.#byKey.delete(storeKey)
    else this.#byKey.set(storeKey, others)
  }

  /** The item of a change that the watch delivered, with the object of the write that made it where that was this server's. */
  itemOf({ cache, key }: CacheLocation, entry: Entry): StoredObject {
    const { revision } = entry
    const own = this.#byKey
      .get(entry.key)
      ?.find((write) => write.item === undefined && (write.value === entry.value || write.value.equals(entry.value)))
    if (own === undefined) return cache.item({ key, source: entry, revision })
    own.object.metadata.resourceVersion = String(revision)
    if (this.#freeze) deepFreeze(own.object)
    own.item = cache.item({ key, source: entry, revision, object: own.object })
    if (own.written !== undefined) this.#completed.add(own.item)
    return own.item
  }

  /**
   * Whether reading added to the object what the store has not: the first update writes that, even one without a change. Known of writes of
   * this server since its start.
   */
  isCompleted(item: StoredObject): boolean {
    return this.#completed.has(item)
  }
}
