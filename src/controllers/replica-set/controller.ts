import { messageOf } from '../../base/message-of.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import { PODS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { claimable, controlledBy, controllerOf } from '../frame/indexes.ts'
import { queueController } from '../frame/queue-controller.ts'
import { claim, ownerHandler, planClaims, selectingOwners, selectorOf, setSelectorOf } from '../pods/ownership.ts'
import { createPodControl } from '../pods/pod-control.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'
import { availableInMs, isActive } from '../pods/pod-state.ts'
import { planReplicas, type ReplicaFailure, type ReplicaSetPlan, replicaSetStatus } from './plan.ts'

/** Keeps the number of pods that a ReplicaSet asks for. */
export const createReplicaSetController = (deps: ControllerDeps): Controller =>
  createReplicaController(deps, {
    ref: REPLICA_SETS,
    kind: 'ReplicaSet',
    component: 'replicaset-controller',
    selector: selectorOf,
  })

/** The same for a ReplicationController, whose selector is a plain map. */
export const createReplicationController = (deps: ControllerDeps): Controller =>
  createReplicaController(deps, {
    ref: REPLICATION_CONTROLLERS,
    kind: 'ReplicationController',
    component: 'replication-controller',
    selector: setSelectorOf,
  })

interface Flavour {
  readonly ref: ResourceRef
  readonly kind: string
  readonly component: string
  readonly selector: (owner: KubeObject) => { matches(labels: Record<string, string> | undefined): boolean; isEmpty(): boolean }
}

function createReplicaController(deps: ControllerDeps, { ref, kind, component, selector }: Flavour): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const owners = informers.of(ref)
  const pods = informers.of(PODS)
  const events = deps.recorder(component)
  const podControl = createPodControl(client, events)
  const selects = (owner: KubeObject, object: KubeObject) => {
    const compiled = selector(owner)
    return !compiled.isEmpty() && compiled.matches(object.metadata.labels)
  }
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  owners.addHandler({ added: enqueue, updated: enqueue, deleted: enqueue })
  pods.addHandler(ownerHandler(kind, queue, selectingOwners(owners, selects)))

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const owner = owners.get(key)
    if (owner === undefined) return undefined
    const claims = planClaims(owner, (p) => selects(owner, p), claimable(pods, owner))
    const owned = await claim(client, { owner: ref, owned: PODS }, owner, claims)
    const trouble = await carryOut(owner, planReplicas({ owner, pods: owned, onNode: () => crowding(owner) }))
    const now = ownedNow(owner)
    await writeStatus(owner, now, trouble?.failure)
    if (trouble !== undefined) throw trouble.error
    const minReady = owner.spec?.minReadySeconds ?? 0
    const waits = now.filter(isActive).flatMap((p) => availableInMs(p, minReady, clock.now()) || [])
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) }
  }

  const ownedNow = (owner: KubeObject) => controlledBy(pods, owner).filter((p) => selects(owner, p))

  /** Pods of all replica sets of the same deployment, by node. */
  function crowding(owner: KubeObject): ReadonlyMap<string, number> {
    const family = controllerOf(owner)?.uid
    const siblings = family === undefined ? [owner] : owners.byIndex('controller', family)
    const counts = new Map<string, number>()
    for (const pod of siblings.flatMap((o) => controlledBy(pods, o))) {
      if (!isActive(pod)) continue
      const node = pod.spec?.nodeName ?? ''
      counts.set(node, (counts.get(node) ?? 0) + 1)
    }
    return counts
  }

  async function carryOut(owner: KubeObject, plan: ReplicaSetPlan): Promise<{ failure: ReplicaFailure; error: unknown } | undefined> {
    const record = (type: 'Normal' | 'Warning', reason: string, message: string) =>
      events.record({ regarding: referenceTo(owner), type, reason, message })
    const namespace = owner.metadata.namespace ?? ''
    if (plan.kind === 'create') {
      const error = await podControl.create(owner, plan.count, () => podFromTemplate(owner, owner.spec?.template ?? {}))
      if (error !== undefined) return { failure: { reason: 'FailedCreate', message: messageOf(error) }, error }
    }
    if (plan.kind === 'delete') {
      const results = await Promise.allSettled(
        plan.pods.map(async (pod) => {
          const { name = '', uid } = pod.metadata
          try {
            await client.delete({ ...PODS, namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
            record('Normal', 'SuccessfulDelete', `Deleted pod: ${name}`)
          } catch (error) {
            if (isStatus(error, 'NotFound')) return
            record('Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`)
            throw error
          }
        }),
      )
      const failed = results.find((r) => r.status === 'rejected')
      if (failed !== undefined) return { failure: { reason: 'FailedDelete', message: messageOf(failed.reason) }, error: failed.reason }
    }
    return undefined
  }

  async function writeStatus(owner: KubeObject, owned: readonly KubeObject[], failure: ReplicaFailure | undefined): Promise<void> {
    const status = replicaSetStatus(owner, owned, failure, clock.now())
    if (semanticEqual(status, owner.status)) return
    const { namespace = '', name = '' } = owner.metadata
    await client.update({ ...ref, namespace, name, subresource: 'status' }, { ...owner, status }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  }

  return queueController({ name: component, queue, workers: 5, copies: [owners, pods], reconcile, log })
}
