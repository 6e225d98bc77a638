import type { Clock } from '../base/clock.ts'
import type { Commit, Entry, Proposal, RangeOptions, RangeResult, Revision, Store, Watcher } from './store.ts'

export interface StoreRequest {
  readonly operation: 'get' | 'list' | 'create' | 'update' | 'delete'
  /** The key, or the prefix of a list. */
  readonly key: string
  readonly tookMs: number
  /** A conflict is no failure. */
  readonly failed: boolean
}

/** Reports how long the requests to another store took. */
export class MeasuredStore implements Store {
  readonly #below: Store
  readonly #clock: Clock
  readonly #report: (request: StoreRequest) => void

  constructor(below: Store, clock: Clock, report: (request: StoreRequest) => void) {
    this.#below = below
    this.#clock = clock
    this.#report = report
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
    return this.#below.watch(prefix, after)
  }

  compact(revision: Revision): Promise<void> {
    return this.#below.compact(revision)
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#below[Symbol.asyncDispose]()
  }

  async #measured<T>(operation: StoreRequest['operation'], key: string, request: () => Promise<T>): Promise<T> {
    const startedMs = this.#clock.monotonic()
    let failed = true
    try {
      const result = await request()
      failed = false
      return result
    } finally {
      this.#report({ operation, key, tookMs: this.#clock.monotonic() - startedMs, failed })
    }
  }
}
