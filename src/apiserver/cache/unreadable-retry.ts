import type { Cancel, Clock } from '../../base/clock.ts'
import type { Store } from '../../storage/store.ts'
import type { ResourceCache } from './resource-cache.ts'
import { mayRecover } from './unreadable-objects.ts'

/** Between two attempts. */
const RETRY_MS = 1000

export interface UnreadableRetryDeps {
  readonly store: Pick<Store, 'get'>
  readonly clock: Clock
  readonly caches: () => Iterable<ResourceCache>
}

/** Reads again what could not be read, until everything can: the plugin that decrypts it may be back. */
export class UnreadableRetry implements AsyncDisposable {
  readonly #deps: UnreadableRetryDeps
  #cancel: Cancel | undefined
  #running: Promise<void> = Promise.resolve()
  #closed = false

  constructor(deps: UnreadableRetryDeps) {
    this.#deps = deps
  }

  /** Called when an object cannot be read. */
  schedule(): void {
    this.#cancel ??= this.#deps.clock.after(RETRY_MS, () => {
      this.#running = this.#retry()
    })
  }

  async #retry(): Promise<void> {
    const { store, caches } = this.#deps
    const incomplete = [...caches()].filter(({ unreadable }) => unreadable.mayRecover)
    for (const cache of incomplete)
      for (const [key, { storeKey, error }] of cache.unreadable.entries()) {
        if (!mayRecover(error)) continue
        const entry = await store.get(storeKey).catch(() => undefined)
        const known = cache.unreadable.get(key)
        if (entry === undefined || known?.revision !== entry.revision) continue
        if (entry.unreadable !== undefined) cache.unreadable.set(key, { ...known, error: entry.unreadable })
        else cache.recover(cache.item({ key, source: entry, revision: entry.revision }))
      }
    this.#cancel = undefined
    if (!this.#closed && incomplete.some(({ unreadable }) => unreadable.mayRecover)) this.schedule()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#cancel?.()
    await this.#running
  }
}
