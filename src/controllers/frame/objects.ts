import type { KubeObject } from '../../machinery/object.ts'
import type { Client, ResourceRef, Target } from '../../sdk/client/client.ts'

type Named = Pick<KubeObject, 'metadata'>

/** Where the object is. */
export function targetOf<T extends KubeObject>(ref: ResourceRef<T>, { metadata: { namespace, name = '' } }: Named): Target<T> {
  return { ...ref, ...(namespace !== undefined && { namespace }), name }
}

/** The condition that a call meets this object, not one that was created under its name since. */
export const sameObject = ({ metadata: { uid } }: Named): { readonly preconditions?: { readonly uid: string } } =>
  uid === undefined ? {} : { preconditions: { uid } }

/** Creates the object in the namespace that its metadata name. */
export function createObject<T extends KubeObject>(client: Client, ref: ResourceRef<T>, object: T): Promise<Readonly<T>> {
  const { namespace } = object.metadata
  return client.create<T>({ ...ref, ...(namespace !== undefined && { namespace }) }, object)
}

/** Replaces the object. Rejects with `Conflict` if it has changed since it was read. */
export const updateObject = <T extends KubeObject>(client: Client, ref: ResourceRef<T>, object: T): Promise<Readonly<T>> =>
  client.update<T>(targetOf(ref, object), object)

/** Deletes this very object. Rejects with `Conflict` if its name belongs to another one now. */
export const deleteObject = (client: Client, ref: ResourceRef, object: Named): Promise<KubeObject> =>
  client.delete(targetOf(ref, object), sameObject(object))
