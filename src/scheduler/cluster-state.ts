import { equalJson } from '../machinery/equal.ts'
import type { KubeObject } from '../machinery/object.ts'
import {
  CSI_NODES,
  DEVICE_CLASSES,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  POD_GROUPS,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  RESOURCE_CLAIMS,
  RESOURCE_SLICES,
  SERVICES,
  STATEFUL_SETS,
  STORAGE_CLASSES,
} from '../resources/refs.ts'
import type { Node, Pod } from '../resources/types/core.ts'
import type { ResourceRef } from '../sdk/client/client.ts'
import type { Informer } from '../sdk/informer/informer.ts'
import type { InformerFactory } from '../sdk/informer/informer-factory.ts'
import { NodeTable } from './cache/node-table.ts'
import { groupOf, PodGroups } from './cache/pod-groups.ts'
import { PlacedPodInfo, type PodInfo, podInfo } from './cache/pod-info.ts'
import type { ClusterEvent } from './framework/cluster-event.ts'
import type { ListedObjects, ListedResource, Listers } from './framework/listers.ts'
import type { PluginContext } from './framework/prepared.ts'
import { isFinished } from './pod-facts.ts'

/** Where a pod is, or is taken to be until its binding is written. */
interface PodPlacement {
  /** That of an assumed pod is the one by which it was placed. */
  info: PodInfo
  readonly node: string
  assumed: boolean
}

/** The resources that only some plugins read. */
export interface WatchedResources {
  /** Whether PodGroups are watched: a plugin that reads them is enabled. Default false. */
  readonly podGroups?: boolean
}

/** One informer for each resource that plugins may list. */
type Informers = { readonly [R in ListedResource]: Informer<ListedObjects[R]> }

/** Receives what the informers see. `waiting` and `gone` concern pods without a node. */
export interface ClusterStateSink {
  waiting(info: PodInfo, old: PodInfo | undefined): void
  gone(info: PodInfo): void
  event(event: ClusterEvent): void
}

/** The node table, kept by informers, and the pods that are assumed to be where they were sent. */
export class ClusterState {
  readonly table = new NodeTable()
  readonly context: PluginContext
  readonly #informers: Informers
  /** How often objects of a resource changed. */
  readonly #versions = new Map<string, number>()
  readonly #pods: Informer<Pod>
  readonly #nodes: Informer<Node>
  readonly #placed = new Map<string, PodPlacement>()
  readonly #waiting = new Map<string, PodInfo>()
  readonly #groups = new PodGroups()
  readonly #running: readonly Informer<KubeObject>[]
  readonly #sink: ClusterStateSink
  /** Whether all lists are in. Waiting pods are passed on from then on; objects listed before are no events. */
  #begun = false

  constructor(informers: InformerFactory, sink: ClusterStateSink, { podGroups = false }: WatchedResources = {}) {
    this.#sink = sink
    this.#pods = informers.informer({ target: PODS })
    this.#nodes = informers.informer({ target: NODES })
    const optional = <T extends KubeObject>(target: ResourceRef<T>) => informers.informer({ target, optional: true })
    this.#informers = {
      nodes: this.#nodes,
      namespaces: optional(NAMESPACES),
      services: optional(SERVICES),
      replicationcontrollers: optional(REPLICATION_CONTROLLERS),
      replicasets: optional(REPLICA_SETS),
      statefulsets: optional(STATEFUL_SETS),
      poddisruptionbudgets: optional(POD_DISRUPTION_BUDGETS),
      persistentvolumeclaims: optional(PERSISTENT_VOLUME_CLAIMS),
      persistentvolumes: optional(PERSISTENT_VOLUMES),
      storageclasses: optional(STORAGE_CLASSES),
      csinodes: optional(CSI_NODES),
      resourceclaims: optional(RESOURCE_CLAIMS),
      resourceslices: optional(RESOURCE_SLICES),
      deviceclasses: optional(DEVICE_CLASSES),
      podgroups: optional(POD_GROUPS),
    }
    const { podgroups, ...always } = this.#informers
    this.#running = [this.#pods, ...Object.values(always), ...(podGroups ? [podgroups] : [])]
    this.context = { table: this.table, listers: this.#listers() }
    this.#nodes.addHandler({
      added: (node) => this.#setNode(node, undefined),
      updated: (node, old) => this.#setNode(node, old),
      deleted: (node) => {
        this.table.removeNode(node.metadata.name ?? '')
        sink.event({ kind: 'node-deleted', node })
      },
    })
    this.#pods.addHandler({
      added: (pod) => this.#setPod(pod, undefined),
      updated: (pod, old) => this.#setPod(pod, old),
      deleted: (pod) => this.#dropPod(podKey(pod), pod),
    })
    const { nodes: _, ...others } = this.#informers
    for (const [resource, informer] of Object.entries(others)) this.#watch(resource, informer)
  }

  /** Counts the changes of a resource, and passes them on as events. */
  #watch(resource: string, informer: Pick<Informer<KubeObject>, 'addHandler' | 'hasSynced'>): void {
    const changed = (object: Readonly<KubeObject>, how: Pick<ClusterEvent, 'oldObject' | 'gone'> = {}) => {
      this.#versions.set(resource, (this.#versions.get(resource) ?? 0) + 1)
      if (resource === 'namespaces') this.table.namespacesChanged()
      if (informer.hasSynced) this.#sink.event({ kind: 'object-changed', resource, object, ...how })
    }
    informer.addHandler({
      added: (object) => changed(object),
      updated: (object, oldObject) => changed(object, { oldObject }),
      deleted: (object) => changed(object, { gone: true }),
    })
  }

  /** Resolves when all lists are in and the waiting pods were passed on. */
  async synced(): Promise<void> {
    await Promise.all(this.#running.map((informer) => informer.synced))
    if (this.#begun) return
    this.#begun = true
    for (const info of this.#waiting.values()) this.#sink.waiting(info, undefined)
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#running.map((informer) => informer.run(signal)))
  }

  /** The pod as the informer has it. */
  pod(key: string): Readonly<Pod> | undefined {
    return this.#pods.get(key)
  }

  pods(): readonly Readonly<Pod>[] {
    return this.#pods.list()
  }

  /** How much is known, in the words of kube-scheduler's metrics. */
  get sizes(): { readonly assumed_pods: number; readonly nodes: number; readonly pods: number } {
    const assumed = this.#placed.values().reduce((sum, placed) => (placed.assumed ? sum + 1 : sum), 0)
    return { assumed_pods: assumed, nodes: this.table.count, pods: this.#placed.size }
  }

  /** Counts the pod on the node before the API reports the binding. */
  assume(info: PodInfo, node: string): void {
    this.#placed.set(info.key, { info, node, assumed: true })
    this.table.addPod(info, node)
    this.#groups.note(info.key, info.pod, 'placed')
  }

  /** The binding failed: the pod is removed again. True if it was still assumed. */
  forget({ key, uid }: PodInfo): boolean {
    const placed = this.#placed.get(key)
    if (placed === undefined || !placed.assumed || placed.info.uid !== uid) return false
    this.#unplace(key, placed)
    this.#sink.event({ kind: 'assigned-pod-deleted', pod: placed.info.pod })
    return true
  }

  /** The pods of a node; undefined: there is no such node. */
  podsOn(node: string): Iterable<PodInfo> | undefined {
    const row = this.table.rowOf(node)
    return row === undefined || this.table.nodes[row] === undefined ? undefined : (this.table.pods[row] ?? [])
  }

  isPlaced({ key, uid }: PodInfo): boolean {
    return this.#placed.get(key)?.info.uid === uid
  }

  #setNode(node: Readonly<Node>, old: Readonly<Node> | undefined): void {
    if (old !== undefined && !differs(node, old)) {
      this.table.replaceNode(node)
      return
    }
    this.table.setNode(node)
    this.#sink.event(old === undefined ? { kind: 'node-added', node } : { kind: 'node-updated', node, oldNode: old })
  }

  #setPod(pod: Readonly<Pod>, old: Readonly<Pod> | undefined): void {
    const key = podKey(pod)
    const node = pod.spec.nodeName
    if (isFinished(pod)) this.#dropPod(key, pod)
    else if (node) this.#setPlaced(key, node, pod, old)
    else this.#setUnplaced(key, pod)
  }

  #setUnplaced(key: string, pod: Readonly<Pod>): void {
    const placed = this.#placed.get(key)
    // Between the response to a binding and its event an older event of the same pod may still arrive. Another pod of that name is another
    // pod.
    if (placed !== undefined && placed.info.uid === (pod.metadata.uid ?? '')) return
    if (placed !== undefined) {
      this.#unplace(key, placed)
      this.#sink.event({ kind: 'assigned-pod-deleted', pod: placed.info.pod })
    }
    this.#setWaiting(key, pod)
  }

  #setWaiting(key: string, pod: Readonly<Pod>): void {
    const old = this.#waiting.get(key)
    const info = podInfo(pod)
    this.#waiting.set(key, info)
    this.#groups.note(key, pod, 'unplaced')
    if (!this.#begun) return
    this.#sink.waiting(info, old)
    if (old === undefined && groupOf(pod) !== undefined) this.#sink.event({ kind: 'pod-added', pod })
  }

  /**
   * `seen`: the informer's state before this one. For a placed pod that is not only assumed, it is the state that its info was derived
   * from.
   */
  #setPlaced(key: string, node: string, pod: Readonly<Pod>, seen: Readonly<Pod> | undefined): void {
    this.#noLongerWaits(key)
    const placed = this.#placed.get(key)
    const old = placed === undefined || placed.assumed || seen?.metadata.uid !== placed.info.uid ? placed?.info.pod : seen
    if (
      placed !== undefined &&
      old !== undefined &&
      placed.node === node &&
      placed.info.uid === pod.metadata.uid &&
      weighsTheSame(old, pod)
    ) {
      this.#keep(placed, pod)
      if (!placed.assumed) return
      placed.assumed = false
      this.#sink.event({ kind: 'pod-assigned', pod })
      return
    }
    if (placed !== undefined) this.#unplace(key, placed)
    const info = new PlacedPodInfo(podInfo(pod))
    this.#placed.set(info.key, { info, node, assumed: false })
    this.table.addPod(info, node)
    this.#groups.note(info.key, pod, 'placed')
    this.#sink.event(old === undefined ? { kind: 'pod-assigned', pod } : { kind: 'assigned-pod-updated', pod, oldPod: old })
  }

  /** The pod's requests have not changed: its info stays in use. */
  #keep(placed: PodPlacement, pod: Readonly<Pod>): void {
    if (placed.info instanceof PlacedPodInfo) {
      placed.info.becomes(pod)
      return
    }
    const info = new PlacedPodInfo({ ...placed.info, pod, startTime: pod.status?.startTime })
    this.table.replacePod(placed.info, info, placed.node)
    placed.info = info
  }

  #dropPod(key: string, pod: Readonly<Pod>): void {
    this.#noLongerWaits(key)
    const placed = this.#placed.get(key)
    if (placed === undefined) return
    this.#unplace(key, placed)
    this.#sink.event({ kind: 'assigned-pod-deleted', pod })
  }

  #noLongerWaits(key: string): void {
    const waiting = this.#waiting.get(key)
    if (!this.#waiting.delete(key) || waiting === undefined) return
    if (!this.#placed.has(key)) this.#groups.note(key, waiting.pod, 'gone')
    if (this.#begun) this.#sink.gone(waiting)
  }

  #unplace(key: string, placed: PodPlacement): void {
    this.#placed.delete(key)
    this.table.removePod(placed.info, placed.node)
    this.#groups.note(key, placed.info.pod, this.#waiting.has(key) ? 'unplaced' : 'gone')
  }

  #listers(): Listers {
    const informers = this.#informers
    return {
      list: (resource, namespace) => informers[resource].list(namespace === '' ? undefined : namespace),
      get: (resource, namespace, name) => informers[resource].get(namespace === '' ? name : `${namespace}/${name}`),
      namespaceLabels: (namespace) => informers.namespaces.get(namespace)?.metadata.labels ?? {},
      podGroup: (namespace, name) => this.#groups.of(namespace, name),
      version: (resource) => this.#versions.get(resource) ?? 0,
    }
  }
}

const podKey = (pod: Readonly<Pod>) => `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`

/** Whether a change affects which pods may run there. Heartbeats do not. */
function differs(node: Readonly<Node>, old: Readonly<Node>): boolean {
  return !(
    equalJson(node.metadata.labels, old.metadata.labels) &&
    equalJson(node.spec?.unschedulable, old.spec?.unschedulable) &&
    equalJson(node.spec?.taints, old.spec?.taints) &&
    equalJson(node.status?.allocatable, old.status?.allocatable) &&
    equalJson(node.status?.declaredFeatures, old.status?.declaredFeatures) &&
    equalJson(node.status?.images, old.status?.images)
  )
}

/** True if the labels and resources of a placed pod are unchanged. */
function weighsTheSame(a: Readonly<Pod>, b: Readonly<Pod>): boolean {
  if (a === b) return true
  if (a.metadata.deletionTimestamp !== b.metadata.deletionTimestamp || !equalJson(a.metadata.labels, b.metadata.labels)) return false
  return (
    equalJson(a.spec.resources, b.spec.resources) &&
    sameAll(a.spec.containers, b.spec.containers, (c) => c.resources) &&
    sameAll(a.spec.initContainers, b.spec.initContainers, (c) => c.resources) &&
    sameAll(a.status?.containerStatuses, b.status?.containerStatuses, (s) => [s.allocatedResources, s.resources]) &&
    sameAll(a.status?.initContainerStatuses, b.status?.initContainerStatuses, (s) => [s.allocatedResources, s.resources]) &&
    isInfeasible(a) === isInfeasible(b)
  )
}

function sameAll<T>(a: readonly T[] = [], b: readonly T[] = [], fact: (item: T) => unknown): boolean {
  return a.length === b.length && a.every((item, i) => equalJson(fact(item), fact(b[i] ?? item)))
}

/** An infeasible resize counts differently from a pending one. */
const isInfeasible = (pod: Readonly<Pod>) =>
  pod.status?.conditions?.some((c) => c.type === 'PodResizePending' && c.reason === 'Infeasible') ?? false
