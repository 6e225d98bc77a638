import { untilAborted } from '../../base/on-abort.ts'
import { createCoreRecorder } from '../../sdk/controller/core-recorder.ts'
import { createEventGate } from '../../sdk/controller/event-gate.ts'
import type { EventRecorder, EventRecorderOptions } from '../../sdk/controller/event-recorder.ts'

/** One recorder for each component, created with its first event. */
export class RecorderSet {
  readonly #options: Omit<EventRecorderOptions, 'component' | 'gate'>
  readonly #recorders = new Map<string, EventRecorder>()
  readonly #gate = createEventGate(32)
  readonly #running: Promise<void>[] = []
  #signal: AbortSignal | undefined

  constructor(options: Omit<EventRecorderOptions, 'component' | 'gate'>) {
    this.#options = options
  }

  /** The recorder of a component, such as `deployment-controller`. */
  of(component: string): EventRecorder {
    let recorder = this.#recorders.get(component)
    if (recorder === undefined) {
      recorder = createCoreRecorder({ ...this.#options, component, gate: this.#gate })
      this.#recorders.set(component, recorder)
      if (this.#signal !== undefined) this.#running.push(recorder.run(this.#signal))
    }
    return recorder
  }

  /** Sends what is recorded until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const recorder of this.#recorders.values()) this.#running.push(recorder.run(signal))
    await untilAborted(signal)
    await Promise.all(this.#running)
  }
}
