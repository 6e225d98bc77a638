import type { Clock } from '../base/clock.ts'
import { mappedWatcher } from './mapped-watcher.ts'
import type { Commit, Entry, Proposal, RangeOptions, RangeResult, Revision, Store, Watcher } from './store.ts'

export interface StoreRequest {
  readonly operation: 'get' | 'list' | 'create' | 'update' | 'delete'
  /** The key, or the prefix of a list. */
  readonly key: string
  readonly tookMs: number
  /** A conflict is no failure. */
  readonly failed: boolean
}

export interface MeasuredStoreDeps {
  readonly clock: Clock
  readonly requested: (request: StoreRequest) => void
  /** A watch delivered a change of this key. */
  readonly received: (key: string) => void
}

/** Reports how long the requests to another store took, and what its watches deliver. */
export class MeasuredStore implements Store {
  readonly #below: Store
  readonly #deps: MeasuredStoreDeps

  constructor(below: Store, deps: MeasuredStoreDeps) {
    this.#below = below
    this.#deps = deps
  }

  latest(): Promise<Revision> {
    return this.#below.latest()
  }

  get(key: string): Promise<Entry | undefined> {
    return this.#measured('get', key, () => this.#below.get(key))
  }

  range(prefix: string, options?: RangeOptions): Promise<RangeResult> {
    return this.#measured('list', prefix, () => this.#below.range(prefix, options))
  }

  commit(proposal: Proposal): Promise<Commit> {
    const operation = proposal.value === undefined ? 'delete' : 'absent' in proposal.expect ? 'create' : 'update'
    return this.#measured(operation, proposal.key, () => this.#below.commit(proposal))
  }

  watch(prefix: string, after: Revision): Watcher {
    return mappedWatcher(this.#below.watch(prefix, after), (changes) => {
      for (const change of changes) this.#deps.received(change.kind === 'put' ? change.entry.key : change.key)
      return changes
    })
  }

  compact(revision: Revision): Promise<void> {
    return this.#below.compact(revision)
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#below[Symbol.asyncDispose]()
  }

  async #measured<T>(operation: StoreRequest['operation'], key: string, request: () => Promise<T>): Promise<T> {
    const { clock, requested } = this.#deps
    const startedMs = clock.monotonic()
    let failed = true
    try {
      const result = await request()
      failed = false
      return result
    } finally {
      requested({ operation, key, tookMs: clock.monotonic() - startedMs, failed })
    }
  }
}
