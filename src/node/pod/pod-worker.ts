import { SparseMap } from '../../base/collections/sparse-map.ts'
import { equalJson } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { SyncKind } from '../metrics/pod-metrics.ts'
import { type ProbeChange, ProbeSet } from '../probes/probe-set.ts'
import { runProbe } from '../probes/run-probe.ts'
import type { RuntimeEvent } from '../runtime/runtime.ts'
import { isStaticPod, isTerminal, type Pod, podRef } from '../types/pod.ts'
import type { PodTermination } from '../types/pod-termination.ts'
import { BackOff } from './plan/back-off.ts'
import type { PendingResize } from './plan/resize-order.ts'
import { PodState } from './pod-state.ts'
import { PodReporter } from './report/pod-reporter.ts'
import { phaseOf } from './report/pod-status.ts'
import { recordProbeEvent } from './report/record-probe-event.ts'
import { afterEnd, endPod } from './steps/end-pod.ts'
import { followPlan } from './steps/follow-plan.ts'
import { type PodDeps, type PodStep, RELIST_MS } from './steps/pod-step.ts'
import { prune } from './steps/prune.ts'
import { beginResize, decideResize } from './steps/resize-step.ts'
import { volumesReady } from './steps/volumes-ready.ts'

export interface PodWorkerDeps extends Omit<PodDeps, 'pulls'> {
  /**
   * Called when the worker's state can be restored from the pod's object and the runtime, and no action is pending. True: it may stop; a
   * new worker is started when something changes.
   */
  readonly mayGo: (uid: string) => boolean
  /** It replaces a worker that has stopped in this way. */
  readonly rested?: boolean
}

/** Retry delay of a step that threw. */
const FAULT_RETRY_MS = 1000

/**
 * Manages one pod through its life on this node. Level-triggered: each step reads the pod's containers from the runtime, writes the
 * resulting status, and does what is missing. So it continues wherever a previous agent stopped.
 */
export class PodWorker {
  readonly #deps: PodDeps
  readonly #state: PodState
  readonly #reporter: PodReporter
  readonly #step: PodStep
  /** Aborts the current step when the pod is left. As in the kubelet, a deletion waits for what has begun: an image pull, a hook. */
  #work: AbortController | undefined
  /** It was left: containers keep running without it. */
  #left = false
  /** The resource version that was seen last. */
  #seen: string | undefined
  /** When the pod was seen first, until it runs; undefined: it ran before. */
  #seenAtMs: number | undefined
  /** What the next step is, in the kubelet's words. */
  #sync: SyncKind
  /** When the last step ended; undefined while one is carried out or about to begin. */
  #syncedAtMs: number | undefined
  /** It was woken by an event that may only be the echo of its own status update. */
  #echo = false
  /** The mirror pod of this static pod that was seen last. */
  #mirrorUid: string | undefined
  readonly #mayGo: PodWorkerDeps['mayGo']

  constructor(pod: Pod, given: PodWorkerDeps) {
    const delayed = async () => {
      // As in the kubelet, what starts immediately is reported together with its start.
      if (this.#state.newSandbox !== undefined) await this.#reporter.report('sandbox')
    }
    const deps: PodDeps = { ...given, pulls: { backOff: new BackOff(), errors: new SparseMap(), delayed } }
    const state = new PodState(pod, deps)
    const reporter = new PodReporter(state, deps)
    const ready = state.records.flatMap((r) => (r.ready && r.state.kind === 'running' ? [r.state.id] : []))
    const probes = new ProbeSet(
      {
        clock: deps.clock,
        records: () => state.records,
        ask: async (kind, probe, { container, state: shown }, signal) => {
          const containerId = shown.kind === 'running' ? shown.id : ''
          const requestedAtMs = deps.clock.monotonic()
          const outcome = await runProbe(deps, probe, { container, containerId, podIp: state.podIp }, signal)
          const about = { kind, pod: podRef(state.pod), container: container.name }
          deps.probeCounts?.count(about, outcome, (deps.clock.monotonic() - requestedAtMs) / 1000)
          return outcome
        },
        notify: (kind, outcome, record) => recordProbeEvent({ events: deps.events, pod: state.pod, record }, kind, outcome),
        changed: (change) => this.#probed(change),
      },
      ready,
    )
    const look = (signal: AbortSignal) => state.look(deps.runtime, probes, signal)
    this.#seen = pod.metadata.resourceVersion
    this.#sync = given.rested === true ? 'sync' : 'create'
    if (state.life.kind === 'working' && !state.endedBefore && given.rested !== true) {
      this.#seenAtMs = deps.clock.monotonic()
      deps.metrics?.begun(pod.spec.containers.length)
    }
    this.#mayGo = given.mayGo
    this.#deps = deps
    this.#state = state
    this.#reporter = reporter
    this.#step = { deps, state, probes, look, report: (as) => reporter.report(as) }
  }

  /** Whether all containers have stopped for good. */
  get ended(): boolean {
    return this.#state.stopped
  }

  /** Handles a new version of the pod. */
  update(pod: Pod): void {
    const { generation, deletionTimestamp, deletionGracePeriodSeconds } = this.#state.pod.metadata
    const deleted = deletionTimestamp === undefined && pod.metadata.deletionTimestamp !== undefined
    const grace = pod.metadata.deletionGracePeriodSeconds !== deletionGracePeriodSeconds
    const before = this.#state.pod
    this.#seen = pod.metadata.resourceVersion
    const foreign = this.#reporter.observe(pod)
    if (!describedAlike(pod, before)) this.#deps.runtime.podChanged?.(podRef(pod).uid)
    // The echo of its own status update does not need another step.
    if (foreign || deleted || grace || pod.metadata.generation !== generation) {
      if (this.#sync === 'sync') this.#sync = 'update'
      this.#state.again()
    } else if (this.#rests) {
      this.#echo = true
      this.#state.again()
    }
  }

  /** The pod's object is deleted; `pod` is its last version. */
  remove(pod: Pod): void {
    this.#reporter.take(pod)
    this.#state.gone = true
    this.#state.again()
  }

  /** The mirror pod of this static pod has changed, or is deleted (undefined). As in the kubelet, the pod of a new one is synced. */
  mirrored(mirror: KubeObject | undefined): void {
    if (this.#deps.mirror?.observe(mirror)) this.#state.again()
    const uid = mirror?.metadata.uid
    if (uid !== undefined && uid !== this.#mirrorUid) this.#syncWhenListed()
    this.#mirrorUid = uid
  }

  /**
   * The runtime's state has changed. An end that was seen already is ignored, and so is the removal of an ended container (as in the
   * kubelet's PLEG).
   */
  look(event?: RuntimeEvent): void {
    const seen = (id: string | undefined) => this.#state.runtime.containers.some((c) => c.id === id && c.state === 'exited')
    if (event?.kind === 'removed' || (event?.kind === 'died' && seen(event.containerId))) return
    this.#state.again()
  }

  /** The pod with the resources that are allocated to it. */
  asAllocated(pod: Pod): Pod {
    return this.#state.resize.asAllocated(pod)
  }

  /** The resize for which the node lacked resources, if there is one. */
  get pendingResize(): PendingResize | undefined {
    const { pod, resize } = this.#state
    return resize.state.kind === 'pending' ? { pod, given: resize.asAllocated(pod) } : undefined
  }

  /** Terminates the pod. Resolves when none of its containers runs any more. */
  end(termination: PodTermination): Promise<void> {
    this.#state.termination ??= termination
    this.#state.again()
    return this.#state.ended.promise
  }

  /** Whether it is being terminated, for any reason. */
  get ending(): boolean {
    const { termination, gone, deleting, stopped } = this.#state
    return termination !== undefined || gone || deleting || stopped
  }

  /** Whether it was left while its containers run. */
  get left(): boolean {
    return this.#left
  }

  /** Stops working on the pod: its containers keep running for the next agent. */
  leave(reason: unknown): void {
    this.#left = true
    this.#work?.abort(reason)
    this.#state.again()
  }

  /** Works until the pod is gone (false), the worker is left (false), or the pod needs no worker (true). Never rejects. */
  async run(): Promise<boolean> {
    const { clock, log, metrics } = this.#deps
    while (!this.#left) {
      this.#state.begin()
      this.#syncedAtMs = undefined
      const work = new AbortController()
      this.#work = work
      const begunMs = clock.monotonic()
      const kind = this.#sync
      this.#sync = 'sync'
      try {
        const over = await this.#next(work.signal)
        metrics?.synced(kind, (clock.monotonic() - begunMs) / 1000)
        if (over) break
      } catch (error) {
        if (this.#left) break
        log.warn('a pod could not be worked on, trying again', { pod: this.#state.pod.metadata.name, error })
        this.#state.wakeAt(clock.now() + FAULT_RETRY_MS)
      }
      this.#syncedAtMs = clock.now()
      // An AbortController takes half a kilobyte, and most pods stay idle.
      this.#work = undefined
      do {
        this.#echo = false
        if (!this.#left && this.#rests && this.#mayGo(this.#state.pod.metadata.uid ?? '')) return true
        if (!this.#left) await this.#state.rest(clock)
      } while (this.#echo)
    }
    this.#step.probes.stop()
    this.#reporter.leave()
    this.#state.ended.resolve()
    return false
  }

  /** A result of a probe is reported at once; what follows from it is done at the next sync. */
  #probed(change: ProbeChange): void {
    const { log } = this.#deps
    const { pod } = this.#state
    if (this.#state.takeProbe(change))
      this.#reporter.report().catch((error) => log.warn('a probe could not be reported', { pod: pod.metadata.name, error }))
    this.#syncWhenListed()
  }

  /** As in the kubelet, a pod is synced only if containers have been listed since its last sync. */
  #syncWhenListed(): void {
    const { clock } = this.#deps
    const nowMs = clock.now()
    const listed = Math.floor(nowMs / RELIST_MS) > Math.floor((this.#syncedAtMs ?? nowMs) / RELIST_MS)
    if (listed) {
      this.#syncedAtMs = undefined
      this.#state.again()
    } else clock.after(RELIST_MS - (nowMs % RELIST_MS), () => this.#state.again(), 'work')
  }

  /** Whether a new worker could restore its complete state. */
  get #rests(): boolean {
    const { pulls, mirror } = this.#deps
    if (mirror !== undefined || isStaticPod(this.#state.pod) || !pulls.backOff.isEmpty || !pulls.errors.isEmpty) return false
    return this.#step.probes.isIdle && this.#state.isPlain && this.#seen !== undefined && this.#reporter.reportedVersion === this.#seen
  }

  /** One step: read, report, act. True when the pod's life is over. */
  async #next(signal: AbortSignal): Promise<boolean> {
    const state = this.#state
    if (state.stopped) {
      // Its mirror pod may have to be created again.
      if (isStaticPod(state.pod)) await this.#step.report()
      if (!state.gone && !state.deleting) decideResize(this.#step)
      return afterEnd(this.#step, signal)
    }
    if (state.gone || state.deleting || state.termination !== undefined || isTerminal(state.pod)) return this.#end(signal)
    if (state.life.kind === 'found') {
      await this.#reportFound(signal)
      state.life = { kind: 'working' }
    }
    const resized = decideResize(this.#step)
    await this.#step.look(signal)
    if (resized) {
      beginResize(this.#step)
      await this.#step.look(signal)
    }
    if (state.applyDeadline(this.#deps.clock.now())) return this.#end(signal)
    // What a probe says from here on is for the next step.
    const { records } = state
    await this.#step.report()
    await prune(this.#step, signal)
    const phase = phaseOf(state.pod, records)
    if (phase === 'Running' && this.#seenAtMs !== undefined) this.#runs(this.#seenAtMs)
    if (phase === 'Succeeded' || phase === 'Failed') return this.#end(signal)
    state.wakeAt(state.deadlineMs)
    if (state.sandboxReady || (await volumesReady(this.#step))) await followPlan(this.#step, records, signal)
    return false
  }

  /** The pod runs for the first time. */
  #runs(seenAtMs: number): void {
    const { metrics, clock } = this.#deps
    this.#seenAtMs = undefined
    const createdAtMs = Date.parse(this.#state.pod.metadata.creationTimestamp ?? '')
    metrics?.running((clock.monotonic() - seenAtMs) / 1000, Math.max(0, clock.now() - createdAtMs) / 1000)
  }

  /** Reports the state that a previous agent left before a resize changes it. */
  async #reportFound(signal: AbortSignal): Promise<void> {
    if (!this.#state.resize.wanted(this.#state.pod)) return
    await this.#step.look(signal)
    await this.#step.report()
  }

  #end(signal: AbortSignal): Promise<boolean> {
    this.#state.life = { kind: 'ending' }
    return endPod(this.#step, signal)
  }
}

/** Whether two versions of a pod agree in spec, labels and annotations: only their statuses may differ. */
export const describedAlike = ({ metadata: a }: Pod, { metadata: b }: Pod) =>
  a.generation === b.generation && equalJson(a.labels, b.labels) && equalJson(a.annotations, b.annotations)
