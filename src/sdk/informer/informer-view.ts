import { deliver } from '../../base/cause.ts'
import type { Cancel } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Informer, InformerConfig, InformerHandler } from './informer.ts'
import type { InformerReader, SharedInformer } from './shared-informer.ts'
import type { StoreIndex } from './store-index.ts'

const NAMESPACE = 'namespace'

/** An informer over a copy that it may share with others. Until it runs it is empty. */
export class InformerView<T extends KubeObject> implements Informer<T>, InformerReader<T> {
  readonly synced: Promise<void>
  readonly optional: boolean
  readonly #config: InformerConfig<T>
  readonly #log: Logger
  /** Finds the copy when the informer begins to run. */
  readonly #open: () => SharedInformer<T>
  #shared: SharedInformer<T> | undefined
  readonly #indexes = new Map<string, StoreIndex<T>>()
  #handlers: readonly InformerHandler<T>[] = []
  #hasSynced = false
  #announceSynced = () => {}

  constructor(config: InformerConfig<T>, { log, open }: { readonly log: Logger; readonly open: () => SharedInformer<T> }) {
    this.#config = config
    this.optional = config.optional ?? false
    this.#log = log
    this.#open = open
    this.synced = new Promise((resolve) => {
      this.#announceSynced = resolve
    })
  }

  get hasSynced(): boolean {
    return this.#hasSynced
  }

  get size(): number {
    return this.#shared?.store.size ?? 0
  }

  get(key: string): Readonly<T> | undefined {
    return this.#shared?.store.get(key)
  }

  list(namespace?: string): readonly Readonly<T>[] {
    return this.#shared?.store.list(namespace) ?? []
  }

  byIndex(index: string, value: string): readonly Readonly<T>[] {
    const found = this.#indexes.get(index)
    if (found !== undefined) return found.objects(value)
    if (index === NAMESPACE) return this.list(value)
    if (this.#config.indexers?.[index] === undefined) throw new Error(`the informer has no index ${index}: name it in its indexers`)
    return []
  }

  addHandler(handler: InformerHandler<T>): Cancel {
    for (const object of this.list()) deliver(object.metadata.resourceVersion, () => this.#call(handler, (h) => h.added?.(object)))
    this.#handlers = [...this.#handlers, handler]
    return () => {
      this.#handlers = this.#handlers.filter((h) => h !== handler)
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const shared = this.#open()
    this.#shared = shared
    for (const [name, valuesOf] of Object.entries(this.#config.indexers ?? {})) this.#indexes.set(name, shared.store.addIndex(valuesOf))
    for (const object of shared.store.list()) deliver(object.metadata.resourceVersion, () => this.tell((h) => h.added?.(object)))
    await shared.serve(this, signal)
    for (const index of this.#indexes.values()) shared.store.releaseIndex(index)
  }

  tell(change: (handler: InformerHandler<T>) => void): void {
    for (const handler of this.#handlers) this.#call(handler, change)
  }

  listed(): void {
    this.#hasSynced = true
    this.#announceSynced()
  }

  #call(handler: InformerHandler<T>, change: (handler: InformerHandler<T>) => void): void {
    try {
      change(handler)
    } catch (error) {
      this.#log.error(`an informer handler for ${this.#config.target.resource} failed`, { error })
    }
  }
}
