import type { Clock } from '../../base/clock.ts'
import type { Probe } from '../../resources/types/core.ts'
import type { ContainerRecord } from '../types/container-record.ts'
import type { ProbeResult, ProbeResults, ProbeView } from './probe-results.ts'
import type { ProbeOutcome } from './run-probe.ts'

export type ProbeKind = 'liveness' | 'readiness' | 'startup'
const KINDS = ['startup', 'readiness', 'liveness'] as const

export interface ProbeSetDeps {
  readonly clock: Clock
  /** Runs the probe once. */
  readonly ask: (kind: ProbeKind, probe: Probe, record: ContainerRecord, signal: AbortSignal) => Promise<ProbeOutcome>
  /** Called for an outcome with an event: a failure, or a warning. */
  readonly notify: (kind: ProbeKind, outcome: ProbeOutcome, record: ContainerRecord) => void
  /** A result has changed. */
  readonly changed: () => void
}

type Wanted = Omit<Loop, 'stop' | 'cancel' | 'nextAtMs'>

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

const hasProbes = (container: ContainerRecord['container']): boolean => KINDS.some((kind) => container[`${kind}Probe`] !== undefined)

interface Loop {
  readonly kind: ProbeKind
  readonly probe: Probe
  readonly record: ContainerRecord
  readonly stop: AbortController
  /** Cancels the command that runs, while the loop goes on; of a probe without a command it is `stop`. */
  readonly cancel: AbortController
  /** When it runs next. */
  nextAtMs: number
}

/** As the kubelet reports a command that a terminating pod does not wait for. */
const CANCELLED: ProbeOutcome = { kind: 'error', output: 'rpc error: code = Canceled desc = context canceled' }

/**
 * The probes of one pod's running containers. A probe runs every period after the initial delay; its result changes after as many equal
 * outcomes as the thresholds say. Other probes start only when the startup probe has succeeded.
 */
export class ProbeSet implements ProbeView, ProbeResults {
  readonly #deps: ProbeSetDeps
  /** Most pods have no probes: they share one empty map. */
  #loops: ReadonlyMap<string, Loop> = NONE
  #results: ReadonlyMap<string, ProbeResult> = NONE
  /** Containers that a previous agent reported as ready: they stay ready until a probe has run. */
  #readyBefore: readonly string[]
  /** No probe has run yet: the containers that a previous agent left count as started and ready until then. */
  unasked = false
  #ending = false

  constructor(deps: ProbeSetDeps, readyBefore: readonly string[] = []) {
    this.#deps = deps
    this.#readyBefore = readyBefore
  }

  /** No probe runs, and there are no results. */
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

  /** Starts the probes of running containers, and stops those of ended ones. */
  follow(records: readonly ContainerRecord[]): void {
    const wanted = this.#wanted(records)
    if (wanted.size === 0 && this.#loops.size === 0 && this.#results.size === 0) return
    const running = new Set(records.map(idOf))
    const ended = new Set(records.flatMap((r) => (r.state.kind === 'terminated' ? [r.state.id] : [])))
    const loops = new Map(this.#loops)
    for (const [key, loop] of this.#loops) {
      if (wanted.has(key)) continue
      end(loop)
      loops.delete(key)
      if (!this.#ending && ended.has(idOf(loop.record))) this.#syncAtNext(loop)
    }
    this.#results = new Map([...this.#results].filter(([key]) => running.has(key.slice(key.indexOf(' ') + 1))))
    const begun: [key: string, loop: Loop][] = []
    for (const [key, want] of wanted) {
      if (loops.has(key) || (want.kind !== 'readiness' && this.#results.get(key) === 'failure')) continue
      const stop = new AbortController()
      const loop = { ...want, stop, cancel: want.probe.exec === undefined ? stop : new AbortController(), nextAtMs: 0 }
      loops.set(key, loop)
      begun.push([key, loop])
    }
    this.#loops = loops
    for (const [key, loop] of begun) void this.#run(key, loop)
  }

  /** As in the kubelet, a probe of an ended container counts as failed when it would have run next, and its pod is synced. */
  #syncAtNext({ nextAtMs }: Loop): void {
    const { clock, changed } = this.#deps
    clock.after(Math.max(0, nextAtMs - clock.now()), changed, 'work')
  }

  /** The probes to run for the running containers. */
  #wanted(records: readonly ContainerRecord[]): ReadonlyMap<string, Wanted> {
    if (!records.some((r) => hasProbes(r.container))) return NONE
    const wanted = new Map<string, Wanted>()
    for (const record of records) {
      const { state, container } = record
      if (state.kind !== 'running' || record.role === 'init' || record.role === 'ephemeral') continue
      const started = this.started(record, state.id)
      for (const kind of KINDS) {
        const probe = container[`${kind}Probe`]
        if (probe === undefined || started === (kind === 'startup')) continue
        if (this.#ending && kind !== 'readiness') continue
        wanted.set(`${kind} ${state.id}`, { kind, probe, record })
      }
    }
    return wanted
  }

  /** The pod is being stopped: only readiness probes go on, and as in the kubelet, exec probes are cancelled at each attempt. */
  ending(records: readonly ContainerRecord[]): void {
    this.#ending = true
    for (const { probe, cancel } of this.#loops.values()) if (probe.exec !== undefined) cancel.abort()
    this.follow(records)
  }

  stop(): void {
    for (const loop of this.#loops.values()) end(loop)
    this.#loops = NONE
  }

  /** Ends silently when it is aborted; it cannot fail otherwise. */
  async #run(key: string, loop: Loop): Promise<void> {
    const { clock, notify } = this.#deps
    const { kind, probe, record } = loop
    const { signal } = loop.stop
    const startedAtMs = record.state.kind === 'running' ? record.state.startedAtMs : clock.now()
    let streak: { success: boolean; count: number } = { success: true, count: 0 }
    loop.nextAtMs = startedAtMs + (probe.initialDelaySeconds ?? 0) * 1000
    try {
      for (;;) {
        const waitMs = loop.nextAtMs - clock.now()
        if (waitMs > 0) await clock.sleep(waitMs, signal)
        const requestedAtMs = clock.now()
        const outcome = await this.#ask(loop)
        if (outcome.kind !== 'success' && (!signal.aborted || outcome === CANCELLED)) notify(kind, outcome, record)
        if (signal.aborted) return
        if (outcome.kind !== 'error') {
          const success = outcome.kind !== 'failure'
          streak = { success, count: streak.success === success ? streak.count + 1 : 1 }
          if (this.#judge(key, loop, streak)) return
        }
        loop.nextAtMs = Math.max(clock.now() + 1, requestedAtMs + (probe.periodSeconds ?? 10) * 1000)
      }
    } catch (error) {
      if (!signal.aborted) notify(kind, { kind: 'error', output: String(error) }, record)
    }
  }

  async #ask({ kind, probe, record, cancel: { signal } }: Loop): Promise<ProbeOutcome> {
    const isCancelled = () => this.#ending && probe.exec !== undefined
    if (isCancelled()) return CANCELLED
    try {
      return await this.#deps.ask(kind, probe, record, signal)
    } catch (error) {
      if (isCancelled()) return CANCELLED
      throw error
    }
  }

  /** True when the probe is done: the container will be killed. */
  #judge(key: string, { kind, probe, record }: Loop, streak: { readonly success: boolean; readonly count: number }): boolean {
    const enough = streak.success ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3)
    if (streak.count < enough) return false
    const result = streak.success ? 'success' : 'failure'
    const id = idOf(record)
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

/** The id of a running container. */
const idOf = ({ state }: ContainerRecord): string => (state.kind === 'running' ? state.id : '')

function end({ stop, cancel }: Loop): void {
  stop.abort()
  cancel.abort()
}
