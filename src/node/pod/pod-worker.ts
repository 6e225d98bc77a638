import { SparseMap } from '../../base/collections/sparse-map.ts'
import { equalJson } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { ProbeSet } from '../probes/probe-set.ts'
import { runProbe } from '../probes/run-probe.ts'
import type { RuntimeEvent } from '../runtime/runtime.ts'
import { isStaticPod, isTerminal, type Pod, podRef } from '../types/pod.ts'
import type { PodTermination } from '../types/pod-termination.ts'
import { BackOff } from './plan/back-off.ts'
import { readyNext } from './plan/container-record.ts'
import { PodState } from './pod-state.ts'
import { PodReporter } from './report/pod-reporter.ts'
import { phaseOf } from './report/pod-status.ts'
import { tellProbe } from './report/tell-probe.ts'
import { afterEnd, endPod } from './steps/end-pod.ts'
import { followPlan } from './steps/follow-plan.ts'
import type { PodDeps, PodStep } from './steps/pod-step.ts'
import { beginResize, decideResize } from './steps/resize-step.ts'
import { volumesReady } from './steps/volumes-ready.ts'

export interface PodWorkerDeps extends Omit<PodDeps, 'pulls'> {
  /**
   * All that a worker knows can be had again from the pod's object and the runtime, and nothing is to be done: true when it may go.
   * Another one takes its place when something changes.
   */
  readonly mayGo: (uid: string) => boolean
  /** It takes the place of one that has gone so. */
  readonly rested?: boolean
}

/** How long until a step that threw is tried again. */
const FAULT_RETRY_MS = 1000

const OVERDUE: PodTermination = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
  final: true,
}

/**
 * Leads one pod through its life on this node. Level-triggered: at each step it looks at what the runtime has of the pod, tells the
 * status that follows, and does what is missing. So it takes up a pod wherever an agent before it left it.
 */
export class PodWorker {
  readonly #deps: PodDeps
  readonly #state: PodState
  readonly #reporter: PodReporter
  readonly #step: PodStep
  /** Ends what a step is waiting for: an image, a hook. */
  #work: AbortController | undefined
  /** It stopped working on the pod; what runs goes on. */
  #left = false
  /** The version of the pod that was seen last. */
  #seen: string | undefined
  /** It was woken by what may be no more than the echo of its own status update. */
  #echo = false
  readonly #mayGo: PodWorkerDeps['mayGo']

  constructor(pod: Pod, given: PodWorkerDeps) {
    const delayed = async () => {
      // What starts at once is told with its start, as the kubelet joins what follows each other in a moment.
      if (this.#state.newSandbox !== undefined) await this.#reporter.report('sandbox')
    }
    const deps: PodDeps = { ...given, pulls: { backOff: new BackOff(), errors: new SparseMap(), delayed } }
    const state = new PodState(pod, deps)
    const reporter = new PodReporter(state, deps)
    const ready = state.records.flatMap((r) => (r.ready && r.state.kind === 'running' ? [r.state.id] : []))
    const probes = new ProbeSet(
      {
        clock: deps.clock,
        ask: async (kind, probe, { container, state: shown }, signal) => {
          const containerId = shown.kind === 'running' ? shown.id : ''
          const askedMs = deps.clock.monotonic()
          const outcome = await runProbe(deps, probe, { container, containerId, podIp: state.podIp }, signal)
          const about = { kind, pod: podRef(state.pod), container: container.name }
          deps.probeCounts?.count(about, outcome, (deps.clock.monotonic() - askedMs) / 1000)
          return outcome
        },
        tell: (kind, outcome, record) => tellProbe({ events: deps.events, pod: state.pod, record }, kind, outcome),
        changed: () => state.again(),
      },
      ready,
    )
    const look = (signal: AbortSignal) => state.look(deps.runtime, probes, signal)
    this.#seen = pod.metadata.resourceVersion
    this.#mayGo = given.mayGo
    this.#deps = deps
    this.#state = state
    this.#reporter = reporter
    this.#step = { deps, state, probes, look, report: (as) => reporter.report(as) }
  }

  /** Whether everything of the pod has stopped for good. */
  get ended(): boolean {
    return this.#state.stopped
  }

  /** The pod as the API has it now. */
  update(pod: Pod): void {
    const { generation, deletionTimestamp, deletionGracePeriodSeconds } = this.#state.pod.metadata
    const deleted = deletionTimestamp === undefined && pod.metadata.deletionTimestamp !== undefined
    const grace = pod.metadata.deletionGracePeriodSeconds !== deletionGracePeriodSeconds
    const before = this.#state.pod
    this.#seen = pod.metadata.resourceVersion
    const foreign = this.#reporter.observe(pod)
    if (!describedAlike(pod, before)) this.#deps.runtime.podChanged?.(podRef(pod).uid)
    // What is under way has the grace period to come to its end.
    if (deleted) this.#deps.clock.after(this.#state.graceMs, () => this.#interrupt('the pod is being deleted'))
    // The echo of its own status update is no reason to look again.
    if (foreign || deleted || grace || pod.metadata.generation !== generation) this.#state.again()
    else if (this.#rests) {
      this.#echo = true
      this.#state.again()
    }
  }

  /** The pod's object has gone; this is how it was last seen. */
  remove(pod: Pod): void {
    this.#reporter.take(pod)
    this.#state.gone = true
    this.#interrupt('the pod has gone')
    this.#state.again()
  }

  /** The mirror of this static pod has changed, or gone (undefined). */
  mirrored(mirror: KubeObject | undefined): void {
    if (this.#deps.mirror?.observe(mirror)) this.#state.again()
  }

  /**
   * Something has changed in the runtime. An end that the last look has shown is no news, nor that what had ended was cleared away (the
   * kubelet's PLEG passes that over too).
   */
  look(event?: RuntimeEvent): void {
    const seen = (id: string | undefined) => this.#state.runtime.containers.some((c) => c.id === id && c.state === 'exited')
    if (event?.kind === 'removed' || (event?.kind === 'died' && seen(event.containerId))) return
    this.#state.again()
  }

  /** The node may have room for what this pod could not get. */
  roomAgain(): void {
    if (this.#state.resize.state.kind === 'pending') this.#state.again()
  }

  /** Ends the pod before its time. Resolves when nothing of it runs any more. */
  end(termination: PodTermination): Promise<void> {
    this.#state.termination ??= termination
    this.#interrupt(termination.message)
    this.#state.again()
    return this.#state.ended.promise
  }

  /** Whether it is being terminated, for whatever reason. */
  get ending(): boolean {
    const { termination, gone, deleting, stopped } = this.#state
    return termination !== undefined || gone || deleting || stopped
  }

  /** Whether it was left, with all that runs. */
  get left(): boolean {
    return this.#left
  }

  /** Stops working on the pod: everything stays as it is for the next agent. */
  leave(reason: unknown): void {
    this.#left = true
    this.#work?.abort(reason)
    this.#state.again()
  }

  /** Works until the pod has gone (false), the worker is left (false), or the pod rests (true). Never rejects. */
  async run(): Promise<boolean> {
    const { clock, log } = this.#deps
    while (!this.#left) {
      this.#state.begin()
      const work = new AbortController()
      this.#work = work
      try {
        if (await this.#next(work.signal)) break
      } catch (error) {
        if (this.#left) break
        if (work.signal.aborted) continue
        log.warn('a pod could not be worked on, trying again', { pod: this.#state.pod.metadata.name, error })
        this.#state.wakeAt(clock.now() + FAULT_RETRY_MS)
      }
      // A signal weighs half a kilobyte, and most pods rest for ever.
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

  /** Whether it knows nothing that the next worker could not read again. */
  get #rests(): boolean {
    const { pulls, mirror } = this.#deps
    if (mirror !== undefined || isStaticPod(this.#state.pod) || !pulls.backOff.isEmpty || !pulls.errors.isEmpty) return false
    return this.#step.probes.isIdle && this.#state.isPlain && this.#seen !== undefined && this.#reporter.toldIn === this.#seen
  }

  #interrupt(why: string): void {
    const { kind } = this.#state.life
    if (kind !== 'ending' && kind !== 'stopped') this.#work?.abort(new Error(why))
  }

  /** One step: look, tell, do. True when the pod's life is over. */
  async #next(signal: AbortSignal): Promise<boolean> {
    const state = this.#state
    if (state.stopped) {
      // Its mirror may have to be made again.
      if (isStaticPod(state.pod)) await this.#step.report()
      if (!state.gone && !state.deleting) decideResize(this.#step)
      return afterEnd(this.#step, signal)
    }
    if (state.gone || state.deleting || state.termination !== undefined || isTerminal(state.pod)) return this.#end(signal)
    if (state.life.kind === 'found') {
      await this.#tellFound(signal)
      state.life = { kind: 'working' }
    }
    const resized = decideResize(this.#step)
    await this.#step.look(signal)
    if (resized) {
      beginResize(this.#step)
      await this.#step.look(signal)
    }
    if (this.#deps.clock.now() >= (state.deadlineMs ?? Number.POSITIVE_INFINITY)) {
      state.termination = OVERDUE
      return this.#end(signal)
    }
    await this.#step.report()
    if (state.records.some((r) => readyNext(r, this.#step.probes))) {
      // A sidecar is ready before those that waited for it start.
      await this.#step.look(signal)
      await this.#step.report()
    }
    const phase = phaseOf(state.pod, state.records)
    if (phase === 'Succeeded' || phase === 'Failed') return this.#end(signal)
    state.wakeAt(state.deadlineMs)
    if (state.sandboxReady || (await volumesReady(this.#step))) await followPlan(this.#step, signal)
    return false
  }

  /**
   * What an agent before this one left is told as it stands, before anything is changed. Nobody has been asked by then, and what runs
   * without having been asked counts as ready.
   */
  async #tellFound(signal: AbortSignal): Promise<void> {
    const { probes } = this.#step
    const { pod, records, resize } = this.#state
    if (!resize.wanted(pod) && !records.some((r) => r.state.kind === 'running' && !r.ready)) return
    probes.unasked = true
    try {
      await this.#step.look(signal)
      await this.#step.report()
    } finally {
      probes.unasked = false
    }
  }

  #end(signal: AbortSignal): Promise<boolean> {
    this.#state.life = { kind: 'ending' }
    return endPod(this.#step, signal)
  }
}

/** Whether two states of a pod are the same in what volumes tell of it, and what may change while it runs. */
const describedAlike = ({ metadata: a }: Pod, { metadata: b }: Pod) =>
  a.generation === b.generation && equalJson(a.labels, b.labels) && equalJson(a.annotations, b.annotations)
