import { type Cancel, timestamp } from '../../base/clock.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { LEASES, NODES, PODS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { runController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { podsOnNode } from '../frame/indexes.ts'
import { synced } from '../frame/informer-set.ts'
import { isReady } from '../pods/pod-state.ts'
import { Disruption } from './disruption.ts'
import { changesNothing, countsForZone, isHeard, planNode, stayMs, type Taint, zoneKey } from './plan.ts'
import { SignsOfLife } from './signs-of-life.ts'

/** As kube-controller-manager's `--node-monitor-period`. */
const PERIOD_MS = 5_000

/** Watches over nodes: taints that follow from conditions, `Unknown` for silent nodes, and the end of pods that do not tolerate it. */
export function createNodeLifecycleController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const events = deps.recorder('node-controller')
  const taintEvents = deps.recorder('taint-eviction-controller')
  const queue = new WorkQueue({ clock })
  const nodes = informers.of(NODES)
  const leases = informers.of(LEASES)
  const pods = informers.of(PODS)
  const signs = new SignsOfLife(clock)
  const disruption = new Disruption(clock)
  /** The nodes that stood at the last look, by name. */
  const known = new Map<string, KubeObject>()
  /** Nodes that are ready, and for which nothing was to be done as they stand: as long as they are heard of, nothing will be. */
  const steady = new Map<string, KubeObject>()
  /** What calls off the planned end of a pod, by its uid. */
  const evictions = new Map<string, Cancel>()

  nodes.addHandler({
    added: (node) => {
      queue.add(node.metadata.name ?? '')
      scheduleAll(node.metadata.name ?? '')
    },
    updated: (node, old) => {
      queue.add(node.metadata.name ?? '')
      if (!semanticEqual(node.spec?.taints, old.spec?.taints)) scheduleAll(node.metadata.name ?? '')
    },
    deleted: (node) => {
      signs.forget(node.metadata.name ?? '')
      steady.delete(node.metadata.name ?? '')
    },
  })
  pods.addHandler({
    added: (pod) => schedule(pod),
    updated: (pod, old) => {
      if (pod.spec?.nodeName !== old.spec?.nodeName || !semanticEqual(pod.spec?.tolerations, old.spec?.tolerations)) schedule(pod)
    },
    deleted: (pod) => forget(pod),
  })

  /** When the node last renewed its lease, or said how it is. */
  const seen = (node: KubeObject) => {
    const { name = '' } = node.metadata
    const conditions = (node.status?.conditions ?? []) as readonly { readonly type: string; readonly lastHeartbeatTime?: string }[]
    const beat = conditions.find((c) => c.type === 'Ready')?.lastHeartbeatTime
    return signs.lastMs(name, `${leases.get(`kube-node-lease/${name}`)?.spec?.renewTime} ${beat}`)
  }

  async function reconcile(name: string): Promise<void> {
    const node = nodes.get(name)
    if (node === undefined) return
    const pace = { allLost: disruption.total, mayGiveUp: () => disruption.mayGiveUp(zoneKey(node)) }
    const [seenMs, nowMs] = [seen(node), clock.now()]
    const plan = planNode(node, seenMs, { nowMs, pace })
    if (changesNothing(plan) && isHeard(node, seenMs, nowMs)) steady.set(name, node)
    if (plan.conditions !== undefined) {
      const conditions = plan.conditions.map((c) => ({ ...c })) as unknown as JsonObject[]
      await client.patch({ ...NODES, name, subresource: 'status' }, 'merge', { status: { conditions } })
    }
    if (plan.lost) await reportLost(node)
    if (plan.labels !== undefined) await client.patch({ ...NODES, name }, 'merge', { metadata: { labels: { ...plan.labels } } })
    if (plan.taints === undefined) return
    const taints = plan.taints as unknown as JsonObject[]
    const { resourceVersion } = node.metadata
    const metadata =
      plan.conditions === undefined && plan.labels === undefined && resourceVersion !== undefined ? { metadata: { resourceVersion } } : {}
    await client.patch({ ...NODES, name }, 'merge', { ...metadata, spec: { taints } })
  }

  function nodeEvent(node: KubeObject, reason: string, message: string): void {
    events.record({ regarding: referenceTo(node), type: 'Normal', reason, message })
  }

  /** The node itself cannot say any more that its pods are not ready. */
  async function reportLost(node: KubeObject): Promise<void> {
    const { name = '' } = node.metadata
    nodeEvent(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`)
    const condition = { type: 'Ready', status: 'False', lastTransitionTime: timestamp(clock.now()) }
    for (const pod of podsOnNode(pods, name)) {
      if (!isReady(pod)) continue
      events.record({ regarding: referenceTo(pod), type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' })
      const { namespace = '', name: podName = '', uid } = pod.metadata
      const identity = uid === undefined ? {} : { metadata: { uid } }
      await client
        .patch({ ...PODS, namespace, name: podName, subresource: 'status' }, 'strategic', {
          ...identity,
          status: { conditions: [condition] },
        })
        .catch(ignoreLost)
    }
  }

  function scheduleAll(name: string): void {
    for (const pod of podsOnNode(pods, name)) schedule(pod)
  }

  /** Plans the end of a pod that stands under NoExecute taints; one that ends already is told so all the same. */
  function schedule(pod: KubeObject): void {
    if (!pod.spec?.nodeName) return
    const taints = (nodes.get(pod.spec.nodeName)?.spec?.taints ?? []) as Taint[]
    const ms = taints.some((t) => t.effect === 'NoExecute') ? stayMs(pod, taints) : undefined
    const uid = pod.metadata.uid ?? ''
    if (evictions.has(uid)) {
      // What was planned at the first taint stands: others change it only when the pod may stay for ever, or not at all.
      if (ms !== undefined && ms > 0) return
      forget(pod)
      const message = `Cancelling deletion of Pod ${pod.metadata.namespace}/${pod.metadata.name}`
      taintEvents.record({ regarding: referenceTo(pod), type: 'Normal', reason: 'TaintManagerEviction', message })
    }
    if (ms === undefined) return
    const end = () => {
      evictions.delete(uid)
      void evict(pod).catch((error) => log.warn('a pod could not be evicted', { pod: pod.metadata.name, error }))
    }
    if (ms === 0) end()
    else evictions.set(uid, clock.after(ms, end))
  }

  function forget(pod: KubeObject): void {
    const uid = pod.metadata.uid ?? ''
    evictions.get(uid)?.()
    evictions.delete(uid)
  }

  async function evict(planned: KubeObject): Promise<void> {
    const { namespace = '', name = '', uid } = planned.metadata
    // It may have changed since its end was planned: what is told is told of what it is now.
    const latest = pods.get(`${namespace}/${name}`)
    const pod = latest?.metadata.uid === uid && latest !== undefined ? latest : planned
    taintEvents.record({
      regarding: referenceTo(pod),
      type: 'Normal',
      reason: 'TaintManagerEviction',
      message: `Marking for deletion Pod ${namespace}/${name}`,
    })
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      lastTransitionTime: timestamp(clock.now()),
      ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    }
    const identity = uid === undefined ? {} : { metadata: { uid } }
    await client
      .patch({ ...PODS, namespace, name, subresource: 'status' }, 'strategic', { ...identity, status: { conditions: [condition] } })
      .catch((error) => {
        if (!isStatus(error, 'NotFound', 'Conflict')) throw error
      })
    await client.delete({ ...PODS, namespace, name }, uid === undefined ? {} : { preconditions: { uid } }).catch((error) => {
      if (!isStatus(error, 'NotFound', 'Conflict')) log.warn('a pod could not be evicted', { pod: name, error })
    })
  }

  async function patrol(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      signs.look()
      tellOfNodes()
      lookAtZones()
      const now = clock.now()
      for (const node of nodes.list()) {
        const { name = '' } = node.metadata
        if (steady.get(name) !== node || !isHeard(node, seen(node), now)) queue.add(name)
      }
      await clock.sleep(PERIOD_MS, signal).catch(() => {})
    }
  }

  /** Who comes and goes between two looks is not told of. */
  function tellOfNodes(): void {
    for (const node of nodes.list()) {
      const { name = '' } = node.metadata
      if (!known.has(name)) nodeEvent(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`)
      known.set(name, node)
    }
    for (const [name, node] of known) {
      if (nodes.get(name) !== undefined) continue
      known.delete(name)
      nodeEvent(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`)
    }
  }

  function lookAtZones(): void {
    const now = clock.now()
    const health = nodes.list().filter(countsForZone)
    const change = disruption.observe(health.map((node) => ({ zone: zoneKey(node), ready: isHeard(node, seen(node), now) })))
    // Who could not be heard of has his whole grace when the first ones are back.
    if (change === 'some are back') signs.renew()
  }

  return {
    name: 'node-lifecycle',
    async run(signal) {
      const ready = [nodes.synced, leases.synced, pods.synced]
      const patrolling = synced(ready, signal).then((complete) => (complete ? patrol(signal) : undefined))
      await Promise.all([runController({ name: 'node-lifecycle', queue, workers: 8, ready, reconcile, log }, signal), patrolling])
      for (const cancel of evictions.values()) cancel()
    },
  }
}

const ignoreLost = (error: unknown): undefined => {
  if (!isStatus(error, 'NotFound', 'Conflict')) throw error
}
