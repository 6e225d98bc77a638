import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import { type CompiledLabelSelector, compileLabelSelector, selectorOfSet } from '../../machinery/selectors/label-selector.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client, ResourceRef } from '../../sdk/client/client.ts'
import type { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Informer, InformerHandler } from '../../sdk/informer/informer.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { controllerOf } from '../frame/indexes.ts'

/** The reference by which a controller's object owns what it makes. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { name = '', uid = '' } = owner.metadata
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** Which objects are the owner's: those it keeps, those without a controller that it takes, those that no longer match and are let go. */
export interface ClaimPlan {
  readonly owned: readonly KubeObject[]
  readonly adopt: readonly KubeObject[]
  readonly release: readonly KubeObject[]
}

/** Decides by the rules of Kubernetes' controller references. Pure. */
export function planClaims(owner: KubeObject, matches: (object: KubeObject) => boolean, candidates: readonly KubeObject[]): ClaimPlan {
  const owned: KubeObject[] = []
  const adopt: KubeObject[] = []
  const release: KubeObject[] = []
  const ending = owner.metadata.deletionTimestamp !== undefined
  for (const object of candidates) {
    const controller = controllerOf(object)
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) continue
      if (matches(object)) owned.push(object)
      else if (!ending) release.push(object)
    } else if (!ending && object.metadata.deletionTimestamp === undefined && matches(object)) adopt.push(object)
  }
  return { owned, adopt, release }
}

/** Carries out the claims; resolves with all objects that the owner has now. */
export async function claim(
  client: Client,
  refs: {
    readonly owner: ResourceRef
    readonly owned: ResourceRef
    /** What the owner's objects carry: put on when one is adopted, taken off when one is let go. */
    readonly finalizer?: string
  },
  owner: KubeObject,
  plan: ClaimPlan,
): Promise<readonly KubeObject[]> {
  const target = (o: KubeObject, ref = refs.owned) => ({ ...ref, namespace: o.metadata.namespace ?? '', name: o.metadata.name ?? '' })
  const identity = (o: KubeObject) => (o.metadata.uid === undefined ? {} : { uid: o.metadata.uid })
  for (const object of plan.release) {
    const ownerReferences = [{ $patch: 'delete', uid: owner.metadata.uid ?? '' }]
    const letGo = refs.finalizer === undefined ? {} : { '$deleteFromPrimitiveList/finalizers': [refs.finalizer] }
    await client.patch(target(object), 'strategic', { metadata: { ...identity(object), ownerReferences, ...letGo } }).catch(ignoreLost)
  }
  const owned = [...plan.owned]
  if (plan.adopt.length > 0) {
    // The copy may not know yet that the owner is on its way out.
    const fresh = await client.get(target(owner, refs.owner)).catch(ignoreLost)
    if (fresh === undefined || fresh.metadata.uid !== owner.metadata.uid || fresh.metadata.deletionTimestamp !== undefined) return owned
  }
  for (const object of plan.adopt) {
    const ownerReferences = [{ ...controllerReference(owner) }]
    const held = refs.finalizer === undefined ? {} : { finalizers: [refs.finalizer] }
    const adopted = await client
      .patch(target(object), 'strategic', { metadata: { ...identity(object), ownerReferences, ...held } })
      .catch(ignoreLost)
    if (adopted !== undefined) owned.push(adopted)
  }
  return owned
}

const ignoreLost = (error: unknown): undefined => {
  if (!isStatus(error, 'NotFound', 'Invalid', 'Conflict')) throw error
}

/** Puts the owners of what changes into the queue; `matching` finds those who might adopt an object that has none. */
export function ownerHandler(
  kind: string,
  queue: Pick<WorkQueue, 'add'>,
  matching: (object: KubeObject) => readonly KubeObject[],
): InformerHandler<KubeObject> {
  const enqueue = (object: KubeObject, reference: OwnerReference | undefined) => {
    if (reference?.kind === kind) queue.add(`${object.metadata.namespace}/${reference.name}`)
  }
  const changed = (object: KubeObject) => {
    const controller = controllerOf(object)
    if (controller !== undefined) enqueue(object, controller)
    else for (const owner of matching(object)) queue.add(objectKey(owner))
  }
  return {
    added: changed,
    updated(object, old) {
      const before = controllerOf(old)
      if (before !== undefined && before.uid !== controllerOf(object)?.uid) enqueue(object, before)
      changed(object)
    },
    deleted: (object) => enqueue(object, controllerOf(object)),
  }
}

const compiled = new WeakMap<object, CompiledLabelSelector>()

/** A selector ready to match: made once for each object that is kept. */
function selectorOnce(source: object | undefined | null, make: () => CompiledLabelSelector): CompiledLabelSelector {
  if (source === undefined || source === null) return make()
  const known = compiled.get(source) ?? make()
  compiled.set(source, known)
  return known
}

/** The owner's `spec.selector`, a LabelSelector. */
export const selectorOf = (owner: KubeObject): CompiledLabelSelector =>
  selectorOnce(owner.spec?.selector, () => compileLabelSelector(owner.spec?.selector))

/** The owner's `spec.selector`, a plain map (services, replication controllers). */
export const setSelectorOf = (owner: KubeObject): CompiledLabelSelector =>
  selectorOnce(owner.spec?.selector, () => selectorOfSet(owner.spec?.selector ?? {}))

/** Whether the owner's `spec.selector` takes the object. */
export const selectsByLabels = (owner: KubeObject, object: KubeObject): boolean => selectorOf(owner).matches(object.metadata.labels)

/** Those in the object's namespace whose selector takes it. */
export function selectingOwners(owners: Informer<KubeObject>, selects: (owner: KubeObject, object: KubeObject) => boolean) {
  return (object: KubeObject): readonly KubeObject[] =>
    owners.size === 0 ? [] : owners.list(object.metadata.namespace ?? '').filter((owner) => selects(owner, object))
}
