import type { Clock } from '../../base/clock.ts'
import type { Probe } from '../../resources/types/core.ts'
import type { ContainerRecord } from '../types/container-record.ts'
import type { ProbeResult, ProbeResults, ProbeView } from './probe-results.ts'
import { type ProbeKind, ProbeWorker } from './probe-worker.ts'
import type { ProbeOutcome } from './run-probe.ts'

const KINDS = ['startup', 'readiness', 'liveness'] as const

/** A result that the pod's status or its containers depend on. */
export interface ProbeChange {
  readonly kind: ProbeKind
  /** The container's. */
  readonly id: string
  readonly result: ProbeResult
}

export interface ProbeSetDeps {
  readonly clock: Clock
  /** The containers as the pod's status shows them. */
  readonly records: () => readonly ContainerRecord[]
  /** Runs the probe once. */
  readonly ask: (kind: ProbeKind, probe: Probe, record: ContainerRecord, signal: AbortSignal) => Promise<ProbeOutcome>
  /** Called for an outcome with an event: a failure, or a warning. */
  readonly notify: (kind: ProbeKind, outcome: ProbeOutcome, record: ContainerRecord) => void
  /** The pod has to be synced. */
  readonly changed: (change: ProbeChange) => void
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

/** The result of a container that has not been probed. */
const INITIAL: Readonly<Record<ProbeKind, ProbeResult>> = { liveness: 'success', readiness: 'failure', startup: 'unknown' }

/**
 * The probes of one pod's containers, and their results. A result changes after as many equal outcomes as the thresholds say. Other probes
 * run only when the startup probe has succeeded.
 */
export class ProbeSet implements ProbeView, ProbeResults {
  readonly #deps: ProbeSetDeps
  /** By kind and container name. Most pods have no probes: they share one empty map. */
  #workers: ReadonlyMap<string, ProbeWorker> = NONE
  /** By kind and container id. */
  #results: ReadonlyMap<string, ProbeResult> = NONE
  /** Containers that a previous agent reported as ready: they stay ready until a probe has failed. */
  readonly #readyBefore: readonly string[]
  #ending = false

  constructor(deps: ProbeSetDeps, readyBefore: readonly string[] = []) {
    this.#deps = deps
    this.#readyBefore = readyBefore
  }

  /** No probe runs, and there are no results. */
  get isIdle(): boolean {
    return this.#workers.size === 0 && this.#results.size === 0 && !this.#ending
  }

  liveness(id: string): ProbeResult {
    return this.#results.get(`liveness ${id}`) ?? 'unknown'
  }

  startup(id: string): ProbeResult {
    return this.#results.get(`startup ${id}`) ?? 'unknown'
  }

  /** Without a worker, as before the first sync of a new agent, a running container counts as started. */
  started({ container }: Pick<ContainerRecord, 'container'>, id: string): boolean {
    const result = this.#results.get(`startup ${id}`)
    return result === undefined ? !this.#workers.has(`startup ${container.name}`) : result === 'success'
  }

  /** Without a worker a running container counts as ready, too. */
  ready({ container }: Pick<ContainerRecord, 'container'>, id: string): boolean {
    const result = this.#results.get(`readiness ${id}`)
    if (result !== undefined) return result === 'success'
    return !this.#workers.has(`readiness ${container.name}`) || this.#readyBefore.includes(id)
  }

  /**
   * The status has been made anew. Workers of containers that have none start; and as in the kubelet, running containers that are not ready
   * are asked at once whether they are now.
   */
  follow(): void {
    for (const record of this.#deps.records()) {
      if (record.role === 'init' || record.role === 'ephemeral') continue
      for (const kind of KINDS) {
        const probe = record.container[`${kind}Probe`]
        if (probe === undefined) continue
        const worker = this.#workers.get(`${kind} ${record.container.name}`)
        if (worker === undefined) this.#start(kind, probe, record.container.name)
        else if (kind === 'readiness' && record.state.kind === 'running' && record.started && !this.ready(record, record.state.id))
          worker.trigger()
      }
    }
  }

  #start(kind: ProbeKind, probe: Probe, name: string): void {
    if (this.#ending) return
    const { clock, ask, notify, records } = this.#deps
    const worker = new ProbeWorker(kind, probe, {
      clock,
      record: () => records().find((r) => r.container.name === name),
      ask: (record, signal) => ask(kind, probe, record, signal),
      notify: (outcome, record) => notify(kind, outcome, record),
      begun: (id, before) => {
        if (before !== undefined) this.#forget(`${kind} ${before}`)
        this.#set({ kind, id, result: this.#initial(kind, id) })
      },
      result: (id, result) => this.#set({ kind, id, result }),
    })
    this.#workers = new Map(this.#workers).set(`${kind} ${name}`, worker)
    void worker.run()
  }

  /** As in the kubelet, a new agent runs startup probes again. */
  #initial(kind: ProbeKind, id: string): ProbeResult {
    return kind === 'readiness' && this.#readyBefore.includes(id) ? 'success' : INITIAL[kind]
  }

  #forget(key: string): void {
    const results = new Map(this.#results)
    results.delete(key)
    this.#results = results
  }

  #set(change: ProbeChange): void {
    const { kind, id, result } = change
    const key = `${kind} ${id}`
    if (this.#results.get(key) === result) return
    this.#results = new Map(this.#results).set(key, result)
    if (kind !== 'liveness' || result === 'failure') this.#deps.changed(change)
  }

  /**
   * The pod is being stopped. As in the kubelet, only startup and liveness probes of main containers end, and of the others commands are
   * cancelled at each attempt.
   */
  ending(): void {
    this.#ending = true
    this.follow()
    for (const { role, container } of this.#deps.records())
      for (const kind of KINDS) {
        const worker = this.#workers.get(`${kind} ${container.name}`)
        if (role === 'main' && kind !== 'readiness') worker?.stop()
        else worker?.cancelCommands()
      }
  }

  stop(): void {
    for (const worker of this.#workers.values()) worker.stop()
    this.#workers = NONE
  }
}
