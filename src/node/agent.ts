import type { Clock } from '../base/clock.ts'
import type { Family } from '../base/exposition.ts'
import type { Logger } from '../base/logger.ts'
import { Signal } from '../base/signal.ts'
import { SignalScope } from '../base/signal-scope.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Node } from '../resources/types/core.ts'
import type { Client } from '../sdk/client/client.ts'
import { createCoreRecorder } from '../sdk/controller/core-recorder.ts'
import type { EventGate } from '../sdk/controller/event-gate.ts'
import { type EventRecorder, type RecordedEvent, referenceTo } from '../sdk/controller/event-recorder.ts'
import { type AdmissionLoopDeps, runAdmission } from './admission/admission-loop.ts'
import { AdmissionQueue } from './admission/admission-queue.ts'
import { type AdmitHandlers, admitHandlers } from './admission/admit-handlers.ts'
import { checkResize, fitHandler } from './admission/fits-node.ts'
import { heldBy, type PodEvent, PodTable } from './admission/pod-table.ts'
import { rejected, reportRefusal } from './admission/report-refusal.ts'
import type { NodeFeed } from './feed.ts'
import { appArmorHandler } from './host/app-armor.ts'
import type { NodeHost } from './host/node-host.ts'
import { createSimulatedHost } from './host/simulated-host.ts'
import { sysctlHandler } from './host/sysctls.ts'
import { createAdmissionMetrics } from './metrics/admission-metrics.ts'
import { familiesOf, type MetricSource } from './metrics/metric-source.ts'
import { openLog, type PodLogQuery } from './pod/open-log.ts'
import { PodWorker, type PodWorkerDeps } from './pod/pod-worker.ts'
import { PodWorkers } from './pod/pod-workers.ts'
import { lacksFinalStatus } from './pod/report/pod-status.ts'
import { StatusTraffic } from './pod/report/status-traffic.ts'
import { createReferences, type References } from './pod/spec/references.ts'
import type { ProbeCounts } from './probes/probe-counts.ts'
import type { PodRef } from './runtime/container-spec.ts'
import { followRuntime, recoverPatiently } from './runtime/follow-runtime.ts'
import type { PodNetwork } from './runtime/pod-network.ts'
import { hasRunning, type Runtime, type RuntimePod } from './runtime/runtime.ts'
import { isMirrorPod } from './static-pods/mirror-pods.ts'
import type { StaticPodFeed } from './static-pods/static-pod-feed.ts'
import { StaticPodManager } from './static-pods/static-pod-manager.ts'
import type { NodeIdentity, NodeStatusSource } from './status/node-object.ts'
import { NodeStatusManager } from './status/node-status-manager.ts'
import type { AdmitHandler, Refusal, ResizeRefusal } from './types/admit-handler.ts'
import type { AgentPart } from './types/agent-part.ts'
import { isStaticPod, isTerminal, type Pod } from './types/pod.ts'
import type { PodTermination } from './types/pod-termination.ts'

export interface NodeAgentDeps {
  /** Authenticates as `system:node:<name>`. */
  readonly client: Client
  readonly feed: NodeFeed
  readonly clock: Clock
  readonly log: Logger
  readonly runtime: Runtime
  /** How probes and hooks reach the ports of pods. */
  readonly network: PodNetwork
  /** The host of the node. Default: one without a description. */
  readonly host?: NodeHost
  /** Admission handlers that run, in this order, before the check whether a pod fits. */
  readonly admission?: readonly AdmitHandler[]
  /** Components that run along with the pod workers. */
  readonly parts?: readonly AgentPart[]
  /** Additional sources of the Node's status. */
  readonly sources?: readonly NodeStatusSource[]
  /** Metrics in addition to the agent's own. */
  readonly metrics?: readonly MetricSource[]
  /** The manifests of static pods. Default: none. */
  readonly staticPods?: StaticPodFeed
  /** Counts every probe. */
  readonly probeCounts?: ProbeCounts
  /** Bounds the events in flight of all agents of one process. */
  readonly gate?: EventGate
  /** Bounds the status updates in flight of all agents of one process. */
  readonly traffic?: StatusTraffic
}

const PREEMPTED = { reason: 'Preempting', message: 'Preempted in order to admit critical pod' }
/**
 * Runs one node: its Node object and lease, and a worker for each pod that is bound to it. Pods are admitted one after the other; what
 * its runtime ran before is taken up as it stands.
 */
export class NodeAgent {
  readonly #identity: NodeIdentity
  readonly #deps: NodeAgentDeps
  readonly #handlers: AdmitHandlers
  readonly #host: NodeHost
  readonly #events: EventRecorder
  readonly #references: References
  readonly #keeper: NodeStatusManager
  readonly #rejections = createAdmissionMetrics()
  readonly #workers = new PodWorkers((uid, notify) => {
    const pod = this.#pods.admitted(uid)
    if (pod !== undefined) this.#start(pod, { notify, rested: true })
  })
  readonly #pods = new PodTable()
  readonly #queue: AdmissionQueue
  readonly #statics: StaticPodManager
  /** Shared by the workers of all pods. */
  #podDeps: PodWorkerDeps | undefined
  #scope: SignalScope | undefined
  #recovered: ReadonlyMap<string, RuntimePod> = new Map()
  #node: Node | undefined

  constructor(identity: NodeIdentity, deps: NodeAgentDeps) {
    this.#identity = identity
    this.#deps = deps
    // As in the kubelet, handlers that allocate run before the resource check: refusals have its messages then.
    this.#host = deps.host ?? createSimulatedHost()
    const handlers = [sysctlHandler(this.#host.allowedUnsafeSysctls), ...(deps.admission ?? []), fitHandler, appArmorHandler(this.#host)]
    this.#handlers = admitHandlers(handlers)
    const { runtime } = deps
    this.#queue = new AdmissionQueue({ handlers, runtime, arrivals: () => this.#pods.arrivals(), recovered: () => this.#recovered })
    const { client, clock, log, gate, sources = [] } = deps
    this.#events = createCoreRecorder({ client, clock, component: 'kubelet', host: identity.name, log, ...(gate && { gate }) })
    this.#references = createReferences(client, clock)
    const crowded = () => deps.traffic?.crowded === true
    this.#keeper = new NodeStatusManager(identity, { client, clock, log, events: this.#events, sources, runtime, crowded })
    this.#statics = new StaticPodManager({
      client,
      clock,
      log,
      node: () => this.#node,
      arrive: (pod) => this.#pod(pod),
      end: (pod) => this.#endStatic(pod),
      mirrored: (uid, mirror) => this.#mirrored(uid, mirror),
      clear: (uid) => this.#clear({ namespace: '', name: '', uid }, []),
    })
  }

  get name(): string {
    return this.#identity.name
  }

  get runtime(): Runtime {
    return this.#deps.runtime
  }

  /** The pods that this node has admitted, that have not ended, and whose objects exist. */
  pods(): readonly Pod[] {
    return this.#pods.counted()
  }

  /** A pod that is bound to this node, whether it runs, waits or has ended. */
  pod(namespace: string, name: string): Pod | undefined {
    return this.#deps.feed.pod(this.name, namespace, name)
  }

  /** The Node object as the API has it; undefined until it is known. */
  node(): Node | undefined {
    return this.#node
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

  record(event: RecordedEvent): void {
    this.#events.record(event)
  }

  /** The node's metrics, under the kubelet's names: what a kubelet serves at `/metrics`. */
  families(): readonly Family[] {
    return familiesOf([this.#rejections, ...(this.#deps.metrics ?? [])])
  }

  /** Records an event about the node. */
  recordNodeEvent(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.record({ regarding: { kind: 'Node', name: this.name, uid: this.name }, type, reason, message })
  }

  /** What a container has printed. Throws `LogError` if it cannot have printed anything yet. */
  logs(pod: KubeObject, container: string, query: PodLogQuery, signal: AbortSignal): AsyncIterable<string> {
    return openLog(pod as Pod, container, query, this.#deps.runtime, signal)
  }

  /** Creates or takes over the Node object. */
  register(): Promise<void> {
    return this.#keeper.register()
  }

  /** Runs until the signal is aborted. Containers keep running in the runtime. */
  async run(signal: AbortSignal): Promise<void> {
    const recovered = await recoverPatiently(this.#patience, signal)
    if (recovered === undefined) return
    this.#recovered = recovered
    this.#scope = new SignalScope(signal)
    signal.addEventListener('abort', () => this.#workers.leave(signal.reason), { once: true })
    const unfollow = this.#deps.feed.follow(this.#identity.name, {
      node: (object) => {
        this.#node = object
        this.#keeper.observe(object)
        for (const part of this.#deps.parts ?? []) part.nodeChanged?.(object)
        this.#workers.resourcesFreed()
        this.#queue.lookAgain()
      },
      pod: (pod) => (isMirrorPod(pod) ? this.#statics.observe(pod) : this.#pod(pod)),
      podGone: (pod) => (isMirrorPod(pod) ? this.#statics.gone(pod) : this.#podGone(pod)),
    })
    this.#handlers.watchPods((uid) => this.#workers.of(uid)?.look(), signal)
    const others = (this.#deps.parts ?? []).map((part) => part.run(this, signal))
    const parts = [
      this.#keeper.run(signal),
      this.#events.run(signal),
      runAdmission(this.#admission, signal),
      this.#staticPods(signal),
      followRuntime(
        this.#patience,
        { event: (event) => this.#workers.of(event.podUid)?.look(event), missed: () => this.#workers.lookAtAll() },
        signal,
      ),
      ...others,
    ]
    try {
      await Promise.all([...parts, this.#orphans(signal)])
    } finally {
      unfollow()
    }
    await this.#workers.done()
  }

  get #patience() {
    const { runtime, clock, log } = this.#deps
    return { runtime, clock, log, nodeName: this.name }
  }

  /** Cleans up the containers and sandboxes of pods whose objects were deleted while no agent ran. */
  async #orphans(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#deps.feed.synced, new Signal().wait({ signal })])
    await this.#statics.complete(signal)
    if (signal.aborted) return
    const known = new Set(this.#pods.holders())
    for (const uid of this.#recovered.keys()) if (this.#runs(uid)) known.add(uid)
    this.#handlers.retain(known)
    for (const [uid, { sandboxes, containers }] of this.#recovered) {
      if (this.#workers.has(uid) || this.#pods.arriving(uid) !== undefined) continue
      const { name, namespace } = (sandboxes[0] ?? containers[0])?.pod ?? { name: '', namespace: '' }
      const names = [...new Set(containers.map((c) => c.name))]
      this.#clear({ name, namespace, uid }, names)
    }
  }

  /** Cleans up the containers and sandboxes of a pod without an object. */
  #clear(pod: PodRef, containers: readonly string[]): void {
    if (this.#workers.has(pod.uid) || this.#pods.arriving(pod.uid) !== undefined) return
    const spec = { containers: containers.map((name) => ({ name, image: '' })) }
    const left: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...pod }, spec, status: {} }
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
  #pod(pod: Pod): void {
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
    const leftover = remains || (!this.#pods.isRefused(uid) && lacksFinalStatus(pod))
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

  /** Applies an event; if the pod released its resources, lets pods that wait for a resize check again. */
  #apply(uid: string, event: PodEvent): void {
    const { before, after } = this.#pods.apply(uid, event)
    const held = heldBy(before)
    const released = held !== undefined && heldBy(after) === undefined
    if (released) this.#handlers.release(held)
    if (released || (before?.kind === 'admitted' && after?.kind !== 'admitted')) this.#workers.resourcesFreed()
  }

  get #admission(): AdmissionLoopDeps {
    return {
      pods: this.#pods,
      queue: this.#queue,
      handlers: this.#handlers,
      node: () => this.#node,
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
    this.#events.record({ regarding: referenceTo(pod), type: 'Warning', ...PREEMPTED })
    const message = 'Pod was preempted by Kubelet to accommodate a critical pod.'
    const disruption = { reason: 'TerminationByKubelet', message }
    await this.end(pod, { ...PREEMPTED, disruption, clears: true })
    this.#apply(pod.metadata.uid ?? '', { kind: 'ended' })
  }

  #start(pod: Pod, { notify, rested = false }: { readonly notify?: (worker: PodWorker) => void; readonly rested?: boolean } = {}): void {
    const scope = this.#scope
    if (scope === undefined) return
    const uid = pod.metadata.uid ?? ''
    const mirror = isStaticPod(pod) ? this.#statics.writer(() => worker.look()) : undefined
    this.#podDeps ??= this.#depsOfPods()
    const worker: PodWorker = new PodWorker(pod, { ...this.#podDeps, rested, ...(mirror && { mirror }) })
    notify?.(worker)
    this.#workers.start(uid, worker, () => {
      const stopped = worker.left
      this.#deps.probeCounts?.forget(uid)
      // Pods that still run when the agent stops keep their resources.
      if (!stopped) this.#apply(uid, { kind: 'ended' })
      if (!stopped && mirror !== undefined) this.#statics.ended(pod)
    })
    if (scope.signal.aborted) worker.leave(scope.signal.reason)
  }

  #depsOfPods(): PodWorkerDeps {
    const { client, clock, log, runtime, network, feed } = this.#deps
    return {
      client,
      clock,
      log,
      runtime,
      network,
      probeCounts: this.#deps.probeCounts,
      traffic: this.#deps.traffic ?? new StatusTraffic(),
      events: this.#events,
      references: this.#references,
      services: (namespace) => feed.services(namespace),
      additions: this.#handlers.additions,
      beforeStart: this.#handlers.beforeStart,
      beforeSandbox: this.#handlers.beforeSandbox,
      completeSandbox: this.#handlers.completeSandbox,
      completeContainer: this.#handlers.completeContainer,
      clear: this.#handlers.clear,
      afterStop: this.#handlers.afterStop,
      resourceHealth: this.#handlers.resourceHealth,
      hostIp: this.#identity.ip,
      host: this.#host,
      allocatable: () => this.#node?.status?.allocatable ?? {},
      resizeRefusal: (of, given) => this.#handlers.resizeRefusal(of, given) ?? this.#noRoomBeside(of),
      ended: (uid) => this.#apply(uid, { kind: 'ended' }),
      mayGo: (uid) => this.#pods.isAdmitted(uid) && this.#workers.rest(uid),
    }
  }

  #noRoomBeside(pod: Pod): ResizeRefusal | undefined {
    const others = this.#pods.counted().filter((p) => p.metadata.uid !== pod.metadata.uid)
    return this.#node && checkResize(pod, this.#node, others)
  }

  /** Reports the refusal, with retries until it is written or the pod is gone. */
  #refuse(pod: Pod, refusal: Refusal): void {
    const scope = this.#scope
    if (scope === undefined) return
    const uid = pod.metadata.uid ?? ''
    const running = this.#runs(uid)
    this.#apply(uid, { kind: 'refused', pod, running })
    this.#rejections.rejected(refusal.reason)
    this.#events.record({ regarding: referenceTo(pod), type: 'Warning', ...refusal })
    if (running) {
      this.#start(pod)
      const termination = { ...refusal, message: rejected(refusal), graceSeconds: 1, clears: true, rejected: true }
      void this.#workers.of(uid)?.end(termination)
    } else if (!isStaticPod(pod)) {
      // A refused static pod is never mirrored.
      const own = scope.open()
      void reportRefusal(pod, refusal, { ...this.#deps, wanted: () => this.#pods.isRefused(uid) }, own.signal).finally(() => own.close())
    }
  }
}
