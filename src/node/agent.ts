import type { Family } from '../base/exposition.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Node } from '../resources/types/core.ts'
import { createCoreRecorder } from '../sdk/controller/core-recorder.ts'
import type { EventRecorder, RecordedEvent } from '../sdk/controller/event-recorder.ts'
import type { NodeAgentDeps } from './agent-deps.ts'
import { familiesOf } from './metrics/metric-source.ts'
import { NodePods } from './node-pods.ts'
import { openLog, type PodLogQuery } from './pod/open-log.ts'
import { recoverPatiently } from './runtime/follow-runtime.ts'
import type { Runtime } from './runtime/runtime.ts'
import type { NodeIdentity } from './status/node-object.ts'
import { NodeStatusManager } from './status/node-status-manager.ts'
import type { Pod } from './types/pod.ts'
import type { PodTermination } from './types/pod-termination.ts'

/** Runs one node: its Node object and lease, and the pods that are bound to it. */
export class NodeAgent {
  readonly #identity: NodeIdentity
  readonly #deps: NodeAgentDeps
  readonly #events: EventRecorder
  readonly #status: NodeStatusManager
  readonly #pods: NodePods
  #node: Node | undefined

  constructor(identity: NodeIdentity, deps: NodeAgentDeps) {
    this.#identity = identity
    this.#deps = deps
    const { client, clock, log, gate, runtime, sources = [] } = deps
    this.#events = createCoreRecorder({ client, clock, component: 'kubelet', host: identity.name, log, ...(gate && { gate }) })
    const crowded = () => deps.traffic?.crowded === true
    this.#status = new NodeStatusManager(identity, { client, clock, log, events: this.#events, sources, runtime, crowded })
    const node = () => this.#node
    this.#pods = new NodePods({
      ...deps,
      nodeName: identity.name,
      hostIps: [identity.ip, ...(identity.otherIps ?? [])],
      events: this.#events,
      node,
    })
  }

  get name(): string {
    return this.#identity.name
  }

  get identity(): NodeIdentity {
    return this.#identity
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
  ending(pod: Pod): boolean {
    return this.#pods.ending(pod)
  }

  /** Terminates a pod. Resolves when none of its containers runs any more. */
  end(pod: Pod, termination: PodTermination): Promise<void> {
    return this.#pods.end(pod, termination)
  }

  /** The number of pods that have work at the moment. */
  get working(): number {
    return this.#pods.working
  }

  record(event: RecordedEvent): void {
    this.#events.record(event)
  }

  /** The node's metrics, under the kubelet's names: what a kubelet serves at `/metrics`. */
  families(): readonly Family[] {
    return familiesOf([this.#pods.rejections, this.#pods.metrics, ...(this.#deps.metrics ?? [])])
  }

  /** Records an event about the node. */
  recordNodeEvent(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.record({ regarding: { kind: 'Node', name: this.name, uid: this.name }, type, reason, message })
  }

  /** What a container has printed. Throws `LogError` if it cannot have printed anything yet. */
  logs(pod: KubeObject, container: string, query: PodLogQuery, signal: AbortSignal): AsyncIterable<string> {
    return openLog({ pod: pod as Pod, container, query }, this.#deps.runtime, signal)
  }

  /** Creates or takes over the Node object. */
  register(): Promise<void> {
    return this.#status.register()
  }

  /** Runs until the signal is aborted. Containers keep running in the runtime. */
  async run(signal: AbortSignal): Promise<void> {
    const { runtime, clock, log, feed, parts = [] } = this.#deps
    const recovered = await recoverPatiently({ runtime, clock, log, nodeName: this.name }, signal)
    if (recovered === undefined) return
    this.#pods.begin(recovered, signal)
    const unfollow = feed.follow(this.name, {
      node: (object) => this.#nodeChanged(object),
      pod: (pod) => this.#pods.update(pod),
      podGone: (pod) => this.#pods.gone(pod),
    })
    this.#pods.watchHealth(signal)
    const others = parts.map((part) => part.run(this, signal))
    const own = [this.#status.run(signal), this.#events.run(signal), ...this.#pods.run(signal)]
    try {
      await Promise.all([...own, ...others, this.#pods.clearOrphans(signal)])
    } finally {
      unfollow()
    }
    await this.#pods.done()
  }

  #nodeChanged(object: Node): void {
    this.#node = object
    this.#status.observe(object)
    for (const part of this.#deps.parts ?? []) part.nodeChanged?.(object)
    this.#pods.nodeChanged()
  }
}
