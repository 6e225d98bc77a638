import type { Cancel, Clock } from '../../base/clock.ts'
import type { AuditBackend } from './audit-backend.ts'
import type { AuditEvent } from './audit-event.ts'

export interface BatchConfig {
  /** Events that may wait, those on their way included; further ones are dropped. */
  readonly mostWaiting: number
  readonly mostInBatch: number
  /** How long an event waits for others at most. */
  readonly waitMs: number
  /** Batches a second, and how many at once after a pause; undefined: as fast as they come. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined
  /** The next batch waits until the one before has arrived, so that events come in order; but not longer than this. */
  readonly orderMs: number
}

/** Waiting events may hold this much, whatever their number. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024
/** An event without bodies. */
const SMALL_EVENT_BYTES = 1024
/** How long the end of the server waits for events on their way. */
const LAST_WAIT_MS = 10_000

/** Takes events at once and hands them on later, many at a time. */
export class BatchingBackend implements AuditBackend {
  readonly #config: BatchConfig
  readonly #backend: AuditBackend
  readonly #clock: Clock
  readonly #dropped: (events: number) => void
  readonly #onTheirWay = new Set<Promise<unknown>>()
  #waiting: AuditEvent[] = []
  /** Of all that wait or are on their way. */
  #count = 0
  #bytes = 0
  #timer: Cancel | undefined
  #tokens: number
  #refilledAt: number
  /** The batch that the next one waits for. */
  #before: object | undefined

  constructor(config: BatchConfig, backend: AuditBackend, deps: { readonly clock: Clock; readonly dropped: (events: number) => void }) {
    this.#config = config
    this.#backend = backend
    this.#clock = deps.clock
    this.#dropped = deps.dropped
    this.#tokens = config.throttle?.burst ?? 0
    this.#refilledAt = deps.clock.monotonic()
  }

  process(events: readonly AuditEvent[]): boolean {
    for (const event of events) {
      const bytes = weigh(event)
      if (this.#count >= this.#config.mostWaiting || this.#bytes + bytes > MOST_WAITING_BYTES) {
        this.#dropped(1)
        continue
      }
      this.#waiting.push(event)
      this.#count++
      this.#bytes += bytes
    }
    if (this.#waiting.length >= this.#config.mostInBatch) this.#send()
    else if (this.#waiting.length > 0) this.#timer ??= this.#clock.after(this.#config.waitMs, () => this.#send())
    return true
  }

  /** Sends what waits, as far as the throttle lets it. */
  #send(): void {
    this.#timer?.()
    this.#timer = undefined
    while (this.#waiting.length > 0 && this.#before === undefined) {
      const pauseMs = this.#pauseMs()
      if (pauseMs > 0) {
        this.#timer = this.#clock.after(pauseMs, () => this.#send())
        return
      }
      this.#sendBatch(this.#waiting.splice(0, this.#config.mostInBatch))
    }
  }

  #sendBatch(batch: readonly AuditEvent[]): void {
    const taken = this.#backend.process(batch)
    if (!(taken instanceof Promise)) {
      this.#arrived(batch)
      return
    }
    this.#before = batch
    const next = () => {
      if (this.#before !== batch) return
      this.#before = undefined
      if (this.#timer === undefined) this.#send()
    }
    const patience = this.#clock.after(this.#config.orderMs, next)
    const arriving: Promise<unknown> = taken.finally(() => {
      patience()
      this.#onTheirWay.delete(arriving)
      this.#arrived(batch)
      next()
    })
    this.#onTheirWay.add(arriving)
  }

  #arrived(batch: readonly AuditEvent[]): void {
    this.#count -= batch.length
    for (const event of batch) this.#bytes -= weigh(event)
  }

  /** How long to wait for the next token, which is taken when there is one. */
  #pauseMs(): number {
    const { throttle } = this.#config
    if (throttle === undefined) return 0
    const now = this.#clock.monotonic()
    this.#tokens = Math.min(throttle.burst, this.#tokens + ((now - this.#refilledAt) / 1000) * throttle.perSecond)
    this.#refilledAt = now
    if (this.#tokens < 1) return Math.max(1, ((1 - this.#tokens) / throttle.perSecond) * 1000)
    this.#tokens--
    return 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer?.()
    while (this.#waiting.length > 0) this.#sendBatch(this.#waiting.splice(0, this.#config.mostInBatch))
    const stop = new AbortController()
    const limit = this.#clock.sleep(LAST_WAIT_MS, stop.signal).catch(() => {})
    await Promise.race([Promise.allSettled(this.#onTheirWay), limit])
    stop.abort()
    await this.#backend[Symbol.asyncDispose]()
  }
}

const weigh = ({ requestObject = '', responseObject = '' }: AuditEvent) => SMALL_EVENT_BYTES + requestObject.length + responseObject.length
