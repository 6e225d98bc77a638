import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { compileLabelSelector } from '../../machinery/selectors/label-selector.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { claimable, controlledBy, controllerOf, podsOnNode } from '../frame/indexes.ts'
import { queueController } from '../frame/queue-controller.ts'
import { claim, ownerHandler, planClaims, selectingOwners, selectsByLabels } from '../pods/ownership.ts'
import { createPodControl } from '../pods/pod-control.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'
import { availableInMs } from '../pods/pod-state.ts'
import { currentRevision, trimRevisions } from '../template/revisions.ts'
import { templateHash } from '../template/template-hash.ts'
import { FailedPodsBackOff } from './back-off.ts'
import {
  concernsNode,
  type DaemonSetPlan,
  daemonSetStatus,
  daemonTolerations,
  GENERATION,
  GENERATION_LABEL,
  HASH_LABEL,
  nodeOf,
  planDaemonSet,
} from './plan.ts'

const NAME = 'daemonset-controller'

/** Runs a pod on every node that the template fits. */
export function createDaemonSetController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const sets = informers.of(DAEMON_SETS)
  const pods = informers.of(PODS)
  const nodes = informers.of(NODES)
  const revisions = informers.of(CONTROLLER_REVISIONS)
  const events = deps.recorder(NAME)
  const podControl = createPodControl(client, events)
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  const backOff = new FailedPodsBackOff(clock)
  const nodeChanged = (node: KubeObject) => {
    const there = new Set(podsOnNode(pods, node.metadata.name ?? '').map((pod) => controllerOf(pod)?.uid))
    for (const set of sets.list()) if (concernsNode(set, node, there.has(set.metadata.uid))) enqueue(set)
  }
  sets.addHandler({ added: enqueue, updated: enqueue })
  const owned = ownerHandler('DaemonSet', queue, selectingOwners(sets, selectsByLabels))
  pods.addHandler(owned)
  revisions.addHandler(owned)
  nodes.addHandler({
    added: nodeChanged,
    updated(node, old) {
      if (!semanticEqual(node.metadata.labels, old.metadata.labels) || !semanticEqual(node.spec?.taints, old.spec?.taints))
        nodeChanged(node)
    },
  })

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const set = sets.get(key)
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return undefined
    if (compileLabelSelector(set.spec?.selector).isEmpty()) {
      record(set, 'Warning', 'SelectingAll', 'This daemon set is selecting all pods. A non-empty selector is required.')
      return undefined
    }
    const claims = planClaims(set, (p) => selectsByLabels(set, p), claimable(pods, set))
    await claim(client, { owner: DAEMON_SETS, owned: PODS }, set, claims)
    const hash = templateHash(set.spec?.template, set.status?.collisionCount)
    const generation = set.metadata.annotations?.[GENERATION]
    const own = await claim(
      client,
      { owner: DAEMON_SETS, owned: CONTROLLER_REVISIONS },
      set,
      planClaims(set, (r) => selectsByLabels(set, r), claimable(revisions, set)),
    )
    const revision = await currentRevision(client, own, {
      owner: set,
      owners: DAEMON_SETS,
      hash,
      labels: { ...set.spec?.template?.metadata?.labels, [HASH_LABEL]: hash },
      ...(generation === undefined ? {} : { annotations: { [GENERATION]: generation } }),
    })
    const current = revision.metadata.labels?.[HASH_LABEL] ?? hash
    const view = () => ({ set, nodes: nodes.list(), pods: ownPods(set), hash: current })
    const plan = planDaemonSet(view(), clock.now())
    const backOffs = plan.failed.map((pod) => ({ pod, waitMs: isFailed(pod) ? backOff.waitMs(backOffKey(set, current, pod)) : 0 }))
    const failed = backOffs.filter(({ waitMs }) => waitMs === 0).map(({ pod }) => pod)
    const trouble = await carryOut(set, current, { ...plan, failed })
    await writeStatus(set, daemonSetStatus(view(), clock.now()))
    const live = new Set(
      [current, ...ownPods(set).map((p) => p.metadata.labels?.[HASH_LABEL] ?? '')].map((h) => `${set.metadata.name}-${h}`),
    )
    await trimRevisions(client, set, ownRevisions(set), live)
    if (trouble !== undefined) throw trouble
    if (plan.more) return { requeueAfterMs: 0 }
    const waits = [
      ...ownPods(set).flatMap((p) => availableInMs(p, set.spec?.minReadySeconds ?? 0, clock.now()) || []),
      ...backOffs.flatMap(({ waitMs }) => waitMs || []),
    ]
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) }
  }

  const ownPods = (set: KubeObject) => controlledBy(pods, set)
  const ownRevisions = (set: KubeObject) => controlledBy(revisions, set)

  async function carryOut(set: KubeObject, hash: string, plan: DaemonSetPlan): Promise<unknown> {
    const namespace = set.metadata.namespace ?? ''
    for (const pod of plan.failed) {
      const where = `daemon pod ${namespace}/${pod.metadata.name} on node ${nodeOf(pod)}, will try to`
      if (isFailed(pod)) record(set, 'Warning', 'FailedDaemonPod', `Found failed ${where} kill it`)
      else record(set, 'Normal', 'SucceededDaemonPod', `Found succeeded ${where} delete it`)
      await podControl.remove(set, pod)
    }
    await Promise.all(plan.remove.map((pod) => podControl.remove(set, pod)))
    return podControl.create(set, plan.create.length, (i) => daemonPod(set, plan.create[i] ?? '', hash))
  }

  async function writeStatus(set: KubeObject, status: KubeObject['status']): Promise<void> {
    if (semanticEqual(status, set.status)) return
    const { namespace = '', name = '' } = set.metadata
    await client.update({ ...DAEMON_SETS, namespace, name, subresource: 'status' }, { ...set, status }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  }

  function record(set: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    events.record({ regarding: referenceTo(set), type, reason, message })
  }

  return queueController({ name: NAME, queue, workers: 2, copies: [sets, pods, nodes, revisions], reconcile, log })
}

const isFailed = (pod: KubeObject) => pod.status?.phase === 'Failed'
const backOffKey = (set: KubeObject, hash: string, pod: KubeObject) => `${set.metadata.uid}/${hash}/${nodeOf(pod)}`

/** A pod of the set for one node: the scheduler binds it there and nowhere else. */
function daemonPod(set: KubeObject, node: string, hash: string): KubeObject {
  const pod = podFromTemplate(set, set.spec?.template ?? {})
  const generation = set.metadata.annotations?.[GENERATION]
  pod.metadata.labels = {
    ...pod.metadata.labels,
    [HASH_LABEL]: hash,
    ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
  }
  const tolerations = daemonTolerations(pod.spec)
  const said = (pod.spec.tolerations ?? []).filter(
    (t: { key?: string; effect?: string }) => !tolerations.some((d) => d.key === t.key && d.effect === t.effect),
  )
  pod.spec.tolerations = [...said, ...tolerations]
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }]
  pod.spec.affinity = {
    ...pod.spec.affinity,
    nodeAffinity: { ...pod.spec.affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  }
  return pod
}
