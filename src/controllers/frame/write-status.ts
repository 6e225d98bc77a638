import { semanticEqual } from '../../machinery/equal.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Client, ResourceRef } from '../../sdk/client/client.ts'
import { targetOf } from './objects.ts'

/** An object with a status. */
export interface Reported extends KubeObject {
  readonly status?: unknown
}

/**
 * Writes the object's status if it differs; resolves with the object as it is then.
 * Rejects with `Conflict` if the object has changed since it was read, with `NotFound` if it is gone.
 */
export async function replaceStatus<T extends Reported>(
  client: Client,
  ref: ResourceRef<T>,
  object: Readonly<T>,
  status: T['status'],
): Promise<Readonly<T>> {
  if (semanticEqual(status, object.status)) return object
  return client.update<T>({ ...targetOf(ref, object), subresource: 'status' }, { ...object, status })
}

/** The same, where nothing else follows: an object that is gone needs no status. */
export async function writeStatus<T extends Reported>(
  client: Client,
  ref: ResourceRef<T>,
  object: Readonly<T>,
  status: T['status'],
): Promise<void> {
  await replaceStatus(client, ref, object, status).catch(ignoring('NotFound'))
}
