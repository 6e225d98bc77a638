import { changedKey } from './keyspace.ts'
import { type Change, type Revision, StoreError, type Watcher } from './store.ts'

/** The past that a watcher reads. */
export interface ChangeSource {
  readonly revision: Revision
  readonly compacted: Revision
  changes(prefix: string, after: Revision): Change[]
}

type Waiting = PromiseWithResolvers<IteratorResult<readonly Change[], undefined>>

/** A watcher that is only a position in the history: it keeps no changes of its own, so a slow one costs no memory. */
export class CursorWatcher implements Watcher {
  readonly changes: AsyncIterable<readonly Change[]> = {
    [Symbol.asyncIterator]: () => ({ next: () => this.#next(), return: () => this.#return() }),
  }
  readonly #prefix: string
  readonly #source: ChangeSource
  readonly #onEnd: (watcher: CursorWatcher) => void
  #cursor: Revision
  #waiting: Waiting | undefined
  /** Why the watch has ended; an error is thrown once. */
  #end: { error?: StoreError } | undefined

  constructor(prefix: string, after: Revision, source: ChangeSource, onEnd: (watcher: CursorWatcher) => void) {
    this.#prefix = prefix
    this.#cursor = after
    this.#source = source
    this.#onEnd = onEnd
  }

  get reached(): Revision {
    return this.#cursor
  }

  /** The history has new changes: `changes`, in order, up to the source's revision. */
  wake(changes: readonly Change[]): void {
    if (this.#waiting === undefined) return
    const seen = this.#cursor
    const mine = changes.filter((change) => change.revision > seen && changedKey(change).startsWith(this.#prefix))
    this.#cursor = Math.max(seen, this.#source.revision)
    if (mine.length === 0) return
    this.#waiting.resolve({ done: false, value: mine })
    this.#waiting = undefined
  }

  /** Ends the iteration, with an error if there is one. */
  end(error?: StoreError): void {
    if (this.#end !== undefined) return
    this.#end = error === undefined ? {} : { error }
    this.#onEnd(this)
    if (this.#waiting === undefined) return
    settle(this.#waiting, this.#end)
    this.#waiting = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end()
  }

  #next(): Promise<IteratorResult<readonly Change[], undefined>> {
    const answer: Waiting = Promise.withResolvers()
    if (this.#waiting !== undefined) answer.reject(new TypeError('a watcher has one consumer, and one next() at a time'))
    else if (this.#end !== undefined) settle(answer, this.#end)
    else this.#read(answer)
    return answer.promise
  }

  #read(answer: Waiting): void {
    const { compacted, revision } = this.#source
    if (this.#cursor < compacted) {
      this.#waiting = answer
      this.end(
        new StoreError(
          'compacted',
          `the changes after revision ${this.#cursor} were compacted up to ${compacted}: read everything again and watch from there`,
        ),
      )
      return
    }
    const changes = this.#cursor < revision ? this.#source.changes(this.#prefix, this.#cursor) : []
    this.#cursor = Math.max(this.#cursor, revision)
    if (changes.length > 0) answer.resolve({ done: false, value: changes })
    else this.#waiting = answer
  }

  async #return(): Promise<IteratorResult<readonly Change[], undefined>> {
    this.end()
    return { done: true, value: undefined }
  }
}

function settle(waiting: Waiting, end: { error?: StoreError }): void {
  const { error } = end
  delete end.error
  if (error === undefined) waiting.resolve({ done: true, value: undefined })
  else waiting.reject(error)
}
