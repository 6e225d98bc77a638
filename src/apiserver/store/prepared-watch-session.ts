import { internalError, StatusError } from '../../machinery/status-error.ts'
import type { ViewEvent } from '../cache/cache-event.ts'
import { choose, type Filter } from '../cache/view.ts'
import type { Batch } from '../cache/watchers.ts'
import type { WatchSession, WatchStep } from './watch-session.ts'

/** What was chosen of a batch, by filter: who watches the same waits for the same choice, and shares the bytes made of it. */
const CHOSEN = new WeakMap<Batch, Map<string, Batch | Promise<Batch>>>()

/** A watch that sees what matches only after the objects were prepared for the question: all that happens in the place comes in, and waits its turn. */
export class PreparedWatchSession implements WatchSession {
  readonly #all: WatchSession
  readonly #filter: Filter
  #waiting = false
  /** What comes before anything else; with `end` nothing follows. */
  #queue: WatchStep[] = []
  #over = false
  #closed = false
  #ready: () => void = () => {}

  /** `all`: of everything that the filter has to choose from. */
  constructor(all: WatchSession, filter: Filter) {
    this.#all = all
    this.#filter = filter
    all.onReady(() => this.#ready())
  }

  onReady(ready: () => void): void {
    this.#ready = ready
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

  /** Comes back to the step when its choice is made. */
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

  close(): void {
    this.#closed = true
    this.#all.close()
  }
}

function chosen(filter: Filter, batch: Batch): Batch | Promise<Batch> {
  const byFilter = CHOSEN.get(batch) ?? new Map<string, Batch | Promise<Batch>>()
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
