import type { Clock } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import type { Runtime } from '../runtime/runtime.ts'

export interface RuntimeHealthDeps {
  readonly runtime: Runtime
  readonly clock: Clock
  /** Told whenever the answer of `fault` has changed. */
  readonly changed: () => void
  /** Told once of each time that the runtime could not be asked for what it has. */
  readonly unheard: (why: string) => void
}

/** As the kubelet: asked every 5 s; silent for 30 s, it is down. */
const ASK_MS = 5_000
const DOWN_MS = 30_000
/** The kubelet clears away what is dead once in a minute: then it tells that it could not. */
const TELL_MS = 60_000

/** What the node's Ready condition has to say of its runtime. */
export class RuntimeHealth {
  readonly #deps: RuntimeHealthDeps
  #fault: string | undefined
  #answeredMs: number
  /** Why it did not answer when it was asked last. */
  #silence: string | undefined
  #told = false

  constructor(deps: RuntimeHealthDeps) {
    this.#deps = deps
    this.#answeredMs = deps.clock.monotonic()
  }

  /** Why pods cannot be run, in the kubelet's words; undefined while they can. */
  get fault(): string | undefined {
    return this.#fault
  }

  /** Asks until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, changed } = this.#deps
    let tellAtMs = clock.monotonic() + TELL_MS
    while (!signal.aborted) {
      const before = this.#fault
      this.#fault = await this.#ask(signal)
      if (this.#fault !== before && !signal.aborted) changed()
      if (clock.monotonic() >= tellAtMs) {
        tellAtMs += TELL_MS
        this.#tellUnheard()
      }
      await clock.sleep(ASK_MS, signal).catch(() => {})
    }
  }

  #tellUnheard(): void {
    const told = this.#told
    this.#told = this.#silence !== undefined
    if (this.#silence !== undefined && !told) this.#deps.unheard(this.#silence)
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
