import { type Clock, holding } from '../../base/clock.ts'
import type { Family } from '../../base/exposition.ts'
import { Signal } from '../../base/signal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Node } from '../../resources/types/core.ts'
import type { MetricSource } from '../metrics/metric-source.ts'
import type { NodeStatusSource } from '../status/node-object.ts'
import type { AdmitHandler, AdmitRequest, Refusal } from '../types/admit-handler.ts'
import type { AgentPart, AgentView } from '../types/agent-part.ts'
import type { Pod } from '../types/pod.ts'
import type { EvictionManager } from './eviction-manager.ts'

export interface OnDemandDeps {
  readonly clock: Clock
  readonly load: () => Promise<EvictionManager>
  /** Whether the annotations of an object may lead to an eviction. */
  readonly describes: (object: KubeObject) => boolean
  /** Thresholds were configured explicitly: usage is always checked. */
  readonly always: boolean
}

/** Loads the eviction manager when usage is described for the first time, so that nodes without any cost nothing. */
export class OnDemandEviction implements AdmitHandler, AgentPart, NodeStatusSource, MetricSource {
  readonly name = 'eviction'
  readonly #deps: OnDemandDeps
  readonly #wanted = new Signal()
  #manager: EvictionManager | undefined
  #loading: Promise<EvictionManager> | undefined
  #notify: () => void = () => {}

  constructor(deps: OnDemandDeps) {
    this.#deps = deps
  }

  admit(request: AdmitRequest): undefined | Promise<Refusal | undefined> {
    if (this.#manager === undefined && !this.#deps.always && !this.#deps.describes(request.node)) return undefined
    return this.#loaded().then((manager) => manager.admit(request))
  }

  release(pod: Pod): void {
    this.#manager?.release(pod)
  }

  families(): readonly Family[] {
    return this.#manager?.families() ?? []
  }

  capacity(): Readonly<Record<string, string>> {
    return {}
  }

  pressures(): ReadonlySet<string> {
    return this.#manager?.pressures() ?? new Set()
  }

  watch(notify: () => void): void {
    this.#notify = notify
    this.#manager?.watch(notify)
  }

  async takeOver(node: Node): Promise<void> {
    if (this.#deps.always || this.#deps.describes(node)) await (await this.#loaded()).takeOver(node)
  }

  nodeChanged(node: Node): void {
    if (this.#manager !== undefined) this.#manager.nodeChanged(node)
    else if (this.#deps.describes(node)) this.wake()
  }

  podChanged(pod: Pod): void {
    if (this.#manager !== undefined) this.#manager.podChanged(pod)
    else if (this.#deps.describes(pod)) this.wake()
  }

  /** Usage was described outside of the node and its pods (by a workload). */
  wake(): void {
    this.#wanted.raise()
    this.#manager?.look()
  }

  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    if (!this.#deps.always) await this.#wanted.wait({ signal })
    if (signal.aborted) return
    const manager = await this.#loaded()
    await manager.run(agent, signal)
  }

  #loaded(): Promise<EvictionManager> {
    this.#loading ??= holding(this.#deps.clock, 'loading the eviction manager', this.#deps.load).then((manager) => {
      manager.watch(this.#notify)
      this.#manager = manager
      return manager
    })
    return this.#loading
  }
}
