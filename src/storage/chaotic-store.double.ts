import {
  type Change,
  type Commit,
  type Entry,
  type LocalStore,
  type Proposal,
  type RangeOptions,
  type RangeResult,
  type Revision,
  type Store,
  StoreError,
  type Watcher,
} from './store.ts'

/**
 * A store behind an unreliable connection, for tests: commits take effect in the store below at once, but their results come when the test
 * releases them, in any order, or not at all; changes reach watchers late; and at some time the watch breaks. A watcher never sees a change
 * that did not happen, nor changes out of order.
 */
export class ChaoticStore implements Store {
  readonly below: LocalStore
  /** Results that wait for release. */
  readonly #answers: (() => void)[] = []
  readonly #watchers = new Set<LateWatcher>()
  #failNext: 'before' | 'after' | undefined

  constructor(below: LocalStore) {
    this.below = below
  }

  get heldResponses(): number {
    return this.#answers.length
  }

  /** The next commit fails: before anything was written, or although it was. */
  failNext(when: 'before' | 'after'): void {
    this.#failNext = when
  }

  /** Releases one of the held results. */
  answer(which: number): void {
    const [go] = this.#answers.splice(which % Math.max(1, this.#answers.length), 1)
    go?.()
  }

  /** Lets watchers see so many changes more. */
  deliver(count: number): void {
    for (const watcher of this.#watchers) watcher.deliver(count)
  }

  breakWatches(): void {
    for (const watcher of this.#watchers) watcher.fail(new StoreError('io', 'the line is dead'))
  }

  latest(): Promise<Revision> {
    return this.below.latest()
  }

  get(key: string): Promise<Entry | undefined> {
    return this.below.get(key)
  }

  range(prefix: string, options?: RangeOptions): Promise<RangeResult> {
    return this.below.range(prefix, options)
  }

  async commit(proposal: Proposal): Promise<Commit> {
    const failing = this.#failNext
    this.#failNext = undefined
    if (failing === 'before') throw new StoreError('full', 'no room on the line')
    const result = this.below.commit(proposal)
    await new Promise<void>((resolve) => this.#answers.push(resolve))
    if (failing === 'after') throw new StoreError('io', 'the answer was lost')
    return result
  }

  watch(prefix: string, after: Revision): Watcher {
    const watcher = new LateWatcher(this.below.watch(prefix, after), () => this.#watchers.delete(watcher))
    this.#watchers.add(watcher)
    return watcher
  }

  compact(revision: Revision): Promise<void> {
    return this.below.compact(revision)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const go of this.#answers.splice(0)) go()
    await this.below[Symbol.asyncDispose]()
  }
}

/** Passes on another watcher's changes, when the test releases them. */
class LateWatcher implements Watcher {
  readonly changes: AsyncIterable<readonly Change[]>
  readonly #of: Watcher
  readonly #held: Change[] = []
  readonly #onEnd: () => void
  #allowed = 0
  #reached: Revision
  #ended: { readonly error?: StoreError } | undefined
  #wake: () => void = () => {}

  constructor(of: Watcher, onEnd: () => void) {
    this.#of = of
    this.#onEnd = onEnd
    this.#reached = of.reached
    this.changes = this.#late()
    void this.#collect()
  }

  get reached(): Revision {
    return this.#reached
  }

  deliver(count: number): void {
    this.#allowed += Math.min(count, Math.max(0, this.#held.length - this.#allowed))
    this.#wake()
  }

  fail(error: StoreError): void {
    this.#ended ??= { error }
    this.#wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= {}
    this.#onEnd()
    this.#wake()
    await this.#of[Symbol.asyncDispose]()
  }

  async #collect(): Promise<void> {
    for await (const changes of this.#of.changes) this.#held.push(...changes)
  }

  async *#late(): AsyncGenerator<readonly Change[]> {
    for (;;) {
      if (this.#ended?.error !== undefined) throw this.#ended.error
      if (this.#ended !== undefined) return
      if (this.#allowed > 0) {
        const batch = this.#held.splice(0, this.#allowed)
        this.#allowed = 0
        this.#reached = batch.at(-1)?.revision ?? this.#reached
        yield batch
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }
}
