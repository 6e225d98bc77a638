import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Client, ResourceRef } from '../../sdk/client/client.ts'
import { targetOf } from '../frame/objects.ts'
import { type ProtectionFacts, planProtection } from './plan.ts'

/** Adds the finalizer to an object, or removes it from one that is deleted and not in use. */
export async function protect(client: Client, ref: ResourceRef, object: KubeObject, facts: ProtectionFacts): Promise<void> {
  const finalizers = planProtection(object, facts)
  if (finalizers === undefined) return
  const { resourceVersion = '' } = object.metadata
  await client.patch(targetOf(ref, object), 'merge', { metadata: { finalizers, resourceVersion } }).catch(ignoring('NotFound'))
}
