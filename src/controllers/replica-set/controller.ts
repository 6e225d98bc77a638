import { semanticEqual } from '../../machinery/equal.ts'
import { compileLabelSelector, selectorOfSet } from '../../machinery/label-selector.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import { PODS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { ownedPods } from '../pods/owned-pods.ts'
import { claim, controllerOf, ownerHandler, planClaims, selectingOwners } from '../pods/ownership.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'
import { availableInMs, isActive } from '../pods/pod-state.ts'
import { planReplicas, type ReplicaFailure, type ReplicaSetPlan, replicaSetStatus } from './plan.ts'

/** Keeps the number of pods that a ReplicaSet asks for. */
export const createReplicaSetController = (deps: ControllerDeps): Controller =>
  createReplicaController(deps, {
    ref: REPLICA_SETS,
    kind: 'ReplicaSet',
    component: 'replicaset-controller',
    selector: (o) => compileLabelSelector(o.spec?.selector),
  })

/** The same for a ReplicationController, whose selector is a plain map. */
export const createReplicationController = (deps: ControllerDeps): Controller =>
  createReplicaController(deps, {
    ref: REPLICATION_CONTROLLERS,
    kind: 'ReplicationController',
    component: 'replication-controller',
    selector: (o) => selectorOfSet(o.spec?.selector ?? {}),
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
  const hands = ownedPods(client, events)
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
    const candidates = pods.list(owner.metadata.namespace ?? '')
    const claims = planClaims(owner, (p) => selects(owner, p), candidates)
    const owned = await claim(client, { owner: ref, owned: PODS }, owner, claims)
    const trouble = await carryOut(owner, planReplicas({ owner, pods: owned, onNode: crowding(owner, candidates) }))
    const now = ownedNow(owner)
    await writeStatus(owner, now, trouble?.failure)
    if (trouble !== undefined) throw trouble.error
    const minReady = owner.spec?.minReadySeconds ?? 0
    const waits = now.filter(isActive).flatMap((p) => availableInMs(p, minReady, clock.now()) || [])
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) }
  }

  const ownedNow = (owner: KubeObject) =>
    pods.list(owner.metadata.namespace ?? '').filter((p) => controllerOf(p)?.uid === owner.metadata.uid && selects(owner, p))

  /** Pods of all replica sets of the same deployment, by node. */
  function crowding(owner: KubeObject, candidates: readonly KubeObject[]): ReadonlyMap<string, number> {
    const family = controllerOf(owner)?.uid
    const uids = new Set([owner.metadata.uid])
    if (family !== undefined)
      for (const o of owners.list(owner.metadata.namespace ?? '')) if (controllerOf(o)?.uid === family) uids.add(o.metadata.uid)
    const counts = new Map<string, number>()
    for (const pod of candidates) {
      if (!isActive(pod) || !uids.has(controllerOf(pod)?.uid)) continue
      const node = pod.spec?.nodeName ?? ''
      counts.set(node, (counts.get(node) ?? 0) + 1)
    }
    return counts
  }

  async function carryOut(owner: KubeObject, plan: ReplicaSetPlan): Promise<{ failure: ReplicaFailure; error: unknown } | undefined> {
    const say = (type: 'Normal' | 'Warning', reason: string, message: string) =>
      events.record({ regarding: referenceTo(owner), type, reason, message })
    const namespace = owner.metadata.namespace ?? ''
    if (plan.kind === 'create') {
      const error = await hands.create(owner, plan.count, () => podFromTemplate(owner, owner.spec?.template ?? {}))
      if (error !== undefined) return { failure: { reason: 'FailedCreate', message: messageOf(error) }, error }
    }
    if (plan.kind === 'delete') {
      const results = await Promise.allSettled(
        plan.pods.map(async (pod) => {
          const { name = '', uid } = pod.metadata
          try {
            await client.delete({ ...PODS, namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
            say('Normal', 'SuccessfulDelete', `Deleted pod: ${name}`)
          } catch (error) {
            if (isStatus(error, 'NotFound')) return
            say('Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`)
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

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
