import type { KubeObject } from '../../machinery/object.ts'

export const FINALIZER = 'resource.kubernetes.io/delete-protection'
export const POD_CLAIM_NAME = 'resource.kubernetes.io/pod-claim-name'

export interface PodClaimEntry {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

interface Consumer {
  readonly apiGroup?: string
  readonly resource: string
  readonly name: string
  readonly uid: string
}

/** A pod that needs its claims no more: it has run to its end, or is going without ever having been placed. */
export const isDone = (pod: KubeObject): boolean =>
  pod.status?.phase === 'Succeeded' ||
  pod.status?.phase === 'Failed' ||
  (pod.metadata.deletionTimestamp !== undefined && (pod.spec?.nodeName ?? '') === '')

/** The claim that a template makes for an entry of a pod. */
export function claimFor(pod: KubeObject, entry: PodClaimEntry, template: KubeObject): KubeObject {
  const { labels, annotations = {} } = template.spec?.metadata ?? {}
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      generateName: `${pod.metadata.name}-${entry.name}-`,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [POD_CLAIM_NAME]: entry.name },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '', controller: true }],
    },
    spec: template.spec?.spec ?? {},
  }
}

export type ClaimPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'delete' }
  /** `deallocate`: nobody uses it any more, its devices go back; `release`: its finalizer goes too. */
  | { readonly kind: 'reserve'; readonly reservedFor: readonly Consumer[]; readonly deallocate: boolean; readonly release: boolean }

/** What is to become of a claim, by who still uses it. */
export function planClaim(claim: KubeObject, podByUid: (name: string, uid: string) => KubeObject | undefined): ClaimPlan {
  const reserved: readonly Consumer[] = claim.status?.reservedFor ?? []
  const used = reserved.filter((r) => {
    if (r.resource !== 'pods' || (r.apiGroup ?? '') !== '') return true
    const pod = podByUid(r.name, r.uid)
    return pod !== undefined && !isDone(pod)
  })
  const allocated = claim.status?.allocation !== undefined
  const protectedByUs = (claim.metadata.finalizers ?? []).includes(FINALIZER)
  const going = claim.metadata.deletionTimestamp !== undefined
  const freed = used.length === 0 && (reserved.length > 0 || going)
  if (used.length !== reserved.length || (freed && (allocated || protectedByUs)))
    return { kind: 'reserve', reservedFor: used, deallocate: freed && allocated, release: freed && protectedByUs }
  const owner = claim.metadata.ownerReferences?.find((o) => o.controller === true && o.kind === 'Pod')
  if (owner !== undefined && !going && used.length === 0) {
    const pod = podByUid(owner.name, owner.uid)
    if (pod === undefined || isDone(pod)) return { kind: 'delete' }
  }
  return { kind: 'keep' }
}
