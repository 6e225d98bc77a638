import type { Pod, PodResourceClaim, PodResourceClaimStatus } from '../../resources/types/core.ts'
import type { ResourceClaim, ResourceClaimConsumerReference, ResourceClaimTemplate } from '../../resources/types/resource.ts'
import { isFinished } from '../pods/pod-state.ts'

export const FINALIZER = 'resource.kubernetes.io/delete-protection'
export const POD_CLAIM_NAME = 'resource.kubernetes.io/pod-claim-name'

/** A pod that does not need its claims any more: it has finished, or is deleted before it got a node. */
export const isDone = (pod: Pod): boolean => isFinished(pod) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec.nodeName)

/** Whether the claim was created for this pod. */
export const isCreatedFor = (pod: Pod, { metadata }: ResourceClaim): boolean =>
  metadata.ownerReferences?.some((o) => o.controller === true && o.uid === pod.metadata.uid) === true

/** Which claims of a pod have to be created from their templates, and the names of the others for its status. Pure. */
export function planPodClaims(
  pod: Pod,
  claimOf: (name: string) => ResourceClaim | undefined,
): { readonly missing: readonly PodResourceClaim[]; readonly kept: readonly PodResourceClaimStatus[] } {
  const known = pod.status?.resourceClaimStatuses ?? []
  const missing = (pod.spec.resourceClaims ?? []).filter((entry) => {
    const status = known.find((s) => s.name === entry.name)
    if (entry.resourceClaimTemplateName === undefined) return false
    if (status === undefined) return true
    // A status without a name: the pod turned out to need no claim. A claim that was deleted is created again.
    if (status.resourceClaimName === undefined) return false
    const claim = claimOf(status.resourceClaimName)
    return claim === undefined || !isCreatedFor(pod, claim)
  })
  return { missing, kept: known.filter((s) => !missing.some((m) => m.name === s.name)) }
}

/** The length of a generated name before its suffix. */
const MAX_BASE = 57

/** The prefix of a claim's name; if it is too long, both parts are cut in proportion. */
function generateName(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`
  if (whole.length <= MAX_BASE) return whole
  const share = (name: string) => name.slice(0, Math.trunc((name.length * MAX_BASE) / whole.length))
  return `${share(pod)}-${share(entry)}`
}

/** The claim of an entry of a pod, from its template. Pure. */
export function claimFor(pod: Pod, entry: PodResourceClaim, template: ResourceClaimTemplate): ResourceClaim {
  const { labels, annotations = {} } = template.spec.metadata ?? {}
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      generateName: generateName(pod.metadata.name ?? '', entry.name),
      namespace: pod.metadata.namespace ?? '',
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [POD_CLAIM_NAME]: entry.name },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '', controller: true }],
    },
    spec: template.spec.spec ?? { devices: {} },
  }
}

export type ClaimPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'delete' }
  /** `deallocate`: it is not used any more, its devices are freed; `release`: its finalizer is removed too. */
  | {
      readonly kind: 'reserve'
      readonly reservedFor: readonly ResourceClaimConsumerReference[]
      readonly deallocate: boolean
      readonly release: boolean
    }

/** `unknown` leaves the claim as it is. */
export type PodState = 'gone' | 'done' | 'alive' | 'unknown'

const isPod = ({ resource, apiGroup = '' }: ResourceClaimConsumerReference) => resource === 'pods' && apiGroup === ''

/** The pods that a claim is reserved for. */
export const podsOf = (claim: ResourceClaim): readonly ResourceClaimConsumerReference[] => (claim.status?.reservedFor ?? []).filter(isPod)

/**
 * Decides about a claim. `stateOf`: the state of the pods that it is reserved for; `ownerState`: that of the pod that it was created for.
 * It is deallocated after its last consumer; a claim that was never used keeps its devices. Pure.
 */
export function planClaim(claim: ResourceClaim, stateOf: (uid: string) => PodState, ownerState: PodState): ClaimPlan {
  const reserved = claim.status?.reservedFor ?? []
  const used = reserved.filter((r) => !isPod(r) || ['alive', 'unknown'].includes(stateOf(r.uid)))
  const allocated = claim.status?.allocation !== undefined
  const protectedByUs = (claim.metadata.finalizers ?? []).includes(FINALIZER)
  const going = claim.metadata.deletionTimestamp !== undefined
  const freed = used.length === 0 && (reserved.length > 0 || going) && protectedByUs
  if (used.length !== reserved.length || freed)
    return { kind: 'reserve', reservedFor: used, deallocate: freed && allocated, release: freed }
  // An unknown pod may be created just now. The claim of a deleted one is left to the garbage collector.
  return used.length === 0 && !going && ownerState === 'done' ? { kind: 'delete' } : { kind: 'keep' }
}
