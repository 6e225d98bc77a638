import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import { controllerReference } from '../pods/ownership.ts'
import { inRange } from './plan.ts'

/**
 * Who owns a claim of a set's pod, by `persistentVolumeClaimRetentionPolicy` (KEP-1847): the set, where claims go with it; the pod, where they go when it
 * is scaled away; nobody. Undefined: it is as it should be, or left over from a set or a pod that had the name before. Pure.
 */
export function claimOwners(set: KubeObject, pod: KubeObject, claim: KubeObject): readonly OwnerReference[] | undefined {
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

/** Whether somebody else controls a claim that the set's policy is about: it is left to him. Pure. */
export function hasForeignController(set: KubeObject, pod: KubeObject, claim: KubeObject): boolean {
  const { whenDeleted, whenScaled } = policyOf(set)
  if (whenDeleted === 'Retain' && whenScaled === 'Retain') return false
  return (claim.metadata.ownerReferences ?? []).some(
    (r) => !isOurs(r, set, pod) && (r.controller === true || isNamed(r, 'StatefulSet', set) || isNamed(r, 'Pod', pod)),
  )
}

/** Whether the claim goes with a pod of this name that was there before: a new one has to wait until it is gone. Pure. */
export const isLeftOver = (set: KubeObject, pod: KubeObject, claim: KubeObject): boolean =>
  policyOf(set).whenScaled === 'Delete' &&
  (claim.metadata.ownerReferences ?? []).some((r) => isNamed(r, 'Pod', pod) && r.uid !== pod.metadata.uid)

const policyOf = ({ spec }: KubeObject): { readonly whenDeleted: string; readonly whenScaled: string } => ({
  whenDeleted: 'Retain',
  whenScaled: 'Retain',
  ...spec?.persistentVolumeClaimRetentionPolicy,
})

const isOurs = ({ uid }: OwnerReference, set: KubeObject, pod: KubeObject) => uid === set.metadata.uid || uid === pod.metadata.uid
const isNamed = (r: OwnerReference, kind: string, { metadata }: KubeObject) => r.kind === kind && r.name === metadata.name
