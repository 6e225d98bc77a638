import { PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { ResourceClaim, ResourceSlice } from '../../resources/types/resource.ts'
import { defineController } from '../frame/define-controller.ts'
import { evictIfTainted, type Planned } from './evict.ts'
import { resultsOf } from './plan.ts'

const NAME = 'device-taint-eviction-controller'

/** Deletes pods whose devices got a taint `NoExecute` that their claims do not tolerate, or not any more. */
export const createController = defineController({
  name: NAME,
  for: PODS,
  deps: ({ client, clock, informers, events }) => ({
    client,
    clock,
    events: events(NAME),
    claims: informers.of(RESOURCE_CLAIMS),
    slices: informers.of(RESOURCE_SLICES),
    planned: new Map<string, Planned>(),
  }),
  when: (pod) => (pod.spec.resourceClaims ?? []).length > 0,
  watch({ claims, slices, planned }, keys, pods) {
    pods.addHandler({ deleted: ({ metadata }: Pod) => void planned.delete(metadata.uid ?? '') })
    const claimChanged = ({ metadata, status }: ResourceClaim) => {
      for (const user of status?.reservedFor ?? []) if (user.resource === 'pods') keys.add(`${metadata.namespace}/${user.name}`)
    }
    claims.addHandler({
      added: claimChanged,
      updated(claim, old) {
        claimChanged(old)
        claimChanged(claim)
      },
      deleted: claimChanged,
    })
    const sliceChanged = ({ spec }: ResourceSlice) => {
      for (const claim of claims.list())
        if (resultsOf(claim).some((r) => r.driver === spec.driver && r.pool === spec.pool.name)) claimChanged(claim)
    }
    slices.addHandler({ added: sliceChanged, updated: sliceChanged, deleted: sliceChanged })
  },
  reconcile: evictIfTainted,
})
