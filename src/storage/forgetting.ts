import type { Cancel, Clock } from '../base/clock.ts'
import type { Keyspace } from './keyspace.ts'
import { compactAt, type Retention } from './retention.ts'
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
  /** Changes up to here are older than the retention. */
  #aged: Revision = 0
  /** The revision when the age was last checked. */
  #noted: Revision = 0
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

  /** As the compactor of kube-apiserver: each `keepMs`, until the history is empty, it forgets what was old the last time. */
  watch(): void {
    const { revision, compacted } = this.#deps.keyspace()
    if (this.#stopAging !== undefined || this.#stopped || revision === compacted) return
    this.#after(this.#retention.keepMs, () => {
      this.#aged = this.#noted
      this.#noted = this.#deps.keyspace().revision
      this.#forgetAged()
    })
  }

  stop(): void {
    this.#stopped = true
    this.#stopAging?.()
  }

  #after(delayMs: number, work: () => void): void {
    const run = () => {
      this.#stopAging = undefined
      work()
    }
    this.#stopAging = this.#deps.clock.after(delayMs, run, 'routine')
  }

  #forgetAged(): void {
    if (this.#forget() && this.#aged > this.#deps.keyspace().compacted) this.#after(SLICE_PAUSE_MS, () => this.#forgetAged())
    else this.watch()
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
