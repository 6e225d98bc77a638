import { ignoring } from '../../machinery/ignoring.ts'
import { PODS, RESOURCE_CLAIMS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { ResourceClaim, ResourceClaimConsumerReference } from '../../resources/types/resource.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { defineController } from '../frame/define-controller.ts'
import { claimNamesOf } from '../frame/indexes.ts'
import { deleteObject, targetOf, updateObject } from '../frame/objects.ts'
import { type ClaimPlan, FINALIZER, isDone, type PodState, planClaim, podsOf } from './plan.ts'

interface ReleaseDeps {
  readonly client: Client
  readonly pods: Informer<Pod>
}

/** Frees claims, or deletes them, when the pods that used them are done. */
export const createReleaseController = defineController({
  name: 'resource-claim-controller (claims)',
  for: RESOURCE_CLAIMS,
  deps: ({ client, informers }) => ({ client, pods: informers.of(PODS) }),
  watch({ pods }, keys) {
    const changed = (pod: Pod) => {
      for (const name of claimNamesOf(pod)) keys.add(`${pod.metadata.namespace}/${name}`)
    }
    pods.addHandler({ added: changed, updated: changed, deleted: changed })
  },
  async reconcile(deps, claim) {
    const states = new Map<string, PodState>()
    for (const consumer of podsOf(claim)) states.set(consumer.uid, await stateOf(deps, claim, consumer))
    const plan = planClaim(claim, (uid) => states.get(uid) ?? 'unknown', ownerStateOf(deps, claim))
    switch (plan.kind) {
      case 'keep':
        return undefined
      case 'delete':
        await deleteObject(deps.client, RESOURCE_CLAIMS, claim).catch(ignoring('NotFound', 'Conflict'))
        return undefined
      case 'reserve':
        await reserve(deps, claim, plan)
        return { requeueAfterMs: 0 }
    }
  },
})

/** A pod without a local copy may have been bound just now: the server is asked before its claim is released. */
async function stateOf({ client, pods }: ReleaseDeps, claim: ResourceClaim, consumer: ResourceClaimConsumerReference): Promise<PodState> {
  const { namespace = '' } = claim.metadata
  const { name, uid } = consumer
  const copy = pods.get(`${namespace}/${name}`)
  const pod = copy ?? (await client.get<Pod>({ ...PODS, namespace, name }).catch(ignoring('NotFound')))
  if (pod?.metadata.uid !== uid) return 'gone'
  return isDone(pod) ? 'done' : 'alive'
}

/** The state of the pod that the claim was created for. */
function ownerStateOf({ pods }: ReleaseDeps, { metadata }: ResourceClaim): PodState {
  const owner = metadata.ownerReferences?.find((o) => o.controller === true && o.kind === 'Pod')
  const pod = owner === undefined ? undefined : pods.get(`${metadata.namespace}/${owner.name}`)
  if (pod === undefined) return 'unknown'
  return pod.metadata.uid !== owner?.uid || isDone(pod) ? 'done' : 'alive'
}

async function reserve({ client }: ReleaseDeps, claim: ResourceClaim, plan: ClaimPlan & { kind: 'reserve' }): Promise<void> {
  const { allocation, devices, reservedFor: _, ...rest } = claim.status ?? {}
  const allocated = { ...(allocation === undefined ? {} : { allocation }), ...(devices === undefined ? {} : { devices }) }
  const status = {
    ...rest,
    ...(plan.deallocate ? {} : allocated),
    ...(plan.reservedFor.length === 0 ? {} : { reservedFor: plan.reservedFor }),
  }
  const target = { ...targetOf(RESOURCE_CLAIMS, claim), subresource: 'status' }
  const current = await client.update<ResourceClaim>(target, { ...claim, status })
  if (!plan.release) return
  const finalizers = (current.metadata.finalizers ?? []).filter((f) => f !== FINALIZER)
  await updateObject(client, RESOURCE_CLAIMS, { ...current, metadata: { ...current.metadata, finalizers } })
}
