import type { Cancel, Clock } from '../../base/clock.ts'
import { pause } from '../../base/pause.ts'
import type { AuditBackend } from './audit-backend.ts'
import type { AuditEvent } from './audit-event.ts'

export interface BatchConfig {
  /** Most events that wait, including those being sent; further ones are dropped. */
  readonly mostWaiting: number
  readonly mostInBatch: number
  /** The longest that an event waits for others to fill its batch. */
  readonly waitMs: number
  /** Batches per second, and the burst after a pause; undefined means unthrottled. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined
  /** The next batch waits until the previous one is delivered, so that events arrive in order, but at most this long. */
  readonly orderMs: number
}

/** Bound on the bytes of waiting events, whatever their number. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024
/** The size of an event without bodies. */
const SMALL_EVENT_BYTES = 1024
/** How long shutdown waits for events that are being sent. */
const LAST_WAIT_MS = 10_000

/** Accepts events at once and sends them later, in batches. */
export class BatchingBackend implements AuditBackend {
  readonly #config: BatchConfig
  readonly #backend: AuditBackend
  readonly #clock: Clock
  readonly #dropped: (events: number) => void
  readonly #onTheirWay = new Set<Promise<unknown>>()
  #waiting: AuditEvent[] = []
  /** Events that wait or are being sent. */
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

  /** Sends waiting events as fast as the throttle permits. */
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

  /** Milliseconds until the next token is available. Takes it if there is one (returns 0). */
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
    const limit = pause(this.#clock, LAST_WAIT_MS, stop.signal)
    await Promise.race([Promise.allSettled(this.#onTheirWay), limit])
    stop.abort()
    await this.#backend[Symbol.asyncDispose]()
  }
}

const weigh = ({ requestObject = '', responseObject = '' }: AuditEvent) => SMALL_EVENT_BYTES + requestObject.length + responseObject.length
