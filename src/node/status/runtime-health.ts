import type { Clock } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import { pause } from '../../base/pause.ts'
import type { Runtime } from '../runtime/runtime.ts'

export interface RuntimeHealthDeps {
  readonly runtime: Runtime
  readonly clock: Clock
  /** Called whenever the value of `fault` has changed. */
  readonly changed: () => void
  /** Called once for each failed listing of the runtime. */
  readonly listingFailed: (why: string) => void
}

/** As in the kubelet: checked every 5 s; down after 30 s without a response. */
const ASK_MS = 5_000
const DOWN_MS = 30_000
/** The kubelet's garbage collection runs once a minute, and reports when it fails. */
const TELL_MS = 60_000

/** The runtime's part of the node's Ready condition. */
export class RuntimeHealth {
  readonly #deps: RuntimeHealthDeps
  #fault: string | undefined
  #answeredMs: number
  /** The error of the last check, if it failed. */
  #silence: string | undefined
  #reported = false

  constructor(deps: RuntimeHealthDeps) {
    this.#deps = deps
    this.#answeredMs = deps.clock.monotonic()
  }

  /** Why pods cannot be run, with the kubelet's message; undefined if they can. */
  get fault(): string | undefined {
    return this.#fault
  }

  /** Checks until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, changed } = this.#deps
    let reportAtMs = clock.monotonic() + TELL_MS
    while (!signal.aborted) {
      const before = this.#fault
      this.#fault = await this.#ask(signal)
      if (this.#fault !== before && !signal.aborted) changed()
      if (clock.monotonic() >= reportAtMs) {
        reportAtMs += TELL_MS
        this.#reportListingFailure()
      }
      await pause(clock, ASK_MS, signal, 'heartbeat')
    }
  }

  #reportListingFailure(): void {
    const reported = this.#reported
    this.#reported = this.#silence !== undefined
    if (this.#silence !== undefined && !reported) this.#deps.listingFailed(this.#silence)
  }

  async #ask(signal: AbortSignal): Promise<string | undefined> {
    const { runtime, clock } = this.#deps
    try {
      const { ready, networkReady, message = '' } = await runtime.status(signal)
      this.#answeredMs = clock.monotonic()
      this.#silence = undefined
      if (!ready) return `container runtime not ready: ${message}`
      return networkReady ? undefined : `container runtime network not ready: ${message}`
    } catch (error) {
      this.#silence = messageOf(error)
      return clock.monotonic() - this.#answeredMs >= DOWN_MS ? 'container runtime is down' : this.#fault
    }
  }
}
