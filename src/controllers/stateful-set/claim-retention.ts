import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import { controllerOf } from '../frame/indexes.ts'
import { controllerReference } from '../pods/ownership.ts'
import { inRange } from './plan.ts'

/**
 * Who owns a claim of a set's pod, by `persistentVolumeClaimRetentionPolicy` (KEP-1847): the set, where claims go with it; the pod, where they go when it
 * is scaled away; nobody. Undefined: it is as it should be, or somebody else's. Pure.
 */
export function claimOwners(set: KubeObject, pod: KubeObject, claim: KubeObject): readonly OwnerReference[] | undefined {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {}
  const references = claim.metadata.ownerReferences ?? []
  const ours = new Set([set.metadata.uid, pod.metadata.uid])
  const controller = controllerOf(claim)
  if (controller !== undefined && !ours.has(controller.uid)) return undefined
  const scaledAway = whenScaled === 'Delete' && !inRange(set, pod)
  const owner = scaledAway ? { ...pod, apiVersion: 'v1', kind: 'Pod' } : whenDeleted === 'Delete' ? set : undefined
  // A set or a pod of the same name that was there before is no owner any more.
  const isStale = (r: OwnerReference) =>
    ours.has(r.uid) || (r.kind === 'StatefulSet' && r.name === set.metadata.name) || (r.kind === 'Pod' && r.name === pod.metadata.name)
  const wanted = [...references.filter((r) => !isStale(r)), ...(owner === undefined ? [] : [controllerReference(owner)])]
  const text = (list: readonly OwnerReference[]) => list.map((r) => `${r.uid} ${r.controller === true}`).join()
  return text(wanted) === text(references) ? undefined : wanted
}
