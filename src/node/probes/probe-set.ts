import type { Clock } from '../../base/clock.ts'
import type { Probe } from '../../resources/types/core.ts'
import type { ContainerRecord } from '../types/container-record.ts'
import type { ProbeResult, ProbeResults, ProbeView } from './probe-results.ts'
import type { ProbeOutcome } from './run-probe.ts'

export type ProbeKind = 'liveness' | 'readiness' | 'startup'
const KINDS = ['startup', 'readiness', 'liveness'] as const

export interface ProbeSetDeps {
  readonly clock: Clock
  /** Asks the container once. */
  readonly ask: (kind: ProbeKind, probe: Probe, record: ContainerRecord, signal: AbortSignal) => Promise<ProbeOutcome>
  /** A failure, or something odd, is to be told in an event. */
  readonly tell: (kind: ProbeKind, outcome: ProbeOutcome, record: ContainerRecord) => void
  /** A result has changed. */
  readonly changed: () => void
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

const hasProbes = (container: ContainerRecord['container']): boolean => KINDS.some((kind) => container[`${kind}Probe`] !== undefined)

interface Loop {
  readonly kind: ProbeKind
  readonly probe: Probe
  readonly record: ContainerRecord
  readonly stop: AbortController
}

/**
 * The probes of one pod's running containers. A container is asked every period from its start plus the initial delay; the result turns
 * after as many equal answers as the thresholds say. Until the startup probe has passed, the others are not asked.
 */
export class ProbeSet implements ProbeView, ProbeResults {
  readonly #deps: ProbeSetDeps
  /** Most pods have no probes: what is empty is shared. */
  #loops: ReadonlyMap<string, Loop> = NONE
  #results: ReadonlyMap<string, ProbeResult> = NONE
  /** Containers that were ready when an agent before us told of them: they stay so until they were asked. */
  #readyBefore: readonly string[]
  /** Nobody is asked yet: the containers that an agent before us has left count as started and ready until they are. */
  unasked = false
  #ending = false

  constructor(deps: ProbeSetDeps, readyBefore: readonly string[] = []) {
    this.#deps = deps
    this.#readyBefore = readyBefore
  }

  /** Nobody is asked, and nothing is remembered of who was. */
  get isIdle(): boolean {
    return this.#loops.size === 0 && this.#results.size === 0 && !this.#ending
  }

  liveness(id: string): ProbeResult {
    return this.#results.get(`liveness ${id}`) ?? 'unknown'
  }

  startup(id: string): ProbeResult {
    return this.#results.get(`startup ${id}`) ?? 'unknown'
  }

  started({ container }: Pick<ContainerRecord, 'container'>, id: string): boolean {
    return this.unasked || container.startupProbe === undefined || this.startup(id) === 'success' || this.#readyBefore.includes(id)
  }

  ready({ container }: Pick<ContainerRecord, 'container'>, id: string): boolean {
    if (this.unasked || container.readinessProbe === undefined) return true
    const result = this.#results.get(`readiness ${id}`)
    return result === undefined ? this.#readyBefore.includes(id) : result === 'success'
  }

  /** Begins to ask what runs now, and stops asking what runs no more. */
  follow(records: readonly ContainerRecord[]): void {
    const wanted = this.#wanted(records)
    if (wanted.size === 0 && this.#loops.size === 0 && this.#results.size === 0) return
    const running = new Set(records.flatMap((r) => (r.state.kind === 'running' ? [r.state.id] : [])))
    const loops = new Map(this.#loops)
    for (const [key, loop] of this.#loops) {
      if (wanted.has(key)) continue
      loop.stop.abort()
      loops.delete(key)
    }
    this.#results = new Map([...this.#results].filter(([key]) => running.has(key.slice(key.indexOf(' ') + 1))))
    const begun: [key: string, loop: Loop][] = []
    for (const [key, want] of wanted) {
      if (loops.has(key) || (want.kind !== 'readiness' && this.#results.get(key) === 'failure')) continue
      const loop = { ...want, stop: new AbortController() }
      loops.set(key, loop)
      begun.push([key, loop])
    }
    this.#loops = loops
    for (const [key, loop] of begun) void this.#run(key, loop)
  }

  /** What is to be asked, of what runs now. */
  #wanted(records: readonly ContainerRecord[]): ReadonlyMap<string, Omit<Loop, 'stop'>> {
    if (!records.some((r) => hasProbes(r.container))) return NONE
    const wanted = new Map<string, Omit<Loop, 'stop'>>()
    for (const record of records) {
      const { state, container } = record
      if (state.kind !== 'running' || record.role === 'init' || record.role === 'ephemeral') continue
      const started = this.started(record, state.id)
      for (const kind of KINDS) {
        const probe = container[`${kind}Probe`]
        if (probe === undefined || started === (kind === 'startup')) continue
        // A command is not run in a pod that ends: the kubelet's are cancelled before they begin.
        if (this.#ending && (kind !== 'readiness' || probe.exec !== undefined)) continue
        wanted.set(`${kind} ${state.id}`, { kind, probe, record })
      }
    }
    return wanted
  }

  /**
   * The pod is being stopped: nothing may kill its containers any more, but readiness goes on (as far as it is asked for over the
   * network).
   */
  ending(records: readonly ContainerRecord[]): void {
    this.#ending = true
    this.follow(records)
  }

  stop(): void {
    for (const loop of this.#loops.values()) loop.stop.abort()
    this.#loops = NONE
  }

  /** Ends quietly when it is aborted; nothing else can go wrong in it. */
  async #run(key: string, loop: Loop): Promise<void> {
    const { clock, ask, tell } = this.#deps
    const { kind, probe, record } = loop
    const { signal } = loop.stop
    const startedAtMs = record.state.kind === 'running' ? record.state.startedAtMs : clock.now()
    let streak: { success: boolean; count: number } = { success: true, count: 0 }
    let waitMs = Math.max(0, startedAtMs + (probe.initialDelaySeconds ?? 0) * 1000 - clock.now())
    try {
      for (;;) {
        if (waitMs > 0) await clock.sleep(waitMs, signal)
        const askedMs = clock.now()
        const outcome = await ask(kind, probe, record, signal)
        if (signal.aborted) return
        if (outcome.kind !== 'success') tell(kind, outcome, record)
        if (outcome.kind !== 'error') {
          const success = outcome.kind !== 'failure'
          streak = { success, count: streak.success === success ? streak.count + 1 : 1 }
          if (this.#judge(key, loop, streak)) return
        }
        waitMs = Math.max(1, askedMs + (probe.periodSeconds ?? 10) * 1000 - clock.now())
      }
    } catch (error) {
      if (!signal.aborted) tell(kind, { kind: 'error', output: String(error) }, record)
    }
  }

  /** True when there is nothing more to ask: a container that is to be killed is asked no more. */
  #judge(key: string, { kind, probe, record }: Loop, streak: { readonly success: boolean; readonly count: number }): boolean {
    const enough = streak.success ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3)
    if (streak.count < enough) return false
    const result = streak.success ? 'success' : 'failure'
    const id = record.state.kind === 'running' ? record.state.id : ''
    if (kind === 'readiness') this.#readyBefore = this.#readyBefore.filter((before) => before !== id)
    if (this.#results.get(key) !== result) {
      this.#results = new Map(this.#results).set(key, result)
      this.#deps.changed()
    }
    const over = kind === 'startup' || (kind === 'liveness' && !streak.success)
    if (over) this.#loops = new Map([...this.#loops].filter(([other]) => other !== key))
    return over
  }
}
