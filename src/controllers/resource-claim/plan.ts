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

/** As long as a generated name may be before its hyphen and suffix. */
const MAX_BASE = 57

/** What the name of a claim begins with; where it is too long, both names are cut, each by its share. */
function generateName(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`
  if (whole.length <= MAX_BASE) return whole
  const share = (name: string) => name.slice(0, Math.trunc((name.length * MAX_BASE) / whole.length))
  return `${share(pod)}-${share(entry)}`
}

/** The claim that a template makes for an entry of a pod. */
export function claimFor(pod: KubeObject, entry: PodClaimEntry, template: KubeObject): KubeObject {
  const { labels, annotations = {} } = template.spec?.metadata ?? {}
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      generateName: generateName(pod.metadata.name ?? '', entry.name),
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

/** Whether a pod is there: `unknown` leaves everything as it is. */
export type PodState = 'gone' | 'done' | 'alive' | 'unknown'

const isPod = ({ resource, apiGroup = '' }: Consumer) => resource === 'pods' && apiGroup === ''

/** The pods whose state decides what becomes of a claim. */
export const podsOf = (claim: KubeObject): readonly Consumer[] => ((claim.status?.reservedFor ?? []) as readonly Consumer[]).filter(isPod)

/**
 * What is to become of a claim, by who still uses it. `stateOf` tells of the pods that it is reserved for, `ownerState` of the one it was made for. It is
 * deallocated when the last one that used it is gone: one that nobody uses yet keeps what it was given.
 */
export function planClaim(claim: KubeObject, stateOf: (uid: string) => PodState, ownerState: PodState): ClaimPlan {
  const reserved: readonly Consumer[] = claim.status?.reservedFor ?? []
  const used = reserved.filter((r) => !isPod(r) || ['alive', 'unknown'].includes(stateOf(r.uid)))
  const allocated = claim.status?.allocation !== undefined
  const protectedByUs = (claim.metadata.finalizers ?? []).includes(FINALIZER)
  const going = claim.metadata.deletionTimestamp !== undefined
  const freed = used.length === 0 && (reserved.length > 0 || going) && protectedByUs
  if (used.length !== reserved.length || freed)
    return { kind: 'reserve', reservedFor: used, deallocate: freed && allocated, release: freed }
  // A pod that nobody knows may be about to come; one that is gone for good leaves its claim to the garbage collector.
  return used.length === 0 && !going && ownerState === 'done' ? { kind: 'delete' } : { kind: 'keep' }
}
