import type { KubeObject } from '../../machinery/object.ts'
import { claimsOf } from '../../resources/pod/mounted-claims.ts'

export const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection'
export const VOLUME_FINALIZER = 'kubernetes.io/pv-protection'
export const CLASS_FINALIZER = 'kubernetes.io/vac-protection'

/** The classes of attributes that a claim asks for or has, or that a volume has. */
export const attributesClassesOf = (object: KubeObject): readonly string[] =>
  [
    object.spec?.volumeAttributesClassName,
    object.status?.currentVolumeAttributesClassName,
    object.status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => typeof name === 'string' && name !== '')

export type ProtectionPlan = 'keep' | 'protect' | 'let go'

/** Whether the object needs its finalizer, and may lose it. Pure. */
export function planProtection(object: KubeObject, finalizer: string, inUse: boolean): ProtectionPlan {
  const has = object.metadata.finalizers?.includes(finalizer) === true
  if (object.metadata.deletionTimestamp === undefined) return has ? 'keep' : 'protect'
  return has && !inUse ? 'let go' : 'keep'
}

/** A pod uses a claim from when it has a node until it is gone: also when it has ended the volume may still be mounted. */
export const usesClaim = (pod: KubeObject, claim: string): boolean => Boolean(pod.spec?.nodeName) && claimsOf(pod).includes(claim)
