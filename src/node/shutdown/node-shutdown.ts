import type { Clock } from '../../base/clock.ts'
import { pause } from '../../base/pause.ts'
import { Signal } from '../../base/signal.ts'
import type { Node } from '../../resources/types/core.ts'
import type { NodeStatusSource } from '../status/node-object.ts'
import type { AdmitHandler, AdmitRequest, Refusal } from '../types/admit-handler.ts'
import type { AgentPart, AgentView } from '../types/agent-part.ts'
import type { PodTermination } from '../types/pod-termination.ts'
import { podsByPeriod } from './pods-by-period.ts'
import type { ShutdownPeriod } from './shutdown-periods.ts'
import type { ShutdownWatch } from './shutdown-watch.ts'

const REFUSED: Refusal = { reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' }
const ENDED = 'Pod was terminated in response to imminent node shutdown.'

export interface NodeShutdownDeps {
  readonly clock: Clock
  readonly watch: ShutdownWatch
}

/** Terminates the pods of a node whose machine shuts down, lowest priority first, and refuses new ones meanwhile (KEP-2000, KEP-2712). */
export class NodeShutdown implements AdmitHandler, AgentPart, NodeStatusSource {
  readonly name = 'shutdown'
  readonly #periods: readonly ShutdownPeriod[]
  readonly #clock: Clock
  readonly #watch: ShutdownWatch
  readonly #changed = new Signal()
  #down = false
  #notify: () => void = () => {}

  constructor(periods: readonly ShutdownPeriod[], { clock, watch }: NodeShutdownDeps) {
    this.#periods = periods
    this.#clock = clock
    this.#watch = watch
  }

  capacity(): Readonly<Record<string, string>> {
    return {}
  }

  notReady(): string | undefined {
    return this.#down ? 'node is shutting down' : undefined
  }

  watch(notify: () => void): void {
    this.#notify = notify
  }

  /** Before it runs, a restarted agent asks by itself. */
  admit({ node }: AdmitRequest): Refusal | undefined {
    return this.#down || this.#watch.isDown(node) ? REFUSED : undefined
  }

  release(): void {}

  nodeChanged(node: Node): void {
    if (this.#watch.isDown(node) !== this.#down) this.#changed.raise()
  }

  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    await Promise.all([this.#watch.run?.(() => this.#changed.raise(), signal), this.#follow(agent, signal)])
  }

  async #follow(agent: AgentView, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (!this.#mustChange(agent)) {
        await this.#changed.wait({ signal })
        continue
      }
      this.#down = !this.#down
      agent.recordNodeEvent('Normal', 'Shutdown', `Shutdown manager detected shutdown ${this.#down ? 'event' : 'cancellation'}`)
      this.#notify()
      if (!this.#down) continue
      await this.#end(agent, signal)
      this.#watch.ended?.()
    }
  }

  #mustChange(agent: AgentView): boolean {
    const node = agent.node()
    return node !== undefined && this.#watch.isDown(node) !== this.#down
  }

  /**
   * Processes one period after the other; a period ends when its pods have ended. As in the kubelet, a cancelled shutdown is noticed only
   * afterwards.
   */
  async #end(agent: AgentView, signal: AbortSignal): Promise<void> {
    for (const { pods, seconds } of podsByPeriod(this.#periods, agent.pods())) {
      const termination: PodTermination = {
        reason: 'Terminated',
        message: ENDED,
        graceSeconds: seconds,
        disruption: { reason: 'TerminationByKubelet', message: ENDED },
      }
      const late = new AbortController()
      const ended = Promise.all(pods.map((pod) => agent.end(pod, termination)))
      await Promise.race([ended, pause(this.#clock, seconds * 1000, AbortSignal.any([signal, late.signal]))])
      late.abort()
      if (signal.aborted) return
    }
  }
}
