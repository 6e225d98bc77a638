import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import type { StatefulSet } from '../../resources/types/apps.ts'
import type { PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import { controllerReference } from '../pods/ownership.ts'
import { inRange } from './ordinals.ts'

/**
 * The owners that a claim should have by `persistentVolumeClaimRetentionPolicy` (KEP-1847): the set if claims are deleted with it, the pod
 * if they are deleted when it is scaled away. Undefined: it has them, or the claim is left over from an earlier set or pod of that name.
 * Pure.
 */
export function claimOwners(set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim): readonly OwnerReference[] | undefined {
  const { whenDeleted, whenScaled } = policyOf(set)
  const references = claim.metadata.ownerReferences ?? []
  if (references.some((r) => (isNamed(r, 'StatefulSet', set) || isNamed(r, 'Pod', pod)) && !isOurs(r, set, pod))) return undefined
  const scaledAway = whenScaled === 'Delete' && !inRange(set, pod)
  const owner = scaledAway ? { ...pod, apiVersion: 'v1', kind: 'Pod' } : whenDeleted === 'Delete' ? set : undefined
  const others = references.filter((r) => !isOurs(r, set, pod))
  const wanted = owner === undefined || hasForeignController(set, pod, claim) ? others : [...others, controllerReference(owner)]
  const text = (list: readonly OwnerReference[]) => list.map((r) => `${r.uid} ${r.controller === true}`).join()
  return text(wanted) === text(references) ? undefined : wanted
}

/** Whether the claim has another controller: the policy is ignored for it then. Pure. */
export function hasForeignController(set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim): boolean {
  const { whenDeleted, whenScaled } = policyOf(set)
  if (whenDeleted === 'Retain' && whenScaled === 'Retain') return false
  return (claim.metadata.ownerReferences ?? []).some(
    (r) => !isOurs(r, set, pod) && (r.controller === true || isNamed(r, 'StatefulSet', set) || isNamed(r, 'Pod', pod)),
  )
}

/** Whether the claim goes with an earlier pod of this name: a new pod has to wait until it is gone. Pure. */
export const isLeftOver = (set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim): boolean =>
  policyOf(set).whenScaled === 'Delete' &&
  (claim.metadata.ownerReferences ?? []).some((r) => isNamed(r, 'Pod', pod) && r.uid !== pod.metadata.uid)

const policyOf = ({ spec }: StatefulSet): { readonly whenDeleted: string; readonly whenScaled: string } => ({
  whenDeleted: 'Retain',
  whenScaled: 'Retain',
  ...spec.persistentVolumeClaimRetentionPolicy,
})

const isOurs = ({ uid }: OwnerReference, set: StatefulSet, pod: Pod) => uid === set.metadata.uid || uid === pod.metadata.uid
const isNamed = (r: OwnerReference, kind: string, { metadata }: KubeObject) => r.kind === kind && r.name === metadata.name
