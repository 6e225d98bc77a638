import { deliver } from '../../base/cause.ts'
import { onAbort } from '../../base/on-abort.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { WatchEvent } from '../client/client.ts'
import { IndexedStore } from './indexed-store.ts'
import type { InformerHandler } from './informer.ts'
import { objectKey } from './object-key.ts'
import { type ReflectorOptions, type ReflectorSink, reflect } from './reflector.ts'

/** One of those who read a shared copy. */
export interface InformerReader<T extends KubeObject> {
  /** A server without the resource counts as one without objects. */
  readonly optional: boolean
  tell(change: (handler: InformerHandler<T>) => void): void
  /** All objects of the list were passed on. */
  listed(): void
}

/** A copy of a collection, kept by one list and watch as long as anyone reads it. */
export class SharedInformer<T extends KubeObject> implements ReflectorSink<T> {
  readonly store = new IndexedStore<T>()
  readonly #options: ReflectorOptions<T>
  /** Called when the last reader has gone. */
  readonly #unread: () => void
  /** Replaced and never changed: a handler may end a reader, or begin another. */
  #readers: readonly InformerReader<T>[] = []
  /** What the server has said last; `absent` only where a reader expects it. */
  #state: 'unknown' | 'listed' | 'absent' = 'unknown'
  #reflecting: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined

  constructor(options: ReflectorOptions<T>, unread: () => void = () => {}) {
    this.#options = options
    this.#unread = unread
  }

  /** Tells the reader, who knows what is in the store, of all changes until the signal is aborted. */
  serve(reader: InformerReader<T>, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    this.#readers = [...this.#readers, reader]
    if (this.#state === 'listed' || (this.#state === 'absent' && reader.optional)) reader.listed()
    this.#reflecting ??= this.#reflect()
    return new Promise((resolve) => {
      onAbort(signal, () => resolve(this.#leave(reader, signal.reason)))
    })
  }

  replace(items: readonly Readonly<T>[]): void {
    this.#setAll(items)
    this.#state = 'listed'
    for (const reader of this.#readers) reader.listed()
  }

  apply(event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') return
    const key = objectKey(event.object)
    const known = this.store.get(key)
    // An event that was delivered twice, or overtaken, is ignored.
    if (isOlder(event.object, known)) return
    if (event.type !== 'DELETED') this.#put(key, event.object, known)
    else if (known !== undefined && !isAnother(known, event.object)) this.#remove(key, event.object)
  }

  absent(): boolean {
    const expecting = this.#readers.filter((reader) => reader.optional)
    if (expecting.length === 0) return false
    this.#setAll([])
    this.#state = 'absent'
    for (const reader of expecting) reader.listed()
    return true
  }

  #reflect() {
    const stop = new AbortController()
    return { stop, ended: reflect(this.#options, this, stop.signal) }
  }

  #leave(reader: InformerReader<T>, reason: unknown): Promise<void> | undefined {
    this.#readers = this.#readers.filter((r) => r !== reader)
    if (this.#readers.length > 0) return undefined
    this.#unread()
    this.#reflecting?.stop.abort(reason)
    return this.#reflecting?.ended
  }

  #setAll(items: readonly Readonly<T>[]): void {
    const present = new Set(items.map(objectKey))
    for (const key of [...this.store.keys()]) {
      const old = present.has(key) ? undefined : this.store.get(key)
      if (old !== undefined) this.#remove(key, old)
    }
    for (const item of items) {
      const key = objectKey(item)
      this.#put(key, item, this.store.get(key))
    }
  }

  /** `known`: the current entry. */
  #put(key: string, object: Readonly<T>, known: Readonly<T> | undefined): void {
    // An object that was deleted and created again under the name, unobserved, is another object.
    const another = known !== undefined && isAnother(known, object)
    if (another) this.#remove(key, known)
    const old = this.store.set(key, object, another ? undefined : known)
    if (old === undefined) this.#tell(object, (h) => h.added?.(object))
    else if (old !== object && old.metadata.resourceVersion !== object.metadata.resourceVersion)
      this.#tell(object, (h) => h.updated?.(object, old))
  }

  #remove(key: string, last: Readonly<T>): void {
    this.store.delete(key)
    this.#tell(last, (h) => h.deleted?.(last))
  }

  #tell({ metadata }: Readonly<T>, change: (handler: InformerHandler<T>) => void): void {
    deliver(metadata.resourceVersion, () => {
      for (const reader of this.#readers) reader.tell(change)
    })
  }
}

const isAnother = (a: Readonly<KubeObject>, b: Readonly<KubeObject>) => a.metadata.uid !== b.metadata.uid

/** Versions of built-in and custom resources are counters; those of other servers may be anything, and are then not compared. */
function isOlder(object: Readonly<KubeObject>, known: Readonly<KubeObject> | undefined): boolean {
  const [a = '', b = ''] = [object.metadata.resourceVersion, known?.metadata.resourceVersion]
  if (!COUNTER.test(a) || !COUNTER.test(b)) return false
  return a.length === b.length ? a < b : a.length < b.length
}

const COUNTER = /^[1-9]\d*$/
