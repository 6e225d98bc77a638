import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import { type CompiledLabelSelector, compileLabelSelector, selectorOfSet } from '../../machinery/selectors/label-selector.ts'
import type { LabelSelector } from '../../resources/types/meta.ts'
import type { Client, ResourceRef } from '../../sdk/client/client.ts'
import type { Informer, InformerHandler } from '../../sdk/informer/informer.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Keys } from '../frame/define-controller.ts'
import { controllerOf } from '../frame/indexes.ts'
import { targetOf } from '../frame/objects.ts'

/** The reference by which a controller's object owns what it creates. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { name = '', uid = '' } = owner.metadata
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/**
 * Which objects are the owner's: those it keeps, those without a controller that it adopts, those that do not match any more and are
 * released.
 */
export interface ClaimPlan<T extends KubeObject> {
  readonly owned: readonly T[]
  readonly adopt: readonly T[]
  readonly release: readonly T[]
}

/** Decides by the rules of Kubernetes' controller references. Pure. */
export function planClaims<T extends KubeObject>(
  owner: KubeObject,
  matches: (object: T) => boolean,
  candidates: readonly T[],
): ClaimPlan<T> {
  const owned: T[] = []
  const adopt: T[] = []
  const release: T[] = []
  const terminating = owner.metadata.deletionTimestamp !== undefined
  for (const object of candidates) {
    const controller = controllerOf(object)
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) continue
      if (matches(object)) owned.push(object)
      else if (!terminating) release.push(object)
    } else if (!terminating && object.metadata.deletionTimestamp === undefined && matches(object)) adopt.push(object)
  }
  return { owned, adopt, release }
}

/** The collections that a claim is about. */
export interface ClaimRefs<T extends KubeObject> {
  readonly owner: ResourceRef
  readonly owned: ResourceRef<T>
  /** What the owner's objects carry: added on adoption, removed on release. */
  readonly finalizer?: string
}

/** Carries out the claims; resolves with all objects that the owner has now. */
export async function claim<T extends KubeObject>(
  client: Client,
  refs: ClaimRefs<T>,
  owner: KubeObject,
  plan: ClaimPlan<Readonly<T>>,
): Promise<readonly Readonly<T>[]> {
  const identity = ({ metadata: { uid } }: KubeObject) => (uid === undefined ? {} : { uid })
  for (const object of plan.release) {
    const ownerReferences = [{ $patch: 'delete', uid: owner.metadata.uid ?? '' }]
    const released = refs.finalizer === undefined ? {} : { '$deleteFromPrimitiveList/finalizers': [refs.finalizer] }
    const metadata = { ...identity(object), ownerReferences, ...released }
    await client.patch(targetOf(refs.owned, object), 'strategic', { metadata }).catch(ignoreLost)
  }
  const owned = [...plan.owned]
  if (plan.adopt.length === 0 || (await isTerminatingNow(client, refs.owner, owner))) return owned
  for (const object of plan.adopt) {
    const held = refs.finalizer === undefined ? {} : { finalizers: [refs.finalizer] }
    const metadata = { ...identity(object), ownerReferences: [{ ...controllerReference(owner) }], ...held }
    const adopted = await client.patch<T>(targetOf(refs.owned, object), 'strategic', { metadata }).catch(ignoreLost)
    if (adopted !== undefined) owned.push(adopted)
  }
  return owned
}

const ignoreLost = ignoring('NotFound', 'Invalid', 'Conflict')

/** The copy may not show yet that the owner is being deleted, or was deleted and created again. */
async function isTerminatingNow(client: Client, ref: ResourceRef, owner: KubeObject): Promise<boolean> {
  const current = await client.get(targetOf(ref, owner)).catch(ignoreLost)
  return current === undefined || current.metadata.uid !== owner.metadata.uid || current.metadata.deletionTimestamp !== undefined
}

/** Enqueues the owners of what changes; `matching` finds the owners that may adopt an object without a controller. */
export function ownerHandler<T extends KubeObject>(
  kind: string,
  keys: Pick<Keys, 'add'>,
  matching: (object: T) => readonly KubeObject[],
): InformerHandler<T> {
  const enqueue = (object: T, reference: OwnerReference | undefined) => {
    if (reference?.kind === kind) keys.add(`${object.metadata.namespace}/${reference.name}`)
  }
  const changed = (object: T) => {
    const controller = controllerOf(object)
    if (controller !== undefined) enqueue(object, controller)
    else for (const owner of matching(object)) keys.add(objectKey(owner))
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

/** An object with a label selector in its spec. */
export interface Selecting extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelector | undefined } | undefined
}

/** The same with a plain map, as services and replication controllers have it. */
export interface SelectingBySet extends KubeObject {
  readonly spec?: { readonly selector?: Readonly<Record<string, string>> | undefined } | undefined
}

const compiled = new WeakMap<object, CompiledLabelSelector>()

/** Selectors are compiled once for each version of an object. */
function compileOnce<T extends object>(source: T | undefined, compile: (source: T | undefined) => CompiledLabelSelector) {
  if (source === undefined) return compile(source)
  const known = compiled.get(source) ?? compile(source)
  compiled.set(source, known)
  return known
}

export const selectorOf = (owner: Selecting): CompiledLabelSelector => compileOnce(owner.spec?.selector, compileLabelSelector)

export const setSelectorOf = (owner: SelectingBySet): CompiledLabelSelector =>
  compileOnce(owner.spec?.selector, (set) => selectorOfSet(set ?? {}))

/** Whether the owner's selector matches the object. */
export const selectsByLabels = (owner: Selecting, object: KubeObject): boolean => selectorOf(owner).matches(object.metadata.labels)

/** The owners in the object's namespace whose selector matches it. */
export function selectingOwners<Owner extends KubeObject>(
  owners: Informer<Owner>,
  selects: (owner: Owner, object: KubeObject) => boolean,
): (object: KubeObject) => readonly Owner[] {
  return (object) => (owners.size === 0 ? [] : owners.list(object.metadata.namespace ?? '').filter((owner) => selects(owner, object)))
}
