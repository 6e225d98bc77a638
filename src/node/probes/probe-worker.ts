import type { Clock } from '../../base/clock.ts'
import { Signal } from '../../base/signal.ts'
import type { Probe } from '../../resources/types/core.ts'
import type { ContainerRecord } from '../types/container-record.ts'
import type { ProbeResult } from './probe-results.ts'
import type { ProbeOutcome } from './run-probe.ts'

export type ProbeKind = 'liveness' | 'readiness' | 'startup'

export interface ProbeWorkerDeps {
  readonly clock: Clock
  /** The container as the pod's status shows it. */
  readonly record: () => ContainerRecord | undefined
  /** Runs the probe once. */
  readonly ask: (record: ContainerRecord, signal: AbortSignal) => Promise<ProbeOutcome>
  /** Called for an outcome with an event: a failure, or a warning. */
  readonly notify: (outcome: ProbeOutcome, record: ContainerRecord) => void
  /** The worker sees a container for the first time; `before`: the one it saw until now, if any. */
  readonly begun: (id: string, before: string | undefined) => void
  readonly result: (id: string, result: ProbeResult) => void
}

/** As the kubelet reports a command that a terminating pod does not wait for. */
const CANCELLED: ProbeOutcome = { kind: 'error', output: 'rpc error: code = Canceled desc = context canceled' }

/**
 * Runs one probe of one container, every period. As in the kubelet, periods count from when the pod was taken up, not from the start of the
 * container; and a worker outlives the container: it goes on with the next one, and counts on.
 */
export class ProbeWorker {
  readonly #kind: ProbeKind
  readonly #probe: Probe
  readonly #deps: ProbeWorkerDeps
  readonly #stop = new AbortController()
  /** Cancels the command that runs, while the worker goes on. */
  readonly #cancel = new AbortController()
  readonly #triggered = new Signal()
  #id: string | undefined
  /** The container has failed and will be killed: the worker waits for the next one. */
  #onHold = false
  #streak: { readonly success: boolean; readonly count: number } = { success: true, count: 0 }

  constructor(kind: ProbeKind, probe: Probe, deps: ProbeWorkerDeps) {
    this.#kind = kind
    this.#probe = probe
    this.#deps = deps
  }

  /** Probes until it is stopped. Never rejects. */
  async run(): Promise<void> {
    const { clock } = this.#deps
    const { signal } = this.#stop
    const periodMs = (this.#probe.periodSeconds ?? 10) * 1000
    let nextAtMs = clock.now() + periodMs
    for (;;) {
      await this.#probeOnce()
      const woken = await this.#triggered.wait({ clock, untilMs: nextAtMs, signal })
      if (woken === 'aborted') return
      const nowMs = clock.now()
      // Periods that passed during a long probe are left out, but for one.
      const periods = Math.floor((nowMs - nextAtMs) / periodMs) + 1
      nextAtMs = woken === 'raised' ? nowMs + periodMs : nextAtMs + periods * periodMs
    }
  }

  /** Probes now; the next period starts now. */
  trigger(): void {
    this.#triggered.raise()
  }

  /** Cancels the command that runs, and all commands from now on. */
  cancelCommands(): void {
    if (this.#probe.exec !== undefined) this.#cancel.abort()
  }

  stop(): void {
    this.#stop.abort()
    this.#cancel.abort()
  }

  async #probeOnce(): Promise<void> {
    const record = this.#deps.record()
    const id = record && idOf(record)
    if (record === undefined || id === undefined) return
    if (id !== this.#id) this.#begin(id)
    if (this.#onHold) return
    if (record.state.kind !== 'running') return this.#deps.result(id, 'failure')
    if (record.started === (this.#kind === 'startup') || this.#isTooEarly(record.state.startedAtMs)) return
    const outcome = await this.#ask(record)
    const { aborted } = this.#stop.signal
    if (outcome.kind !== 'success' && (!aborted || outcome === CANCELLED)) this.#deps.notify(outcome, record)
    if (!aborted && outcome.kind !== 'error') this.#count(id, outcome.kind !== 'failure')
  }

  #begin(id: string): void {
    const before = this.#id
    this.#id = id
    this.#onHold = false
    this.#deps.begun(id, before)
  }

  /** Whether the initial delay has not passed. In a status, the time of a start has whole seconds. */
  #isTooEarly(startedAtMs: number): boolean {
    const seconds = Math.floor(this.#deps.clock.now() / 1000 - Math.floor(startedAtMs / 1000))
    return seconds < (this.#probe.initialDelaySeconds ?? 0)
  }

  async #ask(record: ContainerRecord): Promise<ProbeOutcome> {
    const { signal } = this.#probe.exec === undefined ? this.#stop : this.#cancel
    if (signal.aborted) return CANCELLED
    try {
      return await this.#deps.ask(record, signal)
    } catch (error) {
      return signal.aborted && this.#probe.exec !== undefined ? CANCELLED : { kind: 'error', output: String(error) }
    }
  }

  #count(id: string, success: boolean): void {
    this.#streak = { success, count: this.#streak.success === success ? this.#streak.count + 1 : 1 }
    const enough = success ? (this.#probe.successThreshold ?? 1) : (this.#probe.failureThreshold ?? 3)
    if (this.#streak.count < enough) return
    if (this.#kind !== 'readiness' && !success) {
      this.#onHold = true
      this.#streak = { success, count: 0 }
    }
    this.#deps.result(id, success ? 'success' : 'failure')
  }
}

const idOf = ({ state, current }: ContainerRecord): string | undefined => (state.kind === 'waiting' ? current?.id : state.id)
