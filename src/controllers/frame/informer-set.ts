import { untilAborted } from '../../base/on-abort.ts'
import { Signal } from '../../base/signal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import type { InformerFactory } from '../../sdk/informer/informer-factory.ts'
import { indexersOf } from './indexes.ts'
import type { Informers } from './informers.ts'

interface Entry {
  readonly informer: Informer<KubeObject>
  started: boolean
  readonly stop: AbortController
}

const keyOf = ({ group, version, resource }: ResourceRef) => `${group}/${version}/${resource}`

/** One informer a collection, created on the first request and shared from then on. */
export class InformerSet implements Informers {
  readonly #factory: InformerFactory
  readonly #informers = new Map<string, Entry>()
  #signal: AbortSignal | undefined

  constructor(factory: InformerFactory) {
    this.#factory = factory
  }

  /** The informer runs as soon as the set does. */
  of<T extends KubeObject>(ref: ResourceRef<T>): Informer<T> {
    const known = this.#informers.get(keyOf(ref))
    // The informer under the key of a ref was created from that ref.
    if (known !== undefined) return known.informer as Informer<T>
    const informer = this.#factory.informer({ target: ref, indexers: indexersOf(ref) })
    const entry: Entry = { informer, started: false, stop: new AbortController() }
    this.#informers.set(keyOf(ref), entry)
    if (this.#signal !== undefined) this.#start(entry, this.#signal)
    return informer
  }

  peek(ref: ResourceRef): Informer<KubeObject> | undefined {
    return this.#informers.get(keyOf(ref))?.informer
  }

  drop(ref: ResourceRef): void {
    this.#informers.get(keyOf(ref))?.stop.abort()
    this.#informers.delete(keyOf(ref))
  }

  /** Runs all informers, also those that are requested later, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const entry of this.#informers.values()) this.#start(entry, signal)
    await untilAborted(signal)
  }

  #start(entry: Entry, signal: AbortSignal): void {
    if (entry.started) return
    entry.started = true
    void entry.informer.run(AbortSignal.any([signal, entry.stop.signal]))
  }
}

/** Resolves with true when all copies are complete, with false when the signal is aborted before. Rejects when one of them does. */
export async function synced(copies: readonly Promise<unknown>[], signal: AbortSignal): Promise<boolean> {
  const complete = Promise.all(copies)
  const ended = new Signal()
  complete.then(
    () => ended.raise(),
    () => ended.raise(),
  )
  if ((await ended.wait({ signal })) === 'aborted') return false
  await complete
  return true
}
