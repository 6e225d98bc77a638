import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { aborted, Signal } from '../../base/signal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Client, ResourceRef } from '../../sdk/client/client.ts'
import { createInformer, type Informer } from '../../sdk/informer/informer.ts'
import { indexersOf } from './indexes.ts'

export interface InformerSetDeps {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** One informer a collection, made when it is first asked for and shared from then on. */
export class InformerSet {
  readonly #deps: InformerSetDeps
  readonly #informers = new Map<string, { readonly informer: Informer<KubeObject>; started: boolean; stop: AbortController }>()
  #signal: AbortSignal | undefined

  constructor(deps: InformerSetDeps) {
    this.#deps = deps
  }

  /** The informer of a collection. It runs as soon as the set does. */
  of(ref: ResourceRef): Informer<KubeObject> {
    const key = `${ref.group}/${ref.version}/${ref.resource}`
    const known = this.#informers.get(key)
    if (known !== undefined) return known.informer
    const entry = {
      informer: createInformer({ ...this.#deps, target: ref, indexers: indexersOf(ref) }),
      started: false,
      stop: new AbortController(),
    }
    this.#informers.set(key, entry)
    if (this.#signal !== undefined) this.#start(entry, this.#signal)
    return entry.informer
  }

  /** The informer of a collection, if anybody has asked for it. */
  peek(ref: ResourceRef): Informer<KubeObject> | undefined {
    return this.#informers.get(`${ref.group}/${ref.version}/${ref.resource}`)?.informer
  }

  /** Ends the informer of a collection that is served no more. */
  drop(ref: ResourceRef): void {
    const key = `${ref.group}/${ref.version}/${ref.resource}`
    this.#informers.get(key)?.stop.abort()
    this.#informers.delete(key)
  }

  /** Runs all informers, also those asked for later, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const entry of this.#informers.values()) this.#start(entry, signal)
    await aborted(signal)
  }

  #start(entry: { readonly informer: Informer<KubeObject>; started: boolean; stop: AbortController }, signal: AbortSignal): void {
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
