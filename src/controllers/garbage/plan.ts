import type { KubeObject, OwnerReference } from '../../machinery/object.ts'

export const FOREGROUND = 'foregroundDeletion'
export const ORPHAN = 'orphan'

/**
 * `solid`: the owner exists. `dangling`: it is gone. `waiting`: it is deleted in the foreground, after its dependents.
 * `unknown`: it cannot be looked up; an object with such an owner is left as it is.
 */
export type OwnerState = 'solid' | 'dangling' | 'waiting' | 'unknown'

/** What the garbage collector does with one object. */
export type GarbagePlan =
  | { readonly kind: 'keep' }
  /** These owners are gone, others are not. */
  | { readonly kind: 'drop-owners'; readonly uids: readonly string[] }
  /** `ring`: a dependent waits for it in turn, so it must first stop blocking its own owners. */
  | { readonly kind: 'delete'; readonly policy: 'Background' | 'Foreground' | 'Orphan'; readonly ring?: true }
  /** Its dependents are gone. */
  | { readonly kind: 'remove-finalizer'; readonly finalizer: string }
  /** It is deleted after these. */
  | { readonly kind: 'await-dependents'; readonly uids: readonly string[] }
  /** Its dependents lose it as their owner, then its finalizer is removed. */
  | { readonly kind: 'orphan-dependents'; readonly uids: readonly string[] }

export interface GarbageView {
  readonly object: KubeObject
  readonly owners: readonly { readonly ref: OwnerReference; readonly state: OwnerState }[]
  readonly dependents: readonly KubeObject[]
}

const isDeleting = (o: KubeObject) => o.metadata.deletionTimestamp !== undefined
const has = (o: KubeObject, finalizer: string) => o.metadata.finalizers?.includes(finalizer) === true

/** Whether two versions of an object have the same owners, blocked in the same way. */
export function sameOwners(
  { metadata: { ownerReferences: a = [] } }: KubeObject,
  { metadata: { ownerReferences: b = [] } }: KubeObject,
): boolean {
  if (a === b) return true
  return a.length === b.length && a.every((ref, i) => ref.uid === b[i]?.uid && ref.blockOwnerDeletion === b[i]?.blockOwnerDeletion)
}

/** Whether the object is being deleted in the foreground. */
export const awaitsDependents = (o: KubeObject): boolean => isDeleting(o) && has(o, FOREGROUND)

/** Decides by the rules of Kubernetes' garbage collector. Pure. */
export function planGarbage({ object, owners, dependents }: GarbageView): GarbagePlan {
  const uid = object.metadata.uid
  if (isDeleting(object)) {
    if (has(object, ORPHAN)) return { kind: 'orphan-dependents', uids: uids(dependents) }
    if (!has(object, FOREGROUND)) return { kind: 'keep' }
    const blocking = dependents.filter((d) => d.metadata.ownerReferences?.some((r) => r.uid === uid && r.blockOwnerDeletion))
    return blocking.length === 0
      ? { kind: 'remove-finalizer', finalizer: FOREGROUND }
      : { kind: 'await-dependents', uids: uids(dependents.filter((d) => !awaitsDependents(d))) }
  }
  if (owners.length === 0 || owners.some((o) => o.state === 'unknown')) return { kind: 'keep' }
  const bad = owners.filter((o) => o.state !== 'solid')
  if (bad.length === 0) return { kind: 'keep' }
  if (bad.length < owners.length) return { kind: 'drop-owners', uids: bad.map((o) => o.ref.uid) }
  if (owners.some((o) => o.state === 'waiting') && dependents.length > 0)
    return { kind: 'delete', policy: 'Foreground', ...(dependents.some(awaitsDependents) ? { ring: true } : {}) }
  return { kind: 'delete', policy: has(object, ORPHAN) ? 'Orphan' : has(object, FOREGROUND) ? 'Foreground' : 'Background' }
}

const uids = (objects: readonly KubeObject[]) => objects.map((o) => o.metadata.uid ?? '')
