import { type Clock, timestamp } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import { SignalScope } from '../base/signal-scope.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Client } from '../sdk/client/client.ts'
import { PODS } from '../sdk/client/refs.ts'
import { createCoreRecorder } from '../sdk/controller/core-recorder.ts'
import { type EventGate, type EventRecorder, referenceTo } from '../sdk/controller/event-recorder.ts'
import { admitPod } from './pod/admit-pod.ts'
import { openLog } from './pod/open-log.ts'
import type { Pod } from './pod/pod-types.ts'
import { PodWorker } from './pod/pod-worker.ts'
import { createReferences, type References } from './pod/references.ts'
import type { LogOptions, Runtime } from './runtime/runtime.ts'
import { NodeKeeper } from './status/node-keeper.ts'
import type { NodeIdentity } from './status/node-object.ts'

/** Where an agent hears of its node and of the pods bound to it. */
export interface NodeFeed {
  /** Tells of everything that stands now, then of changes. A `gone` pod has no object any more. */
  follow(nodeName: string, follower: NodeFollower): () => void
}

export interface NodeFollower {
  node(object: KubeObject): void
  pod(pod: KubeObject): void
  podGone(pod: KubeObject): void
}

export interface NodeAgentDeps {
  /** As `system:node:<name>`. */
  readonly client: Client
  readonly feed: NodeFeed
  readonly clock: Clock
  readonly log: Logger
  readonly runtime: Runtime
  /** Shared by agents of one process: how many of their events are on the way at once. */
  readonly gate?: EventGate
}

/** Runs one node: its Node object and lease, and a worker for each pod that is bound to it. */
export class NodeAgent {
  readonly #identity: NodeIdentity
  readonly #deps: NodeAgentDeps
  readonly #events: EventRecorder
  readonly #references: References
  readonly #keeper: NodeKeeper
  readonly #workers = new Map<string, { readonly worker: PodWorker; readonly done: Promise<void> }>()
  /** The pods that this node has taken on and that have not ended, by uid. */
  readonly #admitted = new Map<string, Pod>()
  #node: KubeObject | undefined

  constructor(identity: NodeIdentity, deps: NodeAgentDeps) {
    this.#identity = identity
    this.#deps = deps
    const { client, clock, log, gate } = deps
    this.#events = createCoreRecorder({ client, clock, component: 'kubelet', host: identity.name, log, ...(gate && { gate }) })
    this.#references = createReferences(client, clock)
    this.#keeper = new NodeKeeper(identity, { client, clock, log, events: this.#events })
  }

  get name(): string {
    return this.#identity.name
  }

  /** What a container has printed. Throws `LogError` when it cannot have printed anything yet. */
  logs(pod: KubeObject, container: string, options: LogOptions, signal: AbortSignal): AsyncIterable<string> {
    return openLog(pod as Pod, container, options, this.#deps.runtime, signal)
  }

  /** Creates or takes over the Node object. */
  register(): Promise<void> {
    return this.#keeper.register()
  }

  /** Runs until the signal is aborted; the containers of a simulated node end with it. */
  async run(signal: AbortSignal): Promise<void> {
    const scope = new SignalScope(signal)
    const unfollow = this.#deps.feed.follow(this.#identity.name, {
      node: (object) => {
        this.#node = object
        this.#keeper.observe(object)
      },
      pod: (pod) => this.#pod(pod as Pod, scope),
      podGone: (pod) => this.#workers.get(pod.metadata.uid ?? '')?.worker.remove(),
    })
    try {
      await Promise.all([this.#keeper.run(signal), this.#events.run(signal)])
    } finally {
      unfollow()
    }
    await Promise.all([...this.#workers.values()].map((w) => w.done))
  }

  #pod(pod: Pod, scope: SignalScope): void {
    const uid = pod.metadata.uid ?? ''
    const known = this.#workers.get(uid)
    if (known !== undefined) {
      known.worker.update(pod)
      if (ended(pod)) this.#admitted.delete(uid)
      return
    }
    if (ended(pod) && pod.metadata.deletionTimestamp === undefined) return
    if (!ended(pod) && pod.status.containerStatuses === undefined && this.#node !== undefined) {
      const refusal = admitPod(pod, this.#node, [...this.#admitted.values()])
      if (refusal !== undefined) {
        void this.#refuse(pod, refusal)
        return
      }
    }
    this.#admitted.set(uid, pod)
    const worker = new PodWorker(pod, {
      client: this.#deps.client,
      clock: this.#deps.clock,
      log: this.#deps.log,
      runtime: this.#deps.runtime,
      events: this.#events,
      references: this.#references,
      hostIp: this.#identity.ip,
    })
    const own = scope.open()
    const done = worker.run(own.signal).finally(() => {
      own.close()
      this.#workers.delete(uid)
      this.#admitted.delete(uid)
    })
    this.#workers.set(uid, { worker, done })
  }

  async #refuse(pod: Pod, refusal: { reason: string; message: string }): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata
    this.#events.record({ regarding: referenceTo(pod), type: 'Warning', ...refusal })
    const status = {
      phase: 'Failed',
      reason: refusal.reason,
      message: `Pod was rejected: ${refusal.message}`,
      observedGeneration: pod.metadata.generation ?? 1,
      startTime: timestamp(this.#deps.clock.now()),
    }
    const patch = { metadata: { ...(uid === undefined ? {} : { uid }) }, status }
    await this.#deps.client.patch({ ...PODS, namespace, name, subresource: 'status' }, 'merge', patch).catch((error) => {
      this.#deps.log.warn('the refusal of a pod could not be written', { pod: name, error })
    })
  }
}

const ended = (pod: Pod) => pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed'
