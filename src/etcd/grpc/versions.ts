import { quiet } from '../../base/quiet.ts'
import { changedKey } from '../../storage/keyspace.ts'
import type { Entry, LocalStore, Revision, Watcher } from '../../storage/store.ts'

/** How often each key was written since it was created: the store does not count, so its history is counted here. */
export class Versions implements AsyncDisposable {
  readonly #store: LocalStore
  readonly #watcher: Watcher
  readonly #following: Promise<void>
  /** The revisions at which each key was put, since it was created or since the past begins. */
  readonly #puts = new Map<string, Revision[]>()
  #seen: Revision
  #waiting: { readonly revision: Revision; readonly resolve: () => void }[] = []

  constructor(store: LocalStore) {
    this.#store = store
    this.#seen = store.compacted
    this.#watcher = store.watch('', this.#seen)
    this.#following = quiet(this.#follow(), 'the store is closing')
  }

  /** Resolves when everything up to the store's revision is counted. */
  async upToDate(): Promise<void> {
    const { revision } = this.#store
    if (this.#seen < revision) await new Promise<void>((resolve) => this.#waiting.push({ revision, resolve }))
  }

  /** For keys that were written before the history begins, it is only known whether they were written more than once. */
  of({ key, revision, createRevision }: Entry): number {
    const puts = this.#puts.get(key)?.filter((put) => put >= createRevision && put <= revision) ?? []
    if (puts[0] === createRevision) return puts.length
    return puts.length + (createRevision === revision ? 1 : puts[0] === revision ? 1 : 2)
  }

  async #follow(): Promise<void> {
    for await (const changes of this.#watcher.changes) {
      for (const change of changes) {
        const key = changedKey(change)
        if (change.kind === 'delete') this.#puts.delete(key)
        else this.#puts.set(key, [...(change.previous === undefined ? [] : (this.#puts.get(key) ?? [])), change.revision])
        this.#seen = change.revision
      }
      const reached = this.#waiting.filter(({ revision }) => revision <= this.#seen)
      this.#waiting = this.#waiting.filter(({ revision }) => revision > this.#seen)
      for (const { resolve } of reached) resolve()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watcher[Symbol.asyncDispose]()
    await this.#following
    for (const { resolve } of this.#waiting.splice(0)) resolve()
  }
}
