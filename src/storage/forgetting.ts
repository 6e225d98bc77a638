import type { Cancel, Clock } from '../base/clock.ts'
import type { Keyspace } from './keyspace.ts'
import { compactAt, type Retention, RevisionAges, retentionStepMs } from './retention.ts'
import type { Revision } from './store.ts'

const SLICE_PAUSE_MS = 10

export interface ForgettingDeps {
  readonly clock: Clock
  /** It may be replaced by another in the meantime. */
  readonly keyspace: () => Keyspace
  /** The readers of the history. */
  readonly watchers: Iterable<{ readonly reached: Revision }>
  readonly compact: (revision: Revision) => void
}

/** Lets the past of a keyspace go by its retention: when it grows too large, and when it has grown old. */
export class Forgetting {
  readonly #retention: Retention
  readonly #deps: ForgettingDeps
  readonly #ages = new RevisionAges()
  /** Changes up to here are older than the retention. */
  #aged: Revision = 0
  #stopAging: Cancel | undefined
  #stopped = false

  constructor(retention: Retention, deps: ForgettingDeps) {
    this.#retention = retention
    this.#deps = deps
  }

  /** Something was added. */
  grown(): void {
    this.#forget()
    this.watch()
  }

  /** Checks the age of the history periodically, until it is empty. */
  watch(delayMs = retentionStepMs(this.#retention)): void {
    const { revision, compacted } = this.#deps.keyspace()
    if (this.#stopAging !== undefined || this.#stopped || revision === compacted) return
    this.#stopAging = this.#deps.clock.after(
      delayMs,
      () => {
        this.#stopAging = undefined
        const now = this.#deps.clock.now()
        this.#ages.note(now, this.#deps.keyspace().revision)
        this.#aged = Math.max(this.#aged, this.#ages.olderThan(now, this.#retention.keepMs))
        const more = this.#forget() && this.#aged > this.#deps.keyspace().compacted
        this.watch(more ? SLICE_PAUSE_MS : undefined)
      },
      'routine',
    )
  }

  stop(): void {
    this.#stopped = true
    this.#stopAging?.()
  }

  /** Compacts history beyond the retention, a slice at a time; true if something was dropped. */
  #forget(): boolean {
    const { revision, compacted, historyBytes } = this.#deps.keyspace()
    let slowest = revision
    for (const watcher of this.#deps.watchers) slowest = Math.min(slowest, watcher.reached)
    const target = compactAt(this.#retention, { revision, compacted, historyBytes, aged: this.#aged, slowest })
    if (target !== undefined) this.#deps.compact(target)
    return target !== undefined
  }
}
