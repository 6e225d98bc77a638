import type { Clock } from '../../base/clock.ts'
import { SparseMap } from '../../base/collections/sparse-map.ts'
import { Signal } from '../../base/signal.ts'
import { millisecondsOf } from '../../machinery/go/go-duration.ts'
import type { ProbeView } from '../probes/probe-results.ts'
import type { ProbeChange } from '../probes/probe-set.ts'
import { type Runtime, type RuntimePod, runtimePod } from '../runtime/runtime.ts'
import type { ContainerRecord } from '../types/container-record.ts'
import { isTerminal, type Pod } from '../types/pod.ts'
import { DEADLINE_EXCEEDED, type PodTermination } from '../types/pod-termination.ts'
import type { PodMemory } from './containers/carry-out.ts'
import { failedSilently, withLogMessages } from './containers/log-message.ts'
import { BackOff } from './plan/back-off.ts'
import { observeContainers } from './plan/container-record.ts'
import { PodResize } from './plan/pod-resize.ts'
import { restoreRecords } from './plan/restore-records.ts'

/** The phase of a pod's life on this node. It only advances. */
export type PodLife =
  /** A previous agent worked on it, and this agent has not changed anything yet. */
  | { readonly kind: 'found' }
  | { readonly kind: 'working' }
  /** Its containers are being stopped. As in the kubelet, that is neither interrupted nor shortened. */
  | { readonly kind: 'ending' }
  /** None of its containers runs any more. */
  | { readonly kind: 'stopped'; readonly unfinished?: Unfinished }

/** A pod that was stopped before all of its containers could run. It is reported as Pending first, then (`made-failed`) as Failed. */
export type Unfinished = 'stopped' | 'made-failed'

export interface PodStateInput {
  readonly hostIps: readonly string[]
  readonly clock: Clock
  /** The status is what this agent has reported. */
  readonly rested?: boolean
}

const NOTHING: RuntimePod = { sandboxes: [], containers: [] }

/** The state of a pod between the steps of its worker: its object, its containers in the runtime, and what neither of them has. */
export class PodState {
  /** The pod as the API has it, with the agent's own version of the status fields that it owns. */
  pod: Pod
  /** The containers at the last look at the runtime. */
  records: readonly ContainerRecord[]
  runtime: RuntimePod = NOTHING
  podIps: readonly string[]
  /** The pod's addresses before the new sandbox, while that is not reported yet. */
  newSandbox: { readonly podIpsBefore: readonly string[]; readonly recordsBefore: readonly ContainerRecord[] } | undefined
  termination: PodTermination | undefined
  life: PodLife
  /** A previous agent has reported on its containers. */
  readonly found: boolean
  /** It had ended before this agent saw it. */
  readonly endedBefore: boolean
  /** Resolves when no container runs any more, or when the worker is left. */
  readonly ended = Promise.withResolvers<void>()
  /** The object is deleted. */
  gone = false
  /** The generation that reports show as observed; undefined: that of the pod. */
  reportedGeneration: number | undefined
  /** Containers ran until the pod was ended. */
  ranToEnd = false
  /** The delay before volumes that could not be set up are retried; undefined: none failed yet. */
  mountRetryMs: number | undefined
  /** The end of the wait for volumes that could not be set up; undefined: the pod does not wait. */
  mountWaitUntilMs: number | undefined
  readonly memory: PodMemory = { failures: new SparseMap(), restarts: new BackOff(), attempts: new SparseMap() }
  readonly resize: PodResize
  readonly startTimeMs: number
  /** The ends of logs that serve as termination messages, by container. */
  readonly #logs = new SparseMap<string>()
  readonly #changed = new Signal()
  #wakeAtMs: number | undefined

  /** `rested`: its status was written by this agent. */
  constructor(pod: Pod, { hostIps, clock, rested = false }: PodStateInput) {
    this.pod = pod
    this.endedBefore = isTerminal(pod)
    this.resize = new PodResize(pod)
    this.startTimeMs = pod.status.startTime === undefined ? clock.now() : Date.parse(pod.status.startTime)
    this.records = restoreRecords(pod)
    this.found = this.records.length > 0 && !rested
    this.life = { kind: this.found ? 'found' : 'working' }
    const reported = rested ? (pod.status.podIPs ?? []).map(({ ip }) => ip) : []
    this.podIps = pod.spec.hostNetwork ? hostIps : reported
  }

  /** Reads the pod's containers from the runtime. */
  async look(runtime: Runtime, probes: ProbeView, signal: AbortSignal): Promise<void> {
    const uid = this.pod.metadata.uid ?? ''
    const seen = runtimePod(runtime, uid, signal)
    const { sandboxes, containers } = seen instanceof Promise ? await seen : seen
    const reported = containers.some(failedSilently)
      ? await withLogMessages({ runtime, pod: this.pod, read: this.#logs }, containers, signal)
      : containers
    this.runtime = { sandboxes, containers: reported }
    this.records = observeContainers({
      pod: this.pod,
      runtime: this.runtime,
      before: this.records,
      failures: this.memory.failures,
      probes,
      amounts: this.resize,
    })
    // The pod's address is reported as soon as it has a container.
    if (this.runtime.containers.length > 0 || this.found) this.takeAddress()
  }

  /** The result of a probe changes the status of its container before the next look. Returns whether it does. */
  takeProbe({ kind, id, result }: ProbeChange): boolean {
    const success = result === 'success'
    const changed = this.records.map((r): ContainerRecord => {
      if (r.state.kind !== 'running' || r.state.id !== id) return r
      if (kind === 'readiness' && r.ready !== success) return { ...r, ready: success }
      if (kind === 'startup' && r.started !== success) return { ...r, started: success, ...(success && { justStarted: true }) }
      return r
    })
    const differs = changed.some((r, i) => r !== this.records[i])
    if (differs) this.records = changed
    return differs
  }

  takeAddress(): void {
    const sandbox = this.runtime.sandboxes[0]
    if (sandbox?.state === 'ready' && !this.pod.spec.hostNetwork) this.podIps = sandbox.ips
  }

  /** A new sandbox was created: its address, and what came of containers before it, is reported with its first container. */
  sandboxMade(before: NonNullable<PodState['newSandbox']>): void {
    this.newSandbox = before
    this.takeAddress()
  }

  /** No container runs any more, for good. */
  get stopped(): boolean {
    return this.life.kind === 'stopped'
  }

  get podIp(): string {
    return this.podIps[0] ?? ''
  }

  get sandboxReady(): boolean {
    return this.runtime.sandboxes[0]?.state === 'ready'
  }

  get deleting(): boolean {
    return this.pod.metadata.deletionTimestamp !== undefined
  }

  /** The grace period of its containers, in milliseconds. */
  get graceMs(): number {
    const { deletionGracePeriodSeconds } = this.pod.metadata
    const own = millisecondsOf(deletionGracePeriodSeconds ?? (this.gone ? 0 : (this.pod.spec.terminationGracePeriodSeconds ?? 30)))
    const { graceSeconds } = this.termination ?? {}
    return graceSeconds === undefined ? own : Math.min(own, millisecondsOf(graceSeconds))
  }

  /** When the pod's deadline ends it. As in the kubelet, a wait for volumes goes on until then. */
  get deadlineMs(): number | undefined {
    const seconds = this.pod.spec.activeDeadlineSeconds
    if (seconds === undefined) return undefined
    return Math.max(this.startTimeMs + millisecondsOf(seconds), this.mountWaitUntilMs ?? 0)
  }

  /** Ends the pod for its deadline, if that has passed, and if nothing else ends it. Returns whether it has passed. */
  applyDeadline(nowMs: number): boolean {
    if (nowMs < (this.deadlineMs ?? Number.POSITIVE_INFINITY)) return false
    this.termination ??= DEADLINE_EXCEEDED
    return true
  }

  /**
   * Whether this state can be restored completely from the pod's object and the runtime: its containers run as they should, and no action
   * is pending.
   */
  get isPlain(): boolean {
    const { life, termination, gone, endedBefore, mountRetryMs, newSandbox, deleting, sandboxReady, memory } = this
    const ends = life.kind !== 'working' || endedBefore || termination !== undefined || gone || deleting
    const waits =
      this.#changed.raised || this.#wakeAtMs !== undefined || mountRetryMs !== undefined || newSandbox !== undefined || !sandboxReady
    if (ends || waits || !this.#logs.isEmpty || !memory.failures.isEmpty || !memory.restarts.isEmpty || !memory.attempts.isEmpty)
      return false
    return this.resize.isReported(this.pod) && this.records.length > 0 && this.records.every(isAsItShould)
  }

  /** Requests another step right after this one. */
  again(): void {
    this.#changed.raise()
  }

  /** Schedules the next step at this time at the latest. */
  wakeAt(atMs: number | undefined): void {
    if (atMs !== undefined) this.#wakeAtMs = Math.min(atMs, this.#wakeAtMs ?? Number.POSITIVE_INFINITY)
  }

  /** A step starts, which reads everything anew: requests and the schedule are reset. */
  begin(): void {
    this.#changed.lower()
    this.#wakeAtMs = undefined
  }

  /** Waits until the next step. */
  rest(clock: Clock): Promise<unknown> {
    return this.#changed.wait({ clock, untilMs: this.#wakeAtMs, kind: 'work' })
  }
}

/** It runs its first attempt and is ready, or is an init container that has succeeded. */
const isAsItShould = ({ role, state, ready, last, restartCount, current }: ContainerRecord): boolean =>
  last === undefined &&
  restartCount === 0 &&
  current !== undefined &&
  (((role === 'main' || role === 'sidecar') && state.kind === 'running' && ready) ||
    (role === 'init' && state.kind === 'terminated' && state.exitCode === 0))
