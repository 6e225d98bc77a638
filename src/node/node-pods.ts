import type { Cancel } from '../base/clock.ts'
import { onAbort } from '../base/on-abort.ts'
import { pause } from '../base/pause.ts'
import { Signal } from '../base/signal.ts'
import { millisecondsOf } from '../machinery/go/go-duration.ts'
import type { KubeObject } from '../machinery/object.ts'
import { referenceTo } from '../sdk/controller/event-recorder.ts'
import { type AdmissionLoopDeps, runAdmission } from './admission/admission-loop.ts'
import { AdmissionQueue } from './admission/admission-queue.ts'
import { type AdmitHandlers, admitHandlers } from './admission/admit-handlers.ts'
import { fitHandler } from './admission/fits-node.ts'
import { freesResources, heldBy, type PodEvent, PodTable } from './admission/pod-table.ts'
import { rejected, reportRefusal } from './admission/report-refusal.ts'
import type { NodePodsDeps } from './agent-deps.ts'
import { appArmorHandler } from './host/app-armor.ts'
import type { NodeHost } from './host/node-host.ts'
import { createSimulatedHost } from './host/simulated-host.ts'
import { sysctlHandler } from './host/sysctls.ts'
import { createAdmissionMetrics } from './metrics/admission-metrics.ts'
import { countedRuntime } from './metrics/counted-runtime.ts'
import { PodMetrics } from './metrics/pod-metrics.ts'
import { describedAlike, PodWorker, type PodWorkerDeps } from './pod/pod-worker.ts'
import { PodWorkers } from './pod/pod-workers.ts'
import { lacksFinalStatus } from './pod/report/pod-status.ts'
import { createReferences, type References } from './pod/spec/references.ts'
import { podWorkerDeps } from './pod-worker-deps.ts'
import type { PodRef } from './runtime/container-spec.ts'
import { followRuntime } from './runtime/follow-runtime.ts'
import { hasRunning, type RuntimeEvent, type RuntimePod, runtimePod } from './runtime/runtime.ts'
import { isMirrorPod } from './static-pods/mirror-pods.ts'
import { StaticPodManager } from './static-pods/static-pod-manager.ts'
import type { Refusal } from './types/admit-handler.ts'
import { isStaticPod, isTerminal, type Pod } from './types/pod.ts'
import { DEADLINE_EXCEEDED, type PodTermination } from './types/pod-termination.ts'

/** The period of the kubelet's housekeeping. */
const HOUSEKEEPING_MS = 2000

const PREEMPTED = { reason: 'Preempting', message: 'Preempted in order to admit critical pod' }

/** The pods of one node: admits them one after the other, gives each a worker while it has work, and restores those of a previous agent. */
export class NodePods {
  /** Counts rejected pods. */
  readonly rejections: ReturnType<typeof createAdmissionMetrics> = createAdmissionMetrics()
  /** Counts what is done for admitted pods. */
  readonly metrics = new PodMetrics()
  readonly #deps: NodePodsDeps
  readonly #handlers: AdmitHandlers
  readonly #host: NodeHost
  readonly #references: References
  readonly #workers = new PodWorkers((uid, notify) => {
    const pod = this.#pods.admitted(uid)
    if (pod !== undefined) this.#start(pod, { notify, rested: true })
  })
  readonly #pods = new PodTable()
  readonly #queue: AdmissionQueue
  readonly #statics: StaticPodManager
  /** Shared by the workers of all pods. */
  #podDeps: PodWorkerDeps | undefined
  #signal: AbortSignal | undefined
  #recovered: ReadonlyMap<string, RuntimePod> = new Map()
  /** Timers of refused pods' deadlines, by uid. */
  readonly #deadlines = new Map<string, Cancel>()

  constructor(given: NodePodsDeps) {
    const deps = { ...given, runtime: countedRuntime(given.runtime, this.metrics, given.clock) }
    this.#deps = deps
    const { client, clock, log, runtime } = deps
    this.#host = deps.host ?? createSimulatedHost()
    // As in the kubelet, handlers that allocate run before the resource check: refusals have its messages then.
    const handlers = [sysctlHandler(this.#host.allowedUnsafeSysctls), ...(deps.admission ?? []), fitHandler, appArmorHandler(this.#host)]
    this.#handlers = admitHandlers(handlers)
    this.#queue = new AdmissionQueue({ handlers, runtime, arrivals: () => this.#pods.arrivals(), recovered: () => this.#recovered })
    this.#references = createReferences(client, clock)
    this.#statics = new StaticPodManager({
      client,
      clock,
      log,
      node: deps.node,
      arrive: (pod) => this.#update(pod),
      end: (pod) => this.#endStatic(pod),
      mirrored: (uid, mirror) => this.#mirrored(uid, mirror),
      clear: (uid) => void (this.#signal && this.#clearStray(uid, this.#signal)),
    })
  }

  /** The pods that this node has admitted, that have not ended, and whose objects exist. */
  counted(): readonly Pod[] {
    return this.#pods.counted()
  }

  /** Whether the pod is being terminated, for any reason. */
  ending({ metadata: { uid = '' } }: Pod): boolean {
    return this.#workers.working(uid)?.ending ?? !this.#workers.rests(uid)
  }

  /** Terminates a pod. Resolves when none of its containers runs any more. */
  async end({ metadata: { uid = '' } }: Pod, termination: PodTermination): Promise<void> {
    await this.#workers.of(uid)?.end(termination)
  }

  /** The number of pods that have work at the moment. */
  get working(): number {
    return this.#workers.count
  }

  /** Takes over what the runtime has. Call it before `update` and `run`. */
  begin(recovered: ReadonlyMap<string, RuntimePod>, signal: AbortSignal): void {
    this.#recovered = recovered
    this.#signal = signal
    onAbort(signal, () => {
      this.#workers.leave(signal.reason)
      for (const uid of this.#deadlines.keys()) this.#forgetDeadline(uid)
    })
  }

  /** The Node has changed: more pods may fit. */
  nodeChanged(): void {
    this.#workers.resourcesFreed()
    this.#queue.lookAgain()
  }

  /** Handles a new version of a pod that is bound to the node, or of a mirror pod. */
  update(pod: Pod): void {
    if (isMirrorPod(pod)) this.#statics.observe(pod)
    else this.#update(pod)
  }

  /** Handles a deleted pod or mirror pod. */
  gone(pod: Pod): void {
    if (isMirrorPod(pod)) this.#statics.gone(pod)
    else this.#podGone(pod)
  }

  /** Calls the workers of pods whose device health has changed. */
  watchHealth(signal: AbortSignal): void {
    this.#handlers.watchPods((uid) => this.#workers.of(uid)?.look(), signal)
  }

  /** Admits pods, and follows static pods and the runtime, until the signal is aborted. */
  run(signal: AbortSignal): readonly Promise<void>[] {
    const { runtime, clock, log, nodeName } = this.#deps
    const follower = {
      event: (event: RuntimeEvent) => {
        const worker = this.#workers.of(event.podUid)
        worker?.look(event)
        if (worker === undefined && event.kind === 'sandbox') void this.#clearStray(event.podUid, signal)
      },
      missed: () => this.#workers.lookAtAll(),
    }
    return [
      runAdmission(this.#admission, signal),
      this.#staticPods(signal),
      followRuntime({ runtime, clock, log, nodeName }, follower, signal),
    ]
  }

  /** Resolves when all current workers have ended. */
  done(): Promise<void> {
    return this.#workers.done()
  }

  /**
   * Cleans up the containers and sandboxes of pods whose objects were deleted while no agent ran. As in the kubelet that is done at its
   * first housekeeping: what replaces them does not wait.
   */
  async clearOrphans(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const begunMs = clock.now()
    await this.#podsKnown(signal)
    if (signal.aborted) return
    const known = new Set(this.#pods.holders())
    for (const uid of this.#recovered.keys()) if (this.#runs(uid)) known.add(uid)
    this.#handlers.retain(known)
    await pause(clock, Math.max(0, begunMs + HOUSEKEEPING_MS - clock.now()), signal, 'work')
    if (signal.aborted) return
    for (const [uid, { sandboxes, containers }] of this.#recovered) {
      const { name, namespace } = (sandboxes[0] ?? containers[0])?.pod ?? { name: '', namespace: '' }
      this.#clear({ name, namespace, uid }, [...new Set(containers.map((c) => c.name))])
    }
  }

  /** Resolves when all pods of this node are known, or when the signal is aborted. */
  async #podsKnown(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#deps.feed.synced, new Signal().wait({ signal })])
    await this.#statics.complete(signal)
  }

  /**
   * Cleans up what the runtime has of a pod without a worker: its manifest is gone; or a previous agent was killed while the runtime made
   * its sandbox, and it was deleted before this agent began.
   */
  async #clearStray(podUid: string, signal: AbortSignal): Promise<void> {
    const { runtime, log } = this.#deps
    try {
      await this.#podsKnown(signal)
      if (signal.aborted) return
      const { sandboxes, containers } = await runtimePod(runtime, podUid, signal)
      const [found] = sandboxes
      if (found !== undefined) this.#clear(found.pod, [...new Set(containers.map((c) => c.name))])
    } catch (error) {
      if (!signal.aborted) log.warn('a sandbox of an unknown pod stays until its next event', { pod: podUid, error })
    }
  }

  /** Cleans up the containers and sandboxes of a pod without an object. */
  #clear(pod: PodRef, containers: readonly string[]): void {
    if (this.#workers.has(pod.uid) || this.#pods.arriving(pod.uid) !== undefined) return
    const spec = { containers: containers.map((name) => ({ name, image: '' })) }
    const left: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...pod }, spec, status: {} }
    this.#handlers.release(left)
    this.#start(left, { notify: (worker) => worker.remove(left) })
  }

  /** Runs static pods once their mirror pods are known. */
  async #staticPods(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#deps.feed.synced, new Signal().wait({ signal })])
    if (!signal.aborted) await this.#statics.run(this.#deps.staticPods, signal)
  }

  #endStatic(pod: Pod): boolean {
    const worker = this.#workers.working(pod.metadata.uid ?? '')
    if (worker === undefined) this.#podGone(pod)
    else worker.update(pod)
    return worker !== undefined
  }

  #mirrored(uid: string, mirror: KubeObject | undefined): void {
    const worker = this.#workers.working(uid)
    worker?.mirrored(mirror)
    if (worker?.ended) this.#apply(uid, { kind: 'ended' })
  }

  /** Handles a new or changed pod of this node. */
  #update(pod: Pod): void {
    const uid = pod.metadata.uid ?? ''
    const worker = this.#workers.of(uid, (one) => one.update(pod))
    if (worker !== undefined) {
      this.#apply(uid, { kind: 'changed', pod })
      if (worker.ended) this.#apply(uid, { kind: 'ended' })
      for (const part of this.#deps.parts ?? []) part.podChanged?.(pod)
    } else if (isTerminal(pod)) this.#foundEnded(pod)
    else if (!this.#pods.isRefused(uid)) {
      this.#apply(uid, { kind: 'arrived', pod })
      this.#queue.arrived(pod)
    }
  }

  /** A pod that has ended gets a worker only if something has to be cleaned up or reported. */
  #foundEnded(pod: Pod): void {
    const uid = pod.metadata.uid ?? ''
    const remains = pod.metadata.deletionTimestamp !== undefined || this.#recovered.has(uid)
    const refused = this.#pods.refused(uid)
    // As in the kubelet, the status of a refused pod is completed when others change the pod.
    const changed = refused === undefined ? !this.#pods.isRefused(uid) : !describedAlike(pod, refused)
    const leftover = remains || (changed && lacksFinalStatus(pod))
    this.#queue.left(uid)
    this.#apply(uid, { kind: 'found-ended', pod, leftover })
    if (!leftover) return
    if (!this.#runs(uid)) this.#apply(uid, { kind: 'ended' })
    this.#start(pod)
  }

  /** Whether a previous agent left containers of the pod running. */
  #runs(uid: string): boolean {
    return hasRunning(this.#recovered.get(uid))
  }

  #podGone(pod: Pod): void {
    const uid = pod.metadata.uid ?? ''
    this.#queue.left(uid)
    this.#workers.of(uid, (one) => one.remove(pod))
    this.#apply(uid, { kind: 'object-gone' })
  }

  /** Applies an event; if the pod released resources, lets pods that wait for a resize check again. */
  #apply(uid: string, event: PodEvent): void {
    const change = this.#pods.apply(uid, event)
    if (change.after?.kind !== 'refused') this.#forgetDeadline(uid)
    const held = heldBy(change.before)
    const released = held !== undefined && heldBy(change.after) === undefined
    if (released) this.#handlers.release(held)
    if (released || freesResources(change)) this.#workers.resourcesFreed()
  }

  get #admission(): AdmissionLoopDeps {
    return {
      pods: this.#pods,
      queue: this.#queue,
      handlers: this.#handlers,
      node: this.#deps.node,
      recovered: ({ metadata: { uid = '' }, status }) => this.#recovered.has(uid) || status.containerStatuses !== undefined,
      preempt: (victim) => this.#preempt(victim),
      admit: (pod) => {
        this.#apply(pod.metadata.uid ?? '', { kind: 'admitted', pod })
        this.#start(pod)
        for (const part of this.#deps.parts ?? []) part.podChanged?.(pod)
      },
      refuse: (pod, refusal) => this.#refuse(pod, refusal),
    }
  }

  /** Ends a pod whose resources a critical pod needs. */
  async #preempt(pod: Pod): Promise<void> {
    this.#deps.events.record({ regarding: referenceTo(pod), type: 'Warning', ...PREEMPTED })
    const message = 'Pod was preempted by Kubelet to accommodate a critical pod.'
    const disruption = { reason: 'TerminationByKubelet', message }
    await this.end(pod, { ...PREEMPTED, disruption, clears: true })
    this.#apply(pod.metadata.uid ?? '', { kind: 'ended' })
  }

  #start(pod: Pod, { notify, rested = false }: { readonly notify?: (worker: PodWorker) => void; readonly rested?: boolean } = {}): void {
    const signal = this.#signal
    if (signal === undefined) return
    const uid = pod.metadata.uid ?? ''
    const mirror = isStaticPod(pod) ? this.#statics.writer(() => worker.look()) : undefined
    this.#podDeps ??= podWorkerDeps(this.#deps, {
      metrics: this.metrics,
      handlers: this.#handlers,
      host: this.#host,
      references: this.#references,
      counted: () => this.#pods.counted().map((one) => this.#workers.working(one.metadata.uid ?? '')?.asAllocated(one) ?? one),
      ended: (uid) => this.#apply(uid, { kind: 'ended' }),
      mayGo: (uid) => this.#pods.isAdmitted(uid) && this.#workers.rest(uid),
    })
    const worker: PodWorker = new PodWorker(pod, { ...this.#podDeps, rested, ...(mirror && { mirror }) })
    notify?.(worker)
    this.#workers.start(uid, worker, () => {
      const stopped = worker.left
      this.#deps.probeCounts?.forget(uid)
      // Pods that still run when the agent stops keep their resources.
      if (!stopped) this.#apply(uid, { kind: 'ended' })
      if (!stopped && mirror !== undefined) this.#statics.ended(pod)
    })
    if (signal.aborted) worker.leave(signal.reason)
  }

  /** Reports the refusal, with retries until it is written or the pod is gone. */
  #refuse(pod: Pod, refusal: Refusal): void {
    const signal = this.#signal
    if (signal === undefined) return
    const uid = pod.metadata.uid ?? ''
    const running = this.#runs(uid)
    this.#apply(uid, { kind: 'refused', pod, running })
    this.rejections.rejected(refusal.reason)
    this.#deps.events.record({ regarding: referenceTo(pod), type: 'Warning', ...refusal })
    if (running) {
      this.#start(pod)
      const termination = { ...refusal, message: rejected(refusal), graceSeconds: 1, clears: true, rejected: true }
      void this.#workers.of(uid)?.end(termination)
    } else if (!isStaticPod(pod)) {
      // A refused static pod is never mirrored.
      void reportRefusal(pod, refusal, { ...this.#deps, wanted: () => this.#pods.isRefused(uid) }, signal)
      const { activeDeadlineSeconds: seconds } = pod.spec
      if (seconds !== undefined) {
        const cancel = this.#deps.clock.after(millisecondsOf(seconds), () => this.#refusedOverdue(uid))
        this.#deadlines.set(uid, cancel)
      }
    }
  }

  /** As in the kubelet, its deadline replaces the reason why a pod was refused. */
  #refusedOverdue(uid: string): void {
    this.#forgetDeadline(uid)
    const pod = this.#pods.refused(uid)
    if (pod === undefined || !isTerminal(pod) || !lacksFinalStatus(pod)) return
    this.#start(pod, { notify: (worker) => void worker.end(DEADLINE_EXCEEDED) })
  }

  #forgetDeadline(uid: string): void {
    this.#deadlines.get(uid)?.()
    this.#deadlines.delete(uid)
  }
}
