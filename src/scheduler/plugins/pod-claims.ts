import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { StorageClass } from '../../resources/types/storage.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { Listers } from '../framework/listers.ts'

/** A claim that a pod uses: its name, and the claim when it exists. */
export interface PodClaim {
  readonly name: string
  /** Made from a template in the pod. */
  readonly ephemeral: boolean
  readonly claim: Readonly<PersistentVolumeClaim> | undefined
}

/** The claims of a pod's volumes; empty for most pods. */
export function claimsOf(pod: PodInfo, listers: Listers): readonly PodClaim[] {
  const claims: PodClaim[] = []
  for (const volume of pod.pod.spec.volumes ?? []) {
    const ephemeral = volume.ephemeral !== undefined
    const name = ephemeral ? `${pod.pod.metadata.name}-${volume.name}` : volume.persistentVolumeClaim?.claimName
    if (name === undefined) continue
    claims.push({
      name,
      ephemeral,
      claim: listers.get('persistentvolumeclaims', pod.namespace, name),
    })
  }
  return claims
}

/** The volume that a claim is bound to. */
export const volumeOf = (claim: Readonly<PersistentVolumeClaim>, listers: Listers): Readonly<PersistentVolume> | undefined =>
  claim.spec?.volumeName ? listers.get('persistentvolumes', '', claim.spec.volumeName) : undefined

export const classOf = (claim: Readonly<PersistentVolumeClaim>, listers: Listers): Readonly<StorageClass> | undefined =>
  claim.spec?.storageClassName ? listers.get('storageclasses', '', claim.spec.storageClassName) : undefined

/** The volumes of all claims of a pod that are bound. */
export const volumesOf = (pod: PodInfo, listers: Listers): readonly Readonly<PersistentVolume>[] =>
  claimsOf(pod, listers).flatMap(({ claim }) => (claim === undefined ? [] : (volumeOf(claim, listers) ?? [])))
