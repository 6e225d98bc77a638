import { claimsOf } from '../../resources/pod/mounted-claims.ts'
import { PERSISTENT_VOLUME_CLAIMS, PODS } from '../../resources/refs.ts'
import type { PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { defineController } from '../frame/define-controller.ts'
import { CLAIM_FINALIZER, usesClaim } from './plan.ts'
import { protect } from './protect.ts'

/** Protects claims from deletion until no pod uses them. */
export const createController = defineController({
  name: 'claim-protection',
  for: PERSISTENT_VOLUME_CLAIMS,
  deps: ({ client, informers }) => ({ client, pods: informers.of(PODS) }),
  watch({ pods }, keys) {
    const changed = (pod: Pod) => {
      for (const claim of claimsOf(pod)) keys.add(`${pod.metadata.namespace}/${claim}`)
    }
    pods.addHandler({ updated: changed, deleted: changed })
  },
  async reconcile(deps, claim) {
    const inUse = claim.metadata.deletionTimestamp !== undefined && (await isUsed(deps, claim))
    await protect(deps.client, PERSISTENT_VOLUME_CLAIMS, claim, { finalizer: CLAIM_FINALIZER, inUse })
  },
})

/** The local copy is checked first; before a claim is released the server is asked. */
async function isUsed(
  { client, pods }: { readonly client: Client; readonly pods: Informer<Pod> },
  { metadata: { namespace = '', name = '' } }: PersistentVolumeClaim,
): Promise<boolean> {
  if (pods.list(namespace).some((p) => usesClaim(p, name))) return true
  return (await client.list<Pod>({ ...PODS, namespace })).items.some((p) => usesClaim(p, name))
}
