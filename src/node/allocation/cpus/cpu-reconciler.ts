import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { pause } from '../../../base/pause.ts'
import { formatCpuSet } from '../../machine/cpu-set.ts'
import type { AgentPart, AgentView } from '../../types/agent-part.ts'
import { type Pod, uidOf } from '../../types/pod.ts'
import { allocatedContainers } from '../hints/hint-provider.ts'
import type { CpuManager } from './cpu-manager.ts'

/**
 * Updates the CPU sets of running containers that use the shared pool when the pool has changed. Level-triggered: each turn updates every
 * container whose CPU set in the runtime differs.
 */
export class CpuReconciler implements AgentPart {
  readonly #cpu: CpuManager
  readonly #periodMs: number
  readonly #clock: Clock
  readonly #log: Logger
  /** The CPU set last written to the runtime, by pod UID and container name. */
  readonly #reported = new Map<string, Map<string, string>>()

  constructor(cpu: CpuManager, periodMs: number, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#cpu = cpu
    this.#periodMs = periodMs
    this.#clock = clock
    this.#log = log
  }

  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#clock, this.#periodMs, signal)
      if (!signal.aborted) await this.reconcile(agent, signal)
    }
  }

  /** Reconciles all pods once. */
  async reconcile(agent: AgentView, signal: AbortSignal): Promise<void> {
    const pods = agent.pods()
    const uids = new Set(pods.map(uidOf))
    for (const uid of this.#reported.keys()) if (!uids.has(uid)) this.#reported.delete(uid)
    for (const pod of pods) {
      if (signal.aborted) return
      if (this.#stale(pod).length === 0) continue
      try {
        await this.#notify(pod, agent, signal)
      } catch (error) {
        if (!signal.aborted) this.#log.warn('the processors of a pod could not be set in the runtime', { pod: pod.metadata.name, error })
      }
    }
  }

  /** Records the CPU set with which a container was created: it needs no update. */
  created(pod: Pod, container: string): void {
    const uid = uidOf(pod)
    const held = this.#cpu.held(uid, container)
    if (held !== undefined) this.#note(uid, container, formatCpuSet(held))
  }

  #stale(pod: Pod): readonly string[] {
    const reported = this.#reported.get(uidOf(pod))
    return allocatedContainers(pod).flatMap(({ name }) => (reported?.get(name) === this.#wanted(pod, name) ? [] : [name]))
  }

  #wanted(pod: Pod, container: string): string {
    return formatCpuSet(this.#cpu.cpusOf(uidOf(pod), container))
  }

  async #notify(pod: Pod, { runtime }: AgentView, signal: AbortSignal): Promise<void> {
    const running = (await runtime.containers({ podUid: uidOf(pod) }, signal)).filter((c) => c.state === 'running')
    for (const name of this.#stale(pod)) {
      const id = running.find((c) => c.name === name)?.id
      const cpus = this.#wanted(pod, name)
      if (id === undefined || cpus === '') continue
      await runtime.updateResources(id, { cpus }, signal)
      this.#note(uidOf(pod), name, cpus)
    }
  }

  #note(uid: string, container: string, cpus: string): void {
    const reported = this.#reported.get(uid) ?? new Map<string, string>()
    this.#reported.set(uid, reported.set(container, cpus))
  }
}
