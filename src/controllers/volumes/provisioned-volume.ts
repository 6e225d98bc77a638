import { ignoring } from '../../machinery/ignoring.ts'
import { PROVISIONED_BY } from '../../resources/core/claim-annotations.ts'
import { PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { targetOf } from '../frame/objects.ts'

/** Keeps a volume until its storage is deleted. */
export const FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer'

/** The volume that is made for a claim. */
export const volumeNameOf = (claim: PersistentVolumeClaim): string => `pvc-${claim.metadata.uid}`

export type VolumePlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'finalizers'; readonly finalizers: string[] }

/** What becomes of a volume of a provisioner. Pure. */
export function planVolume({ metadata, spec, status }: PersistentVolume, provisioner: string): VolumePlan {
  if (metadata.annotations?.[PROVISIONED_BY] !== provisioner) return { kind: 'keep' }
  const { finalizers = [], deletionTimestamp } = metadata
  const held = finalizers.includes(FINALIZER)
  if (spec?.persistentVolumeReclaimPolicy !== 'Delete')
    return held ? { kind: 'finalizers', finalizers: finalizers.filter((f) => f !== FINALIZER) } : { kind: 'keep' }
  // It was never bound, and is deleted: it holds no data.
  const unused = deletionTimestamp !== undefined && held && status?.phase !== 'Bound'
  if (status?.phase === 'Released' ? held || deletionTimestamp === undefined : unused) return { kind: 'delete' }
  if (!held && deletionTimestamp === undefined && status?.phase === 'Bound')
    return { kind: 'finalizers', finalizers: [...finalizers, FINALIZER] }
  return { kind: 'keep' }
}

export interface DeleteDeps {
  readonly client: Client
  readonly provisioner: string
  /** Deletes the storage, before the object goes. Default: there is none. */
  readonly remove?: (volume: PersistentVolume) => Promise<void>
}

export async function deleteVolume({ client, provisioner, remove }: DeleteDeps, volume: PersistentVolume): Promise<void> {
  const plan = planVolume(volume, provisioner)
  const { finalizers = [], resourceVersion = '', deletionTimestamp } = volume.metadata
  const target = targetOf(PERSISTENT_VOLUMES, volume)
  switch (plan.kind) {
    case 'keep':
      return
    case 'finalizers':
      await client.patch(target, 'merge', { metadata: { resourceVersion, finalizers: plan.finalizers } }).catch(ignoring('NotFound'))
      return
    case 'delete':
      await remove?.(volume)
      if (deletionTimestamp === undefined) await client.delete(target).catch(ignoring('NotFound'))
      if (finalizers.includes(FINALIZER)) await client.patch(target, 'json', dropFinalizer(finalizers)).catch(ignoring('NotFound'))
  }
}

/** Removes our finalizer, if it is still where it was read. */
function dropFinalizer(finalizers: readonly string[]) {
  const path = `/metadata/finalizers/${finalizers.indexOf(FINALIZER)}`
  return [
    { op: 'test', path, value: FINALIZER },
    { op: 'remove', path },
  ]
}
