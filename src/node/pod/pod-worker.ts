import { timestamp } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { Signal } from '../../base/signal.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client } from '../../sdk/client/client.ts'
import { PODS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { ProbeSet } from '../probes/probe-set.ts'
import { runProbe } from '../probes/run-probe.ts'
import { type ContainerStatus, RuntimeError, type RuntimePod, runtimePod } from '../runtime/runtime.ts'
import { BackOff } from './back-off.ts'
import { killContainers, makeSandbox, type PodMemory, RETRY_MS, startOne, stopAll } from './carry-out.ts'
import { type ContainerRecord, observeContainers } from './container-record.ts'
import type { StarterDeps } from './container-starter.ts'
import { missingVolume } from './missing-volume.ts'
import { containerNotes } from './notes.ts'
import { type Kill, type PodPlan, planPod } from './plan-pod.ts'
import { type NoRoom, PodResize } from './pod-resize.ts'
import { phaseOf, podStatus } from './pod-status.ts'
import { type Amounts, isTerminal, type Pod } from './pod-types.ts'
import { resolveSandbox } from './resolve-container.ts'
import { containerResources } from './resolve-resources.ts'
import { restoreRecords } from './restore-records.ts'
import { StatusWriter } from './status-writer.ts'

export interface PodWorkerDeps extends Omit<StarterDeps, 'pulls'> {
  readonly client: Client
  readonly log: Logger
  readonly hostIp: string
  /** What the node has for pods. */
  readonly allocatable: () => Amounts
  /** Why the node cannot give this pod what its spec asks for by now; undefined when it can. */
  readonly noRoom: (pod: Pod, given: Pod) => NoRoom | undefined
  /** Nothing of the pod is left, and its object is about to go: what it held is free before anybody can hear of that. */
  readonly ended: () => void
  /** How the devices of a container are; empty: it has none. */
  readonly resourceHealth: (pod: Pod, container: string) => readonly JsonObject[]
}

/** Why a whole pod is ended before its time: `DeadlineExceeded`, `Evicted`, … */
export interface Verdict {
  readonly reason: string
  readonly message: string
}

/** The waits before a volume that could not be set up is tried again, as the kubelet's. */
const MOUNT_RETRY = { firstMs: 500, maxMs: 122_000 } as const

/** How long until a network that is not ready is looked at again. */
const NETWORK_RETRY_MS = 2000

const NOTHING: RuntimePod = { sandboxes: [], containers: [] }

/**
 * Leads one pod through its life on this node. Level-triggered: at each step it looks at what the runtime has of the pod, tells the status that follows,
 * and does what is missing. So it takes up a pod wherever an agent before it left it.
 */
export class PodWorker {
  readonly #deps: StarterDeps & PodWorkerDeps
  readonly #writer: StatusWriter
  readonly #probes: ProbeSet
  readonly #startTimeMs: number
  readonly #changed = new Signal()
  readonly #memory: PodMemory = { failures: new Map(), restarts: new BackOff(), attempts: new Map() }
  readonly #resize: PodResize
  #pod: Pod
  #records: readonly ContainerRecord[]
  #runtime: RuntimePod = NOTHING
  #podIps: readonly string[]
  /** Ends what the worker is waiting for: an image, a hook. */
  #work = new AbortController()
  /** Containers are being stopped: that is not interrupted, nor shortened (as the kubelet does it). */
  #ending = false
  #wakeAtMs: number | undefined
  #mountRetryMs: number = MOUNT_RETRY.firstMs
  #stopped = false
  #gone = false
  #verdict: Verdict | undefined

  constructor(pod: Pod, deps: PodWorkerDeps) {
    this.#deps = { ...deps, pulls: { backOff: new BackOff(), errors: new Map() } }
    this.#pod = pod
    this.#writer = new StatusWriter(pod, { ...deps, changedByOthers: () => this.#changed.raise() })
    this.#resize = new PodResize(pod)
    this.#startTimeMs = pod.status.startTime === undefined ? deps.clock.now() : Date.parse(pod.status.startTime)
    this.#records = restoreRecords(pod)
    this.#podIps = pod.spec.hostNetwork ? [deps.hostIp] : []
    const ready = this.#records.flatMap((r) => (r.ready && r.state.kind === 'running' ? [r.state.id] : []))
    this.#probes = new ProbeSet(
      {
        clock: deps.clock,
        ask: (_kind, probe, { container, state }, signal) => {
          const containerId = state.kind === 'running' ? state.id : ''
          return runProbe(deps, probe, { container, containerId, podIp: this.#podIps[0] ?? '' }, signal)
        },
        tell: (kind, outcome, record) => this.#tellProbe(kind, outcome, record),
        changed: () => this.#changed.raise(),
      },
      ready,
    )
  }

  /** Whether everything has stopped for good. */
  get ended(): boolean {
    return this.#stopped
  }

  /** The pod as the API has it now. */
  update(pod: Pod): void {
    const { generation, deletionTimestamp, deletionGracePeriodSeconds } = this.#pod.metadata
    const deleted = deletionTimestamp === undefined && pod.metadata.deletionTimestamp !== undefined
    const grace = pod.metadata.deletionGracePeriodSeconds !== deletionGracePeriodSeconds
    const foreign = this.#writer.observe(pod)
    this.#pod = { ...pod, status: this.#withOwn(pod) }
    // What is under way has the grace period to come to its end.
    if (deleted) this.#deps.clock.after(this.#graceMs(), () => this.#interrupt('the pod is being deleted'))
    // The echo of its own words is no reason to look again.
    if (foreign || deleted || grace || pod.metadata.generation !== generation) this.#changed.raise()
  }

  /** The pod's object has gone; this is how it was last seen. */
  remove(pod: Pod): void {
    this.#pod = { ...pod, status: this.#withOwn(pod) }
    this.#gone = true
    this.#interrupt('the pod has gone')
    this.#changed.raise()
  }

  /** Something has changed in the runtime. */
  look(): void {
    this.#changed.raise()
  }

  /** The node may have room for what this pod could not get. */
  roomAgain(): void {
    if (this.#resize.state.kind === 'pending') this.#changed.raise()
  }

  /** Ends the pod before its time. */
  end(verdict: Verdict): void {
    this.#verdict ??= verdict
    this.#interrupt(verdict.message)
    this.#changed.raise()
  }

  /** Works until the pod has gone, or until the signal is aborted: then everything stays as it is for the next agent. Nothing is thrown. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    const stop = () => this.#work.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    while (!signal.aborted) {
      this.#wakeAtMs = undefined
      if (this.#work.signal.aborted) this.#work = new AbortController()
      try {
        if (await this.#step(this.#work.signal)) break
      } catch (error) {
        if (signal.aborted) break
        if (this.#work.signal.aborted) continue
        log.warn('a pod could not be worked on, trying again', { pod: this.#pod.metadata.name, error })
        this.#wakeAt(clock.now() + 1000)
      }
      await this.#changed.wait({ clock, untilMs: this.#wakeAtMs, signal })
    }
    signal.removeEventListener('abort', stop)
    this.#probes.stop()
  }

  #interrupt(why: string): void {
    if (!this.#ending) this.#work.abort(new Error(why))
  }

  /** True when the pod's life is over. */
  async #step(signal: AbortSignal): Promise<boolean> {
    if (this.#stopped) return this.#afterEnd(signal)
    const deleting = this.#pod.metadata.deletionTimestamp !== undefined
    if (this.#gone || deleting || this.#verdict !== undefined || isTerminal(this.#pod)) return this.#end(signal)
    this.#decideResize()
    await this.#look(signal)
    if (this.#overdue()) {
      this.#verdict = { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' }
      return this.#end(signal)
    }
    await this.#report()
    const phase = phaseOf(this.#pod, this.#records)
    if (phase === 'Succeeded' || phase === 'Failed') return this.#end(signal)
    this.#wakeAt(this.#deadlineMs())
    if (await this.#mounted()) await this.#carryOut(signal)
    return false
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { runtime } = this.#deps
    this.#runtime = await runtimePod(runtime, this.#pod.metadata.uid ?? '', signal)
    this.#records = observeContainers({
      pod: this.#pod,
      runtime: this.#runtime,
      before: this.#records,
      failures: this.#memory.failures,
      probes: this.#probes,
      amounts: this.#resize,
    })
    if (this.#runtime.containers.length > 0) this.#takeAddress()
  }

  /** The pod's address is told from its first container on. */
  #takeAddress(): void {
    const sandbox = this.#runtime.sandboxes[0]
    if (sandbox?.state === 'ready' && !this.#pod.spec.hostNetwork) this.#podIps = sandbox.ips
  }

  /** Whether the pod's volumes are there. */
  async #mounted(): Promise<boolean> {
    if (this.#runtime.sandboxes[0]?.state === 'ready') return true
    const { references, events, clock } = this.#deps
    const fault = await missingVolume(this.#pod, references)
    if (fault === undefined) return true
    events.record({ regarding: referenceTo(this.#pod), type: 'Warning', reason: 'FailedMount', message: fault })
    this.#wakeAt(clock.now() + this.#mountRetryMs)
    this.#mountRetryMs = Math.min(this.#mountRetryMs * 2, MOUNT_RETRY.maxMs)
    return false
  }

  async #carryOut(signal: AbortSignal): Promise<void> {
    const plan = planPod({ pod: this.#pod, records: this.#records, sandboxes: this.#runtime.sandboxes, probes: this.#probes })
    if (plan.restartAll) return this.#restartAll(signal)
    // What is killed below starts again without a wait of its own.
    const ended = this.#runtime.containers.filter((c) => c.state === 'exited')
    if (plan.killPod && !(await this.#renew(plan, signal))) return
    const restarts = await this.#actuate(signal)
    const kills = [...plan.kill, ...restarts]
    await killContainers(this.#deps, kills, { pod: this.#pod, podIps: this.#podIps }, signal)
    if (kills.length > 0) await this.#look(signal)
    await this.#prune(signal)
    await this.#start({ ...plan, start: [...plan.start, ...restarts.map((k) => k.record)] }, ended, signal)
    if (this.#resize.actuations(this.#pod).length === 0 && this.#resize.finish(this.#pod)) {
      this.#tellResize('Normal', 'ResizeCompleted', `Pod resize completed: ${this.#resize.report(this.#pod)}`)
      this.#changed.raise()
    }
    this.#probes.follow(this.#records)
  }

  /** The spec asks for other amounts than the pod was given: it gets them, or waits until there is room. */
  #decideResize(): void {
    const pod = this.#pod
    if (!this.#resize.wanted(pod)) {
      if (this.#resize.state.kind === 'pending') this.#resize.state = { kind: 'none' }
      return
    }
    const noRoom = this.#deps.noRoom(pod, this.#resize.asAllocated(pod))
    if (!this.#resize.decide(pod, noRoom)) return
    if (noRoom === undefined) this.#tellResize('Normal', 'ResizeStarted', `Pod resize started: ${this.#resize.report(pod)}`)
    else {
      const said = `Pod resize ${noRoom.word ?? `OutOf${noRoom.resource}`}: ${this.#resize.report(pod, noRoom.message)}`
      this.#tellResize('Warning', `Resize${noRoom.kind}`, said)
    }
  }

  #tellResize(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#deps.events.record({ regarding: referenceTo(this.#pod), type, reason, message })
  }

  /** Tells the runtime of amounts that were given; the containers that have to be restarted for theirs. */
  async #actuate(signal: AbortSignal): Promise<readonly Kill[]> {
    const restarts: Kill[] = []
    for (const { name, resources, restart } of this.#resize.actuations(this.#pod)) {
      const record = this.#records.find((r) => r.container.name === name)
      if (record?.state.kind === 'running' && restart)
        restarts.push({ record, because: 'changed', message: `Container ${name} resize requires restart` })
      else if (record?.state.kind === 'running')
        await this.#deps.runtime.updateResources(record.state.id, containerResources({ resources }), signal)
      this.#resize.done(name, resources)
    }
    return restarts
  }

  /** Everything stops, and a new sandbox is made if one is wanted. False when there is nothing to go on with. */
  async #renew(plan: PodPlan, signal: AbortSignal): Promise<boolean> {
    const { runtime, events, clock } = this.#deps
    const pod = this.#pod
    if (plan.sandboxAttempt !== undefined && plan.sandboxAttempt > 0) {
      const message = 'Pod sandbox changed, it will be killed and re-created.'
      events.record({ regarding: referenceTo(pod), type: 'Normal', reason: 'SandboxChanged', message })
    }
    await stopAll(this.#deps, { pod, records: this.#records, graceMs: this.#graceMs(), podIp: this.#podIps[0] ?? '' }, signal)
    const [newest] = this.#runtime.sandboxes
    if (newest !== undefined) await runtime.stopSandbox(newest.id, signal)
    const attempt = plan.sandboxAttempt
    if (attempt === undefined) {
      this.#changed.raise()
      return false
    }
    if (!(await this.#networked(signal))) return false
    for (const r of this.#records) {
      if (r.role !== 'init' || r.current?.state !== 'exited') continue
      this.#memory.attempts.set(r.container.name, r.current.attempt + 1)
      await runtime.removeContainer(r.current.id, signal)
    }
    const made = await makeSandbox(this.#deps, pod, async () => runtime.runSandbox(resolveSandbox(pod, attempt), signal), signal)
    if (made === undefined) {
      this.#wakeAt(clock.now() + RETRY_MS)
      return false
    }
    await this.#look(signal)
    await this.#report()
    this.#takeAddress()
    return true
  }

  /** Whether a pod can have a network; one that lives on the host's needs none. */
  async #networked(signal: AbortSignal): Promise<boolean> {
    const { runtime, events, clock } = this.#deps
    if (this.#pod.spec.hostNetwork) return true
    const { networkReady, message = '' } = await runtime.status(signal)
    if (networkReady) return true
    events.record({
      regarding: referenceTo(this.#pod),
      type: 'Warning',
      reason: 'NetworkNotReady',
      message: `network is not ready: container runtime network not ready: ${message}`,
    })
    this.#wakeAt(clock.now() + NETWORK_RETRY_MS)
    return false
  }

  /** A pull goes on without the secrets that are missing, and is likely to fail: that is said. */
  async #missingPullSecrets(): Promise<void> {
    const names = (this.#pod.spec.imagePullSecrets ?? []).flatMap((s) => s.name ?? [])
    const missing: string[] = []
    for (const name of names)
      if ((await this.#deps.references.secret(this.#pod.metadata.namespace ?? '', name)) === undefined) missing.push(name)
    if (missing.length === 0) return
    const message = `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`
    this.#deps.events.record({ regarding: referenceTo(this.#pod), type: 'Warning', reason: 'FailedToRetrieveImagePullSecret', message })
  }

  async #start(plan: PodPlan, endedBefore: readonly ContainerStatus[], signal: AbortSignal): Promise<void> {
    const sandbox = this.#runtime.sandboxes[0]
    if (sandbox?.state !== 'ready') return
    const context = {
      pod: this.#resize.asAllocated(this.#pod),
      sandboxId: sandbox.id,
      podIps: this.#podIps,
      hostIp: this.#deps.hostIp,
      allocatable: this.#deps.allocatable(),
      graceMs: this.#graceMs(),
    }
    if (plan.start.length > 0) await this.#missingPullSecrets()
    for (const planned of plan.start) {
      const { name } = planned.container
      const found = this.#records.find((r) => r.container.name === name) ?? planned
      if (found.state.kind === 'running') continue
      const resources = this.#resize.allocated(name)
      const record = resources === undefined ? found : { ...found, container: { ...found.container, resources } }
      const ended = endedBefore.find((c) => c.name === name)
      const before = this.#memory.failures.get(name)
      this.#wakeAt(await startOne(this.#deps, this.#memory, { record, ended, context }, signal))
      const after = this.#memory.failures.get(name)
      // What went wrong is told at once; that it goes wrong in the same way again is not news.
      if (after !== undefined && after.message !== before?.message) this.#changed.raise()
    }
  }

  /** Of the dead attempts of a container, the newest stays for its log. */
  async #prune(signal: AbortSignal): Promise<void> {
    const seen = new Set<string>()
    for (const c of this.#runtime.containers) {
      if (c.state !== 'exited') continue
      if (seen.has(c.name)) await this.#deps.runtime.removeContainer(c.id, signal)
      seen.add(c.name)
    }
  }

  /** A container's rule wants all of them to begin anew: they are stopped and removed; the init containers run again. */
  async #restartAll(signal: AbortSignal): Promise<void> {
    const { runtime, events } = this.#deps
    const pod = this.#pod
    for (const r of this.#records) {
      if (r.state.kind !== 'running') continue
      containerNotes(events, pod, r.container, r.role)('Normal', 'Killing', 'killing')
      await runtime.stopContainer(r.state.id, 2000, signal)
    }
    for (const c of this.#runtime.containers) await runtime.removeContainer(c.id, signal)
    const message = 'The container is removed because RestartAllContainers in place'
    const reason = 'RestartingAllContainers'
    this.#records = this.#records.map((r): ContainerRecord => {
      const { current: _, ...rest } = r
      const last = { kind: 'terminated', id: '', exitCode: 137, reason, message, startedAtMs: undefined, finishedAtMs: undefined } as const
      this.#memory.attempts.set(r.container.name, r.restartCount + 1)
      return { ...rest, state: { kind: 'waiting', reason, message }, last, restartCount: r.restartCount + 1, started: false, ready: false }
    })
    await this.#report()
    this.#changed.raise()
  }

  /** Stops everything within the grace, then tells the end. */
  async #end(signal: AbortSignal): Promise<boolean> {
    const { runtime, events, clock } = this.#deps
    this.#ending = true
    // The end of a pod that somebody else has told (its phase is terminal already) stands as it was told.
    const told = isTerminal(this.#pod)
    await this.#look(signal)
    if (!told) await this.#report()
    this.#probes.ending(this.#records)
    const pod = this.#pod
    try {
      await stopAll(this.#deps, { pod, records: this.#records, graceMs: this.#graceMs(), podIp: this.#podIps[0] ?? '' }, signal)
      for (const s of this.#runtime.sandboxes) if (s.state === 'ready') await runtime.stopSandbox(s.id, signal)
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error
      this.#wakeAt(clock.now() + RETRY_MS)
      return false
    }
    this.#probes.stop()
    if (this.#verdict?.reason === 'DeadlineExceeded') events.record({ regarding: referenceTo(pod), type: 'Normal', ...this.#verdict })
    await this.#look(signal)
    this.#stopped = true
    if (!told) await this.#report()
    return this.#afterEnd(signal)
  }

  /** Nothing runs any more: when the API wants the object gone, it goes, and with it what the runtime still has. */
  async #afterEnd(signal: AbortSignal): Promise<boolean> {
    const deleting = this.#pod.metadata.deletionTimestamp !== undefined
    if (!this.#gone && !deleting) return false
    for (const s of this.#runtime.sandboxes) await this.#deps.runtime.removeSandbox(s.id, signal)
    this.#deps.ended()
    if (!this.#gone) await this.#delete()
    return true
  }

  /** Takes the object away. */
  async #delete(): Promise<void> {
    const { namespace = '', name = '', uid } = this.#pod.metadata
    try {
      const options = { gracePeriodSeconds: 0, ...(uid !== undefined && { preconditions: { uid } }) }
      await this.#deps.client.delete({ ...PODS, namespace, name }, options)
    } catch (error) {
      if (!isStatus(error, 'NotFound', 'Conflict')) throw error
    }
  }

  async #report(): Promise<void> {
    if (this.#gone) return
    const { clock, hostIp, log } = this.#deps
    const status = podStatus(
      {
        pod: this.#pod,
        records: this.#records,
        hostIp,
        podIp: this.#podIps[0],
        sandboxReady: this.#runtime.sandboxes[0]?.state === 'ready',
        resourceHealth: (container) => this.#deps.resourceHealth(this.#pod, container),
        startTimeMs: this.#startTimeMs,
        stopped: this.#stopped,
        amounts: this.#resize.podAmounts(this.#pod),
        resize: this.#resize.conditions(timestamp(clock.now())),
        ...(this.#verdict && { verdict: this.#verdict }),
      },
      clock.now(),
    )
    let outcome: Awaited<ReturnType<StatusWriter['write']>>
    try {
      outcome = await this.#writer.write(this.#pod, status)
    } catch (error) {
      // The pod's life goes on while nobody can be told of it.
      log.warn('the status of a pod could not be written, trying again', { pod: this.#pod.metadata.name, error })
      outcome = 'refused'
    }
    if (outcome === 'gone') this.#gone = true
    if (outcome === 'refused') this.#wakeAt(clock.now() + 1000)
    const { conditions: _, ...rest } = status
    const others = (this.#pod.status.conditions ?? []).filter((c) => !own(status).some((o) => o.type === c.type))
    this.#pod = { ...this.#pod, status: { ...this.#pod.status, ...rest, conditions: [...own(status), ...others] } }
  }

  /** The status of the API's object, with the agent's own view of what is its own. */
  #withOwn(pod: Pod): Pod['status'] {
    const { phase, conditions = [], qosClass, startTime } = this.#pod.status
    const mine = conditions.filter((c) => OWN_CONDITIONS.has(c.type))
    const others = (pod.status.conditions ?? []).filter((c) => !OWN_CONDITIONS.has(c.type))
    const kept = { ...(phase !== undefined && { phase }), ...(startTime !== undefined && { startTime }) }
    const told = this.#stopped || mine.length > 0
    return told ? { ...pod.status, ...kept, ...(qosClass !== undefined && { qosClass }), conditions: [...mine, ...others] } : pod.status
  }

  #tellProbe(kind: 'liveness' | 'readiness' | 'startup', outcome: Awaited<ReturnType<typeof runProbe>>, record: ContainerRecord): void {
    if (outcome.kind === 'success') return
    const note = containerNotes(this.#deps.events, this.#pod, record.container, record.role)
    const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} probe`
    if (outcome.kind === 'warning') note('Warning', 'ProbeWarning', `${name} warning: ${outcome.output}`)
    else if (outcome.kind === 'failure') note('Warning', 'Unhealthy', `${name} failed: ${outcome.output}`)
    else note('Warning', 'Unhealthy', `${name} errored and resulted in unknown state: ${outcome.output}`)
  }

  #graceMs(): number {
    const { deletionGracePeriodSeconds } = this.#pod.metadata
    return (deletionGracePeriodSeconds ?? (this.#gone ? 0 : (this.#pod.spec.terminationGracePeriodSeconds ?? 30))) * 1000
  }

  #deadlineMs(): number | undefined {
    const seconds = this.#pod.spec.activeDeadlineSeconds
    return seconds === undefined ? undefined : this.#startTimeMs + seconds * 1000
  }

  #overdue(): boolean {
    return this.#deps.clock.now() >= (this.#deadlineMs() ?? Number.POSITIVE_INFINITY)
  }

  #wakeAt(atMs: number | undefined): void {
    if (atMs !== undefined) this.#wakeAtMs = Math.min(atMs, this.#wakeAtMs ?? Number.POSITIVE_INFINITY)
  }
}

const own = (status: { readonly conditions?: unknown }) => (status.conditions ?? []) as NonNullable<Pod['status']['conditions']>

const OWN_CONDITIONS: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
])
