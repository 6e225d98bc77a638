import { byText } from '../../base/by-text.ts'
import type { Revision, StoreError } from '../../storage/store.ts'

/** An object that the store has but cannot read: no key decrypts it, or it is none. */
export interface UnreadableObject {
  readonly storeKey: string
  readonly revision: Revision
  readonly error: StoreError
}

/** A key or plugin may come back; a value that is no object stays what it is until it is written anew. */
export const mayRecover = ({ code }: StoreError): boolean => code === 'untransformable'

/** The unreadable objects of a resource, by the keys of its cache, in order. While there are any, the cache is incomplete. */
export class UnreadableObjects {
  readonly #byKey = new Map<string, UnreadableObject>()

  get size(): number {
    return this.#byKey.size
  }

  /** True if one of them may become readable: then the server is not ready. */
  get mayRecover(): boolean {
    return this.#byKey.values().some(({ error }) => mayRecover(error))
  }

  get(key: string): UnreadableObject | undefined {
    // Every read asks: the hash of the key is not computed for nothing.
    return this.#byKey.size === 0 ? undefined : this.#byKey.get(key)
  }

  set(key: string, object: UnreadableObject): void {
    this.#byKey.set(key, object)
  }

  delete(key: string): boolean {
    return this.#byKey.delete(key)
  }

  /** The first one under a prefix, up to a key. */
  first(prefix: string, last?: string): (UnreadableObject & { readonly key: string }) | undefined {
    const keys = [...this.#byKey.keys()].filter((key) => key.startsWith(prefix) && (last === undefined || key <= last))
    const [key] = keys.sort(byText)
    const object = key === undefined ? undefined : this.#byKey.get(key)
    return key === undefined || object === undefined ? undefined : { ...object, key }
  }

  entries(): readonly (readonly [key: string, object: UnreadableObject])[] {
    return [...this.#byKey]
  }
}
