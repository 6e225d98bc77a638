import type { Later } from '../../base/steps.ts'
import { internalError, StatusError } from '../../machinery/status-error.ts'
import type { ViewEvent } from '../cache/cache-event.ts'
import { choose, type Filter } from '../cache/view.ts'
import type { Batch } from '../cache/watchers.ts'
import type { WatchSession, WatchStep } from './watch-session.ts'

/** The filtered form of a batch, by filter: watches of the same filter share the work and the bytes rendered from it. */
const CHOSEN = new WeakMap<Batch, Map<string, Later<Batch>>>()

/**
 * A watch whose filter needs prepared objects (conversion by a webhook): it receives all events under the prefix, and filters them in
 * order.
 */
export class PreparedWatchSession implements WatchSession {
  readonly #all: WatchSession
  readonly #filter: Filter
  #waiting = false
  /** Steps that precede everything else; after `end` nothing follows. */
  #queue: WatchStep[] = []
  #over = false
  #closed = false
  #ready: () => void = () => {}

  /** `all`: a watch of everything under the filter's prefix. */
  constructor(all: WatchSession, filter: Filter) {
    this.#all = all
    this.#filter = filter
    all.onReady(() => this.#ready())
  }

  onReady(ready: () => void): void {
    this.#ready = ready
  }

  get pending(): number | undefined {
    return this.#all.pending
  }

  next(): WatchStep | undefined {
    while (!this.#waiting) {
      const step = this.#queue.shift() ?? (this.#over ? undefined : this.#all.next())
      if (step?.kind !== 'events') return step
      const batch = chosen(this.#filter, step.batch)
      if (batch instanceof Promise) this.#wait(batch, step)
      else if (batch.events.length > 0) return { kind: 'events', batch }
    }
    return undefined
  }

  /** Waits for the filtered batch, then delivers the step. */
  #wait(batch: Promise<Batch>, step: WatchStep): void {
    this.#waiting = true
    const goOn = (...steps: WatchStep[]) => {
      this.#queue = steps
      this.#waiting = false
      if (!this.#closed) this.#ready()
    }
    batch.then(
      () => goOn(step),
      (error: unknown) => {
        this.#over = true
        this.#all.close()
        goOn({ kind: 'error', status: (error instanceof StatusError ? error : internalError(error)).status }, { kind: 'end' })
      },
    )
  }

  finish(): void {
    this.#all.finish()
  }

  close(): void {
    this.#closed = true
    this.#all.close()
  }
}

function chosen(filter: Filter, batch: Batch): Later<Batch> {
  const byFilter = CHOSEN.get(batch) ?? new Map<string, Later<Batch>>()
  CHOSEN.set(batch, byFilter)
  const known = byFilter.get(filter.key)
  if (known !== undefined) return known
  const waiting = filter.prepare?.(batch.events.flatMap((e) => (e.previous === undefined ? [e.item] : [e.item, e.previous])))
  const made = waiting === undefined ? choiceOf(filter, batch) : waiting.then(() => choiceOf(filter, batch))
  byFilter.set(filter.key, made)
  if (made instanceof Promise)
    made.then(
      (choice) => byFilter.set(filter.key, choice),
      () => byFilter.delete(filter.key),
    )
  return made
}

function choiceOf(filter: Filter, { events }: Batch): Batch {
  const seen: ViewEvent[] = []
  for (const event of events) {
    const visible = choose(filter, event)
    if (visible !== undefined) seen.push(visible)
  }
  return { events: seen, memo: new Map() }
}
