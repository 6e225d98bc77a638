import type { Clock } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { PODS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { Client, ResourceRef } from '../../sdk/client/client.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { claimable, controlledBy, controllerOf } from '../frame/indexes.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { writeStatus } from '../frame/write-status.ts'
import { claim, planClaims, selectorOf, setSelectorOf } from '../pods/ownership.ts'
import { createPodControl } from '../pods/pod-control.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'
import { isActive, nextAvailableInMs } from '../pods/pod-state.ts'
import { planReplicas, type ReplicaFailure, type ReplicaOwner, type ReplicaSetPlan, replicaSetStatus } from './plan.ts'

/** What a ReplicaSet or a ReplicationController is reconciled with. */
export interface ReplicaDeps {
  readonly client: Client
  readonly clock: Clock
  readonly events: ObjectEvents
  readonly pods: Informer<Pod>
  readonly owners: Pick<Informer<ReplicaOwner>, 'byIndex'>
}

/** Whether the owner's selector matches the pod; an empty selector matches none. */
export function selectsPod(owner: ReplicaOwner, { metadata }: KubeObject): boolean {
  const selector = owner.kind === 'ReplicaSet' ? selectorOf(owner) : setSelectorOf(owner)
  return !selector.isEmpty() && selector.matches(metadata.labels)
}

/** One round: adopts pods, carries out the plan, and writes the status, also after a failure. */
export async function reconcileReplicas(deps: ReplicaDeps, owner: ReplicaOwner): Promise<ReconcileResult> {
  const { client, clock, pods } = deps
  const ref: ResourceRef<ReplicaOwner> = owner.kind === 'ReplicaSet' ? REPLICA_SETS : REPLICATION_CONTROLLERS
  const isOwn = (pod: Pod) => selectsPod(owner, pod)
  const owned = await claim(client, { owner: ref, owned: PODS }, owner, planClaims(owner, isOwn, claimable(pods, owner)))
  const failed = await carryOut(deps, owner, planReplicas({ owner, pods: owned, onNode: () => familyOnNodes(deps, owner) }))
  // As in Kubernetes, the status counts the pods from before the plan: the events of its own writes lead to the next round.
  await writeStatus(client, ref, owner, replicaSetStatus(owner, owned, failed?.failure, clock.now()))
  if (failed !== undefined) throw failed.error
  const requeueAfterMs = nextAvailableInMs(owned.filter(isActive), owner.spec?.minReadySeconds ?? 0, clock.now())
  return requeueAfterMs === undefined ? undefined : { requeueAfterMs }
}

/** How many pods of all ReplicaSets of the same Deployment run on each node. */
function familyOnNodes({ owners, pods }: ReplicaDeps, owner: ReplicaOwner): ReadonlyMap<string, number> {
  const family = controllerOf(owner)?.uid
  const siblings = family === undefined ? [owner] : owners.byIndex('controller', family)
  const counts = new Map<string, number>()
  for (const pod of siblings.flatMap((sibling) => controlledBy(pods, sibling))) {
    if (!isActive(pod)) continue
    const node = pod.spec.nodeName ?? ''
    counts.set(node, (counts.get(node) ?? 0) + 1)
  }
  return counts
}

interface Failed {
  readonly failure: ReplicaFailure
  readonly error: unknown
}

async function carryOut(deps: ReplicaDeps, owner: ReplicaOwner, plan: ReplicaSetPlan): Promise<Failed | undefined> {
  const podControl = createPodControl(deps.client, deps.events)
  const failed = (reason: ReplicaFailure['reason'], error: unknown): Failed => ({ failure: { reason, message: messageOf(error) }, error })
  switch (plan.kind) {
    case 'keep':
      return undefined
    case 'create': {
      const { error } = await podControl.create(owner, plan.count, () => podFromTemplate(owner, owner.spec?.template))
      return error === undefined ? undefined : failed('FailedCreate', error)
    }
    case 'delete': {
      const results = await Promise.allSettled(plan.pods.map((pod) => podControl.remove(owner, pod)))
      const rejected = results.find((r) => r.status === 'rejected')
      return rejected === undefined ? undefined : failed('FailedDelete', rejected.reason)
    }
  }
}
