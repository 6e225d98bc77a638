import type { Cancel, Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client } from '../../sdk/client/client.ts'
import { PODS } from '../../sdk/client/refs.ts'
import { type EventRecorder, referenceTo } from '../../sdk/controller/event-recorder.ts'
import type { Exit, Runtime, Sandbox } from '../runtime/runtime.ts'
import { type ContainerRecord, freshRecords, isInitialised } from './container-record.ts'
import { containerNotes, startContainer } from './container-starter.ts'
import { goSeconds, nextPullBackOff, nextRestartBackOff, planPod } from './plan-pod.ts'
import { podStatus } from './pod-status.ts'
import type { Pod } from './pod-types.ts'
import { ready, watchReadiness } from './readiness.ts'
import { missingVolume, type References } from './references.ts'
import { restoreRecords } from './restore-records.ts'
import { StatusWriter } from './status-writer.ts'

export interface PodWorkerDeps {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly runtime: Runtime
  readonly events: EventRecorder
  readonly references: References
  readonly hostIp: string
}

/** How long until something outside that was missing (a volume's object, an environment's) is looked for again. */
const RETRY_MS = 2_000

/** Leads one pod through its life on this node, from admission to its removal. */
export class PodWorker {
  readonly #deps: PodWorkerDeps
  readonly #writer: StatusWriter
  readonly #startTimeMs: number
  #pod: Pod
  #records: readonly ContainerRecord[]
  #sandbox: Sandbox | undefined
  readonly #sandboxIds: string[] = []
  #podIp: string | undefined
  #stopped = false
  #gone = false
  #verdict: { reason: string; message: string } | undefined
  #dirty = false
  #wake: () => void = () => {}

  constructor(pod: Pod, deps: PodWorkerDeps) {
    this.#deps = deps
    this.#pod = pod
    this.#writer = new StatusWriter(deps.client)
    this.#startTimeMs = pod.status.startTime === undefined ? deps.clock.now() : Date.parse(pod.status.startTime)
    this.#records = pod.status.containerStatuses === undefined ? freshRecords(pod) : restoreRecords(pod)
  }

  /** The pod as the API has it now. */
  update(pod: Pod): void {
    this.#pod = pod
    this.#signal()
  }

  /** The pod's object has gone: stop everything at once. */
  remove(): void {
    this.#gone = true
    this.#signal()
  }

  /** Works until the pod has gone or the signal is aborted. Failures of the API are tried again; nothing is thrown. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#signal()
    signal.addEventListener('abort', stop, { once: true })
    while (!signal.aborted && !this.#gone) {
      try {
        if (await this.#live(signal)) break
      } catch (error) {
        if (signal.aborted) break
        this.#deps.log.warn('a pod could not be worked on, trying again', { pod: this.#pod.metadata.name, error })
        await this.#wait(this.#deps.clock.now() + 1000)
      }
    }
    signal.removeEventListener('abort', stop)
    if (this.#gone) await this.#stopAll(0)
    await Promise.all(this.#sandboxIds.map((id) => this.#deps.runtime.removeSandbox(id)))
  }

  /** True when the pod's life is over. */
  async #live(signal: AbortSignal): Promise<boolean> {
    if (isTerminal(this.#pod)) this.#stopped = true
    if (!this.#stopped) {
      if (!(await this.#prepare(signal))) return false
      if (!(await this.#runContainers(signal))) return false
    }
    while (!signal.aborted && !this.#gone && this.#pod.metadata.deletionTimestamp === undefined) await this.#wait(undefined)
    return this.#gone || signal.aborted || this.#delete()
  }

  /** Volumes, then the sandbox. False when it has to be tried again. */
  async #prepare(signal: AbortSignal): Promise<boolean> {
    const { runtime, references, clock, events } = this.#deps
    if (this.#sandbox !== undefined) return true
    const running = this.#records.filter((r) => r.state.kind === 'running')
    if (running.length === 0) await this.#report()
    for (;;) {
      if (signal.aborted || this.#gone) return false
      if (this.#pod.metadata.deletionTimestamp !== undefined) break
      const fault = await missingVolume(this.#pod, references)
      if (fault === undefined) break
      events.record({ regarding: referenceTo(this.#pod), type: 'Warning', reason: 'FailedMount', message: fault })
      await this.#wait(clock.now() + RETRY_MS)
    }
    this.#sandbox = await runtime.createSandbox(this.#pod, signal)
    this.#sandboxIds.push(this.#sandbox.id)
    if (running.length === 0) await this.#report()
    this.#podIp = this.#pod.spec.hostNetwork ? this.#deps.hostIp : this.#sandbox.ip
    for (const r of running) await this.#adopt(r, signal)
    return true
  }

  /** A container that ran when the agent before us stopped goes on under its own name and start time. */
  async #adopt(record: ContainerRecord, signal: AbortSignal): Promise<void> {
    const { runtime } = this.#deps
    if (this.#sandbox === undefined || record.state.kind !== 'running') return
    await runtime.pullImage(record.container.image, signal).catch(() => undefined)
    const started = await runtime.startContainer({
      pod: this.#pod,
      sandbox: this.#sandbox,
      container: record.container,
      attempt: record.restartCount,
      signal,
    })
    this.#put({ ...record, state: { ...record.state, id: started.id } })
    this.#follow(record.container.name, started.id, started.exit)
  }

  /** Until every container has ended for good. False when the pod is to be left (aborted, gone). */
  async #runContainers(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted || this.#gone) return false
      if (this.#pod.metadata.deletionTimestamp !== undefined) return this.#terminate()
      if (this.#overdue()) return this.#exceed()
      this.#dirty = false
      const wakeAtMs = await this.#step(signal)
      if (wakeAtMs === 'finished') return this.#finish()
      await this.#report()
      await this.#wait(earliest(wakeAtMs, this.#deadline()))
    }
  }

  /** One round of decide and do; the time of the next, or that nothing will run again. */
  async #step(signal: AbortSignal): Promise<number | undefined | 'finished'> {
    const { clock } = this.#deps
    for (;;) {
      const plan = planPod(this.#pod, this.#records, clock.now())
      if (plan.finished) return 'finished'
      for (const r of plan.hold) this.#hold(r)
      let initialised = false
      for (const r of plan.start) {
        await this.#start(r, signal)
        const now = this.#find(r.container.name)
        initialised ||= now.role === 'init' && isInitialised(now)
      }
      if (!initialised) return plan.start.some((r) => this.#find(r.container.name).backOff !== undefined) ? clock.now() : plan.wakeAtMs
    }
  }

  async #start(record: ContainerRecord, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    if (this.#sandbox === undefined) return
    const outcome = await startContainer(this.#deps, this.#pod, record, this.#sandbox, signal)
    if (outcome.kind === 'failed') {
      const { reason, message } = outcome
      const nowMs = clock.now()
      const backOff =
        outcome.retry === 'pull'
          ? nextPullBackOff(record, nowMs, `${reason}: ${message}`)
          : { of: 'pull' as const, delayMs: 0, untilMs: outcome.retry === 'config' ? nowMs + RETRY_MS : Number.MAX_SAFE_INTEGER }
      const before = record.state.kind === 'terminated' ? { last: record.state } : {}
      this.#put({ ...record, ...before, state: { kind: 'waiting', reason, message }, backOff })
      return
    }
    const { container, image } = outcome
    const again = record.state.kind === 'terminated' || record.last !== undefined
    const last = record.state.kind === 'terminated' ? record.state : record.last
    const { backOff: _, last: __, ...rest } = record
    const started = record.container.startupProbe === undefined
    this.#put({
      ...rest,
      ...(last === undefined ? {} : { last }),
      ...(record.backOff?.of === 'restart' ? { backOff: record.backOff } : {}),
      image: { name: image.name, id: image.id },
      restartCount: record.restartCount + (again ? 1 : 0),
      state: { kind: 'running', id: container.id, startedAtMs: container.startedAtMs },
      started,
      ready: record.role !== 'init' && started && record.container.readinessProbe === undefined,
    })
    this.#follow(record.container.name, container.id, container.exit)
    watchReadiness(record.container, clock, (state) => {
      const now = this.#find(record.container.name)
      if (now.state.kind === 'running' && now.state.id === container.id) this.#put(ready(now, state))
      this.#signal()
    })
  }

  #follow(name: string, id: string, exit: Exit | Promise<Exit>): void {
    if (exit instanceof Promise) {
      void exit.then((e) => {
        this.#ended(name, id, e)
        this.#signal()
      })
    } else this.#ended(name, id, exit)
  }

  #ended(name: string, id: string, exit: Exit): void {
    const record = this.#find(name)
    if (record.state.kind === 'waiting' || record.state.id !== id) return
    const state = { kind: 'terminated', id, ...exit } as const
    const ended: ContainerRecord = { ...record, state, started: false, ready: record.role === 'init' && exit.exitCode === 0 }
    const backOff = nextRestartBackOff(ended, this.#deps.clock.now())
    this.#put(backOff === undefined ? ended : { ...ended, backOff })
  }

  /** Shows that a restart or a pull has to wait. */
  #hold(record: ContainerRecord): void {
    const { backOff, container, role } = record
    if (backOff === undefined || backOff.delayMs === 0) return
    const note = containerNotes(this.#deps.events, this.#pod, container, role)
    const { namespace, name, uid } = this.#pod.metadata
    if (backOff.of === 'pull') {
      if (record.state.kind === 'waiting' && record.state.reason === 'ImagePullBackOff') return
      note('Normal', 'BackOff', `Back-off pulling image "${container.image}"`)
      note('Warning', 'Failed', 'Error: ImagePullBackOff')
      const message = `Back-off pulling image "${container.image}": ${backOff.error}`
      this.#put({ ...record, state: { kind: 'waiting', reason: 'ImagePullBackOff', message } })
      return
    }
    if (record.state.kind !== 'terminated') return
    note('Warning', 'BackOff', `Back-off restarting failed container ${container.name} in pod ${name}_${namespace}(${uid})`)
    const message = `back-off ${goSeconds(backOff.delayMs)} restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`
    this.#put({ ...record, last: record.state, state: { kind: 'waiting', reason: 'CrashLoopBackOff', message } })
  }

  /** Everything has run to its end: sidecars are stopped, the sandbox goes, the terminal phase is told. */
  async #finish(): Promise<true> {
    await this.#report()
    await this.#stopAll(this.#graceMs())
    this.#stopped = true
    await this.#report()
    return true
  }

  async #exceed(): Promise<true> {
    this.#verdict = { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' }
    await this.#report()
    const { events } = this.#deps
    await this.#stopAll(this.#graceMs())
    events.record({ regarding: referenceTo(this.#pod), type: 'Normal', ...this.#verdict })
    this.#stopped = true
    await this.#report()
    return true
  }

  /** The API wants the pod gone: stop within its grace, tell the end. */
  async #terminate(): Promise<true> {
    await this.#report()
    await this.#stopAll(this.#graceMs())
    this.#stopped = true
    await this.#report()
    return true
  }

  async #stopAll(graceMs: number): Promise<void> {
    const { runtime, events } = this.#deps
    const running = this.#records.filter((r) => r.state.kind === 'running')
    const main = running.filter((r) => r.role === 'main')
    const sidecars = running.filter((r) => r.role !== 'main').reverse()
    const stop = async (r: ContainerRecord) => {
      if (r.state.kind !== 'running') return
      containerNotes(events, this.#pod, r.container, r.role)('Normal', 'Killing', `Stopping container ${r.container.name}`)
      await runtime.stopContainer(r.state.id, graceMs)
    }
    await Promise.all(main.map(stop))
    for (const r of sidecars) await stop(r)
    // The exits were settled by the stops; one turn lets them arrive.
    await Promise.resolve()
    if (this.#sandbox !== undefined) await runtime.stopSandbox(this.#sandbox.id)
    this.#sandbox = undefined
  }

  /** Takes the object away, now that nothing of it runs. */
  async #delete(): Promise<boolean> {
    const { namespace, name, uid } = this.#pod.metadata
    const target = { ...PODS, ...(namespace === undefined ? {} : { namespace }), ...(name === undefined ? {} : { name }) }
    try {
      await this.#deps.client.delete(target, { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { preconditions: { uid } }) })
    } catch (error) {
      if (!isStatus(error, 'NotFound', 'Conflict')) throw error
    }
    return true
  }

  async #report(): Promise<void> {
    const status = podStatus(
      {
        pod: this.#pod,
        records: this.#records,
        hostIp: this.#deps.hostIp,
        podIp: this.#podIp,
        sandboxReady: this.#sandbox !== undefined,
        startTimeMs: this.#startTimeMs,
        stopped: this.#stopped,
        ...(this.#verdict === undefined ? {} : { verdict: this.#verdict }),
      },
      this.#deps.clock.now(),
    )
    if ((await this.#writer.write(this.#pod, status)) === 'gone') this.#gone = true
    else this.#pod = { ...this.#pod, status: { ...this.#pod.status, ...status } }
  }

  #find(name: string): ContainerRecord {
    const record = this.#records.find((r) => r.container.name === name)
    if (record === undefined) throw new Error(`invariant: every container has a record, ${name} has none`)
    return record
  }

  #put(record: ContainerRecord): void {
    this.#records = this.#records.map((r) => (r.container.name === record.container.name ? record : r))
  }

  #graceMs(): number {
    return (this.#pod.metadata.deletionGracePeriodSeconds ?? this.#pod.spec.terminationGracePeriodSeconds ?? 30) * 1000
  }

  #deadline(): number | undefined {
    const seconds = this.#pod.spec.activeDeadlineSeconds
    return seconds === undefined ? undefined : this.#startTimeMs + seconds * 1000
  }

  #overdue(): boolean {
    return this.#deps.clock.now() >= (this.#deadline() ?? Number.POSITIVE_INFINITY)
  }

  #signal(): void {
    this.#dirty = true
    this.#wake()
  }

  /** Until something happens, or the time has come. */
  #wait(untilMs: number | undefined): Promise<void> {
    if (this.#dirty) {
      this.#dirty = false
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      let cancel: Cancel = () => {}
      this.#wake = () => {
        cancel()
        this.#wake = () => {}
        this.#dirty = false
        resolve()
      }
      if (untilMs !== undefined && untilMs < Number.MAX_SAFE_INTEGER) {
        cancel = this.#deps.clock.after(Math.max(0, untilMs - this.#deps.clock.now()), () => this.#wake())
      }
    })
  }
}

const isTerminal = (pod: Pod) => pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed'

const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b)
