import { PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS } from '../../resources/refs.ts'
import type { Pod, PodResourceClaim, PodResourceClaimStatus } from '../../resources/types/core.ts'
import type { ResourceClaim, ResourceClaimTemplate } from '../../resources/types/resource.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController } from '../frame/define-controller.ts'
import { claimNamesOf, podsOfClaim } from '../frame/indexes.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { createObject, targetOf } from '../frame/objects.ts'
import { claimFor, isCreatedFor, isDone, POD_CLAIM_NAME, planPodClaims } from './plan.ts'

interface PodClaimsDeps {
  readonly client: Client
  readonly events: ObjectEvents
  readonly claims: Informer<ResourceClaim>
  readonly templates: Informer<ResourceClaimTemplate>
}

/** Creates the claims of pods from templates, and reserves claims for pods that did not get their node from the scheduler. */
export const createPodClaimsController = defineController({
  name: 'resource-claim-controller (pods)',
  for: PODS,
  deps: ({ client, informers, events }) => ({
    client,
    events: events('resource_claim'),
    claims: informers.of(RESOURCE_CLAIMS),
    templates: informers.of(RESOURCE_CLAIM_TEMPLATES),
  }),
  when: (pod) => (pod.spec.resourceClaims ?? []).length > 0,
  watch({ claims, templates }, keys, pods) {
    // A claim that is deleted is created again, and one that is allocated is reserved for pods that have a node.
    const used = (claim: ResourceClaim) => {
      for (const pod of podsOfClaim(pods, claim)) keys.add(objectKey(pod))
    }
    claims.addHandler({ added: used, updated: used, deleted: used })
    const changed = ({ metadata: { namespace, name } }: ResourceClaimTemplate) => {
      for (const pod of pods.list(namespace))
        if (pod.spec.resourceClaims?.some((e) => e.resourceClaimTemplateName === name)) keys.add(objectKey(pod))
    }
    templates.addHandler({ added: changed, updated: changed })
  },
  async reconcile(deps, pod) {
    if (isDone(pod)) return
    if (pod.metadata.deletionTimestamp === undefined) await createClaims(deps, pod)
    if (pod.spec.nodeName) await reserve(deps, pod)
  },
})

/** Who applies the names of a pod's claims, as upstream. */
const MANAGER = 'ResourceClaimController'

async function createClaims(deps: PodClaimsDeps, pod: Pod): Promise<void> {
  const { client, claims } = deps
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const { missing, kept } = planPodClaims(pod, (claim) => claims.get(`${namespace}/${claim}`))
  if (missing.length === 0) return
  const created: PodResourceClaimStatus[] = []
  for (const entry of missing) {
    const claim = existingClaim(deps, pod, entry) ?? (await createClaim(deps, pod, entry))
    created.push({ name: entry.name, resourceClaimName: claim.metadata.name ?? '' })
  }
  const resourceClaimStatuses = [...kept, ...created].map((s) => ({ ...s }))
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name, uid }, status: { resourceClaimStatuses } }
  await client.patch({ ...targetOf(PODS, pod), subresource: 'status' }, 'apply', body, { fieldManager: MANAGER, force: true })
}

/** A claim that an earlier round created before it could write the status. */
const existingClaim = ({ claims }: PodClaimsDeps, pod: Pod, entry: PodResourceClaim) =>
  claims.list(pod.metadata.namespace).find((c) => c.metadata.annotations?.[POD_CLAIM_NAME] === entry.name && isCreatedFor(pod, c))

async function createClaim({ client, events, templates }: PodClaimsDeps, pod: Pod, entry: PodResourceClaim): Promise<ResourceClaim> {
  const name = entry.resourceClaimTemplateName ?? ''
  const template = templates.get(`${pod.metadata.namespace}/${name}`)
  if (template !== undefined) return createObject(client, RESOURCE_CLAIMS, claimFor(pod, entry, template))
  const message = `resource claim template "${name}": resourceclaimtemplate.resource.k8s.io "${name}" not found`
  events.warning(pod, 'FailedResourceClaimCreation', `PodResourceClaim ${entry.name}: ${message}`)
  throw new Error(message)
}

/** As many pods can use one claim. */
const MOST_CONSUMERS = 256

/** A pod that did not get its node from the scheduler uses its claims all the same. */
async function reserve({ client, claims }: PodClaimsDeps, pod: Pod): Promise<void> {
  const { namespace = '', name = '', uid = '' } = pod.metadata
  for (const claimName of claimNamesOf(pod)) {
    const claim = claims.get(`${namespace}/${claimName}`)
    // A pod that lacks a claim cannot run: it needs none of those that follow.
    if (claim === undefined) return
    const { allocation, reservedFor = [] } = claim.status ?? {}
    if (allocation === undefined || reservedFor.length >= MOST_CONSUMERS || reservedFor.some((r) => r.uid === uid)) continue
    const status = { ...claim.status, reservedFor: [...reservedFor, { resource: 'pods', name, uid }] }
    await client.update<ResourceClaim>({ ...targetOf(RESOURCE_CLAIMS, claim), subresource: 'status' }, { ...claim, status })
  }
}
