import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { formatCpuSet } from '../../machine/cpu-set.ts'
import type { AgentPart, AgentView } from '../../types/agent-part.ts'
import type { Pod } from '../../types/pod.ts'
import { allocatedContainers } from '../hints/hint-provider.ts'
import type { CpuManager } from './cpu-manager.ts'

/**
 * Tells the runtime on which processors containers run that share them, when others were given to somebody or came back. Level-triggered:
 * at each turn everything that was not told as it is now is told.
 */
export class CpuReconciler implements AgentPart {
  readonly #cpu: CpuManager
  readonly #periodMs: number
  readonly #clock: Clock
  readonly #log: Logger
  /** What was told last, by the pod's uid and the container's name. */
  readonly #told = new Map<string, Map<string, string>>()

  constructor(cpu: CpuManager, periodMs: number, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#cpu = cpu
    this.#periodMs = periodMs
    this.#clock = clock
    this.#log = log
  }

  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.sleep(this.#periodMs, signal).catch(() => {})
      if (!signal.aborted) await this.reconcile(agent, signal)
    }
  }

  /** One turn over all pods. */
  async reconcile(agent: AgentView, signal: AbortSignal): Promise<void> {
    const pods = agent.pods()
    const uids = new Set(pods.map(uidOf))
    for (const uid of this.#told.keys()) if (!uids.has(uid)) this.#told.delete(uid)
    for (const pod of pods) {
      if (signal.aborted) return
      if (this.#stale(pod).length === 0) continue
      try {
        await this.#tell(pod, agent, signal)
      } catch (error) {
        if (!signal.aborted) this.#log.warn('the processors of a pod could not be told to the runtime', { pod: pod.metadata.name, error })
      }
    }
  }

  /** A container was created with these processors of its own: it need not be told again. */
  created(pod: Pod, container: string): void {
    const uid = uidOf(pod)
    const held = this.#cpu.held(uid, container)
    if (held !== undefined) this.#note(uid, container, formatCpuSet(held))
  }

  #stale(pod: Pod): readonly string[] {
    const told = this.#told.get(uidOf(pod))
    return allocatedContainers(pod).flatMap(({ name }) => (told?.get(name) === this.#wanted(pod, name) ? [] : [name]))
  }

  #wanted(pod: Pod, container: string): string {
    return formatCpuSet(this.#cpu.cpusOf(uidOf(pod), container))
  }

  async #tell(pod: Pod, { runtime }: AgentView, signal: AbortSignal): Promise<void> {
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
    const told = this.#told.get(uid) ?? new Map<string, string>()
    this.#told.set(uid, told.set(container, cpus))
  }
}

const uidOf = (pod: Pod): string => pod.metadata.uid ?? ''
