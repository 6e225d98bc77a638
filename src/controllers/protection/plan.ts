import type { KubeObject } from '../../machinery/object.ts'
import { claimsOf } from '../../resources/pod/mounted-claims.ts'
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'

export const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection'
export const VOLUME_FINALIZER = 'kubernetes.io/pv-protection'
export const CLASS_FINALIZER = 'kubernetes.io/vac-protection'

/** The VolumeAttributesClasses that a claim requests or has, or that a volume has. */
export function attributesClassesOf(object: PersistentVolumeClaim | PersistentVolume): readonly string[] {
  const wanted = object.spec?.volumeAttributesClassName
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus } =
    object.kind === 'PersistentVolumeClaim' ? (object.status ?? {}) : {}
  return [wanted, current, modifyVolumeStatus?.targetVolumeAttributesClassName].flatMap((name) => name || [])
}

export interface ProtectionFacts {
  readonly finalizer: string
  readonly inUse: boolean
}

/** The finalizers that the object should have; undefined if they stay as they are. Pure. */
export function planProtection({ metadata }: Pick<KubeObject, 'metadata'>, { finalizer, inUse }: ProtectionFacts): string[] | undefined {
  const { finalizers = [], deletionTimestamp } = metadata
  const has = finalizers.includes(finalizer)
  if (deletionTimestamp === undefined) return has ? undefined : [...finalizers, finalizer]
  return has && !inUse ? finalizers.filter((f) => f !== finalizer) : undefined
}

/** A pod with a node uses its claims until it is gone: the volume of a finished one may still be mounted. */
export const usesClaim = (pod: Pod, claim: string): boolean => Boolean(pod.spec.nodeName) && claimsOf(pod).includes(claim)
