import type { Clock } from '../../base/clock.ts'
import type { Runtime } from '../runtime/runtime.ts'

export interface RuntimeHealthDeps {
  readonly runtime: Runtime
  readonly clock: Clock
  /** Told whenever the answer of `fault` has changed. */
  readonly changed: () => void
}

/** As the kubelet: asked every 5 s; silent for 30 s, it is down. */
const ASK_MS = 5_000
const DOWN_MS = 30_000

/** What the node's Ready condition has to say of its runtime. */
export class RuntimeHealth {
  readonly #deps: RuntimeHealthDeps
  #fault: string | undefined
  #answeredMs: number

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
    while (!signal.aborted) {
      const before = this.#fault
      this.#fault = await this.#ask(signal)
      if (this.#fault !== before && !signal.aborted) changed()
      await clock.sleep(ASK_MS, signal).catch(() => {})
    }
  }

  async #ask(signal: AbortSignal): Promise<string | undefined> {
    const { runtime, clock } = this.#deps
    try {
      const { ready, networkReady, message = '' } = await runtime.status(signal)
      this.#answeredMs = clock.monotonic()
      if (!ready) return `container runtime not ready: ${message}`
      return networkReady ? undefined : `container runtime network not ready: ${message}`
    } catch {
      return clock.monotonic() - this.#answeredMs >= DOWN_MS ? 'container runtime is down' : this.#fault
    }
  }
}
