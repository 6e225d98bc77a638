import type { Clock } from '../../base/clock.ts'
import { SparseMap } from '../../base/collections/sparse-map.ts'
import { Signal } from '../../base/signal.ts'
import type { ProbeSet } from '../probes/probe-set.ts'
import { type Runtime, type RuntimePod, runtimePod } from '../runtime/runtime.ts'
import type { ContainerRecord } from '../types/container-record.ts'
import { isTerminal, type Pod } from '../types/pod.ts'
import type { PodTermination } from '../types/pod-termination.ts'
import type { PodMemory } from './containers/carry-out.ts'
import { failedSilently, withLogMessages } from './containers/log-message.ts'
import { BackOff } from './plan/back-off.ts'
import { observeContainers, readyNext } from './plan/container-record.ts'
import { PodResize } from './plan/pod-resize.ts'
import { restoreRecords } from './plan/restore-records.ts'

/** How far a pod is in its life on this node. It only goes forward. */
export type PodLife =
  /** An agent before this one worked on it, and this one has changed nothing yet. */
  | { readonly kind: 'found' }
  | { readonly kind: 'working' }
  /** Its containers are being stopped. That is neither interrupted nor shortened, as in the kubelet. */
  | { readonly kind: 'ending' }
  /** Nothing of it runs any more. */
  | { readonly kind: 'stopped'; readonly unfinished?: Unfinished }

/** A pod was stopped before all of its containers had their turn. It is reported as Pending first, then (`made-failed`) as Failed. */
export type Unfinished = 'stopped' | 'made-failed'

const NOTHING: RuntimePod = { sandboxes: [], containers: [] }

/**
 * All that a worker knows of its pod from one step to the next: the object, what the runtime has of it, and what is remembered beside
 * them.
 */
export class PodState {
  /** The pod as the API has it, with the agent's own view of what is its own in the status. */
  pod: Pod
  /** What the last look at the runtime has shown. */
  records: readonly ContainerRecord[]
  runtime: RuntimePod = NOTHING
  podIps: readonly string[]
  /** A sandbox was made and not reported yet: the pod's addresses before it. */
  newSandbox: { readonly podIpsBefore: readonly string[] } | undefined
  termination: PodTermination | undefined
  life: PodLife
  /** An agent before this one has reported on its containers. */
  readonly found: boolean
  /** It had ended before this agent saw it. */
  readonly endedBefore: boolean
  /** Resolves when nothing runs any more, for good, or when nobody works on the pod any more. */
  readonly ended = Promise.withResolvers<void>()
  /** The object has gone. */
  gone = false
  /** The wait before volumes that could not be set up are tried again; undefined: none failed yet. */
  mountRetryMs: number | undefined
  readonly memory: PodMemory = { failures: new SparseMap(), restarts: new BackOff(), attempts: new SparseMap() }
  readonly resize: PodResize
  readonly startTimeMs: number
  /** The ends of logs that stand for messages, by container. */
  readonly #logs = new SparseMap<string>()
  readonly #changed = new Signal()
  #wakeAtMs: number | undefined

  /** `rested`: what its status says is what this agent has told of it. */
  constructor(pod: Pod, { hostIp, clock, rested = false }: { readonly hostIp: string; readonly clock: Clock; readonly rested?: boolean }) {
    this.pod = pod
    this.endedBefore = isTerminal(pod)
    this.resize = new PodResize(pod)
    this.startTimeMs = pod.status.startTime === undefined ? clock.now() : Date.parse(pod.status.startTime)
    this.records = restoreRecords(pod)
    this.found = this.records.length > 0 && !rested
    this.life = { kind: this.found ? 'found' : 'working' }
    const told = rested ? (pod.status.podIPs ?? []).map(({ ip }) => ip) : []
    this.podIps = pod.spec.hostNetwork ? [hostIp] : told
  }

  /** Asks the runtime what it has of the pod. */
  async look(runtime: Runtime, probes: ProbeSet, signal: AbortSignal): Promise<void> {
    const uid = this.pod.metadata.uid ?? ''
    const seen = runtimePod(runtime, uid, signal)
    const { sandboxes, containers } = seen instanceof Promise ? await seen : seen
    const told = containers.some(failedSilently)
      ? await withLogMessages({ runtime, pod: this.pod, read: this.#logs }, containers, signal)
      : containers
    this.runtime = { sandboxes, containers: told }
    this.records = observeContainers({
      pod: this.pod,
      runtime: this.runtime,
      before: this.records,
      failures: this.memory.failures,
      probes,
      amounts: this.resize,
    })
    if (this.records.some((r) => readyNext(r, probes))) this.again()
    // The pod's address is told from its first container on.
    if (this.runtime.containers.length > 0 || this.found) this.takeAddress()
  }

  takeAddress(): void {
    const sandbox = this.runtime.sandboxes[0]
    if (sandbox?.state === 'ready' && !this.pod.spec.hostNetwork) this.podIps = sandbox.ips
  }

  /** A new sandbox: its address is told with its first container. */
  sandboxMade(): void {
    this.newSandbox = { podIpsBefore: this.podIps }
    this.takeAddress()
  }

  /** Nothing runs any more, for good. */
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

  /** How long its containers have to end by themselves. */
  get graceMs(): number {
    const { deletionGracePeriodSeconds } = this.pod.metadata
    const own = deletionGracePeriodSeconds ?? (this.gone ? 0 : (this.pod.spec.terminationGracePeriodSeconds ?? 30))
    return Math.min(own, this.termination?.graceSeconds ?? own) * 1000
  }

  get deadlineMs(): number | undefined {
    const seconds = this.pod.spec.activeDeadlineSeconds
    return seconds === undefined ? undefined : this.startTimeMs + seconds * 1000
  }

  /**
   * Whether all that is known here can be had again from the pod's object and the runtime: its containers run as they should, and nothing
   * is planned for it.
   */
  get isPlain(): boolean {
    const { life, termination, gone, endedBefore, mountRetryMs, newSandbox, deleting, sandboxReady, memory } = this
    const ends = life.kind !== 'working' || endedBefore || termination !== undefined || gone || deleting
    const waits =
      this.#changed.raised || this.#wakeAtMs !== undefined || mountRetryMs !== undefined || newSandbox !== undefined || !sandboxReady
    if (ends || waits || !this.#logs.isEmpty || !memory.failures.isEmpty || !memory.restarts.isEmpty || !memory.attempts.isEmpty)
      return false
    return this.resize.isTold(this.pod) && this.records.length > 0 && this.records.every(isAsItShould)
  }

  /** Something is new: the next step follows this one without a wait. */
  again(): void {
    this.#changed.raise()
  }

  /** The next step is no later than this. */
  wakeAt(atMs: number | undefined): void {
    if (atMs !== undefined) this.#wakeAtMs = Math.min(atMs, this.#wakeAtMs ?? Number.POSITIVE_INFINITY)
  }

  /** A step begins: it says anew when the next one is. */
  begin(): void {
    this.#wakeAtMs = undefined
  }

  /** Until the next step. */
  rest(clock: Clock): Promise<unknown> {
    return this.#changed.wait({ clock, untilMs: this.#wakeAtMs })
  }
}

/** It runs for the first time, and is ready; or it was to end, and has. */
const isAsItShould = ({ role, state, ready, last, restartCount, current }: ContainerRecord): boolean =>
  last === undefined &&
  restartCount === 0 &&
  current !== undefined &&
  (((role === 'main' || role === 'sidecar') && state.kind === 'running' && ready) ||
    (role === 'init' && state.kind === 'terminated' && state.exitCode === 0))
