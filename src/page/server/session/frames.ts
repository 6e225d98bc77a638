import type { Cancel, Clock } from '../../../base/clock.ts'
import type { Subscription } from '../subscription.ts'

/** A screen shows some sixty pictures a second; thirty of ours are seen as live. */
export const FRAME_MS = 33

/** What a browser may not have taken yet, in bytes: beyond it nothing is made for it. */
const MAX_BACKLOG_BYTES = 1024 * 1024

/** The socket, as far as frames need it. */
export interface FrameSocket {
  /** Bytes that are sent, and not taken by the other side. */
  readonly bufferedAmount: number
  send(text: string): void
}

/** Sends the latest state of subscriptions that have changed: a frame every 33 ms at most, and none while the browser does not read. */
export class Frames {
  readonly #socket: FrameSocket
  readonly #clock: Clock
  /** What has changed, and when it may be sent at the earliest. */
  readonly #changed = new Set<Subscription>()
  readonly #notBefore = new WeakMap<Subscription, number>()
  #cancel: Cancel | undefined
  #dueMs = Number.POSITIVE_INFINITY
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(socket: FrameSocket, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
  }

  /** There is something new. */
  changed(subscription: Subscription): void {
    this.#changed.add(subscription)
    this.#schedule(Math.max(this.#lastMs + FRAME_MS, this.#notBefore.get(subscription) ?? 0))
  }

  /** Somebody waits for the answer to a question: it comes with no frame before it. */
  asked(subscription: Subscription): void {
    this.#notBefore.delete(subscription)
    this.#changed.add(subscription)
    this.#schedule(this.#clock.monotonic())
  }

  forget(subscription: Subscription): void {
    this.#changed.delete(subscription)
  }

  stop(): void {
    this.#cancel?.()
    this.#changed.clear()
  }

  #schedule(atMs: number): void {
    if (atMs >= this.#dueMs) return
    this.#cancel?.()
    this.#dueMs = atMs
    this.#cancel = this.#clock.after(Math.max(0, atMs - this.#clock.monotonic()), () => this.#send())
  }

  #send(): void {
    const nowMs = this.#clock.monotonic()
    this.#dueMs = Number.POSITIVE_INFINITY
    this.#lastMs = nowMs
    for (const subscription of [...this.#changed]) {
      const notBefore = this.#notBefore.get(subscription) ?? 0
      if (notBefore > nowMs) continue
      if (this.#socket.bufferedAmount > MAX_BACKLOG_BYTES) break
      this.#changed.delete(subscription)
      this.#notBefore.set(subscription, nowMs + (subscription.everyMs ?? 0))
      const message = subscription.next()
      if (message !== undefined) this.#socket.send(JSON.stringify(message))
    }
    for (const subscription of this.#changed) this.#schedule(Math.max(nowMs + FRAME_MS, this.#notBefore.get(subscription) ?? 0))
  }
}
