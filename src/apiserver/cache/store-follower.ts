import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { type Change, type Entry, type RangeResult, type Revision, type Store, StoreError, type Watcher } from '../../storage/store.ts'
import type { CacheDirectory, CacheLocation } from './cache-directory.ts'
import type { ResourceCache } from './resource-cache.ts'
import { RevisionWaiters } from './revision-waiters.ts'
import { ROOT } from './storage-keys.ts'
import { refusalOf, unavailable } from './store-refusals.ts'
import type { StoredObject } from './stored-object.ts'

export interface StoreFollowerDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly directory: CacheDirectory
  /** The item of a change that the watch delivered. */
  readonly itemOf: (location: CacheLocation, entry: Entry) => StoredObject
  readonly onUnreadable: (location: CacheLocation, entry: Entry, error: StoreError) => void
}

/** Errors after which a range is tried again. */
const TRANSIENT: ReadonlySet<string> = new Set(['unavailable', 'timeout', 'no-leader', 'compacted'])
const RESTART_PAUSE_MS = 1000

/** Follows one watch of the whole store, and keeps the caches as the store is. */
export class StoreFollower implements AsyncDisposable {
  readonly #deps: StoreFollowerDeps
  readonly #failed = new AbortController()
  readonly waiters: RevisionWaiters
  #watcher: Watcher
  #following: Promise<void> = Promise.resolve()
  /** The store is older than what it had shown: everything is read again. */
  #rewound = false

  /** `revision`: what the caches have at the start. */
  constructor(deps: StoreFollowerDeps, revision: Revision) {
    this.#deps = deps
    this.waiters = new RevisionWaiters(revision, deps.clock)
    // All keys, not objects only: the latest revision may belong to something else, and waiters for it must see it.
    this.#watcher = deps.store.watch('', revision)
  }

  /** Aborted when the watch breaks for good. */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  load(entry: Entry): void {
    const { directory, onUnreadable } = this.#deps
    const location = directory.locate(entry.key)
    if (location === undefined) return
    directory.noteStored(entry.key, location)
    if (entry.unreadable !== undefined) onUnreadable(location, entry, entry.unreadable)
    else location.cache.load(location.cache.item({ key: location.key, source: entry, revision: entry.revision }))
  }

  start(): void {
    this.#following = this.#follow()
  }

  /** Resolves when everything committed before this call is in the caches. */
  async consistent(): Promise<void> {
    const { store, log } = this.#deps
    this.waiters.assertAlive()
    const before = this.waiters.seen
    let latest: Revision
    try {
      latest = await store.latest()
    } catch (error) {
      throw refusalOf(error, log)
    }
    if (latest < before) await this.#rewind()
    const seen = this.waiters.until(latest)
    if (seen !== undefined) await seen
  }

  async #follow(): Promise<void> {
    try {
      while (await this.#followOne()) await this.#restart()
      this.waiters.fail(unavailable('this server is shutting down'))
    } catch (error) {
      this.#deps.log.error('the watch of the store broke; this server must be started again', { error })
      this.waiters.fail(unavailable('the storage of this server failed; it must be started again', error))
      this.#failed.abort(error)
    }
  }

  /** Follows one watch to its end; true if changes were lost, and everything has to be read again. */
  async #followOne(): Promise<boolean> {
    try {
      for await (const changes of this.#watcher.changes) this.#apply(changes, this.#watcher.reached)
      return this.#rewound
    } catch (error) {
      if (error instanceof StoreError && error.code === 'compacted') return true
      throw error
    }
  }

  /** `reached`: nothing up to this revision is missing. */
  #apply(changes: readonly Change[], reached: Revision): void {
    const touched = new Set<ResourceCache>()
    for (const change of changes) {
      const location = this.#deps.directory.locate(change.kind === 'put' ? change.entry.key : change.key)
      if (location === undefined) continue
      touched.add(location.cache)
      this.#applyOne(location, change)
    }
    // Woken waiters may read the revision of the caches.
    this.waiters.advance(reached)
    for (const cache of touched) cache.watchers.flush()
  }

  #applyOne(location: CacheLocation, change: Change): void {
    const { directory, itemOf, onUnreadable } = this.#deps
    const { cache, key } = location
    if (change.kind === 'delete') {
      directory.noteDeleted(change.key, location)
      cache.unreadable.delete(key)
      cache.delete(key, change.revision)
    } else if (change.entry.unreadable !== undefined) onUnreadable(location, change.entry, change.entry.unreadable)
    else {
      cache.unreadable.delete(key)
      cache.put(itemOf(location, change.entry))
    }
  }

  /** The store was restored to an older state: what the caches show was undone. */
  async #rewind(): Promise<never> {
    if (!this.#rewound) {
      this.#rewound = true
      await this.#watcher[Symbol.asyncDispose]()
    }
    throw unavailable('the storage of this server was restored to an older state, and is read again: try again')
  }

  /** Reads everything again, and watches from there. */
  async #restart(): Promise<void> {
    const { store, log, directory } = this.#deps
    log.warn('changes of the store were lost: the caches are filled again')
    const { entries, revision } = await this.#rangeAgain()
    const items = new Map<ResourceCache, StoredObject[]>()
    for (const entry of entries) {
      const location = directory.locate(entry.key)
      if (location === undefined) continue
      const item = location.cache.item({ key: location.key, source: entry, revision: entry.revision })
      const known = items.get(location.cache)
      if (known === undefined) items.set(location.cache, [item])
      else known.push(item)
    }
    this.#rewound = false
    this.#watcher = store.watch('', revision)
    this.waiters.restart(revision, unavailable('the storage of this server was read again: try again'))
    for (const cache of directory.stored()) cache.restart(items.get(cache) ?? [], revision)
  }

  async #rangeAgain(): Promise<RangeResult> {
    for (;;) {
      try {
        return await this.#deps.store.range(ROOT)
      } catch (error) {
        if (!(error instanceof StoreError) || !TRANSIENT.has(error.code)) throw error
        await this.#deps.clock.sleep(RESTART_PAUSE_MS)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watcher[Symbol.asyncDispose]()
    await this.#following
  }
}
