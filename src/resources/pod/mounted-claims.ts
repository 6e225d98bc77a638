import type { KubeObject } from '../../machinery/object.ts'

interface ClaimingVolume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string }
  readonly ephemeral?: object
}

/** The claim of a pod's volume: the one that it refers to, or the one that is generated for it. */
export const claimOf = (
  { metadata }: Pick<KubeObject, 'metadata'>,
  { name, persistentVolumeClaim, ephemeral }: ClaimingVolume,
): string | undefined => persistentVolumeClaim?.claimName ?? (ephemeral ? `${metadata.name}-${name}` : undefined)

/** The claims that a pod mounts, including generated ones. */
export const claimsOf = (pod: KubeObject<{ volumes?: readonly ClaimingVolume[] }>): readonly string[] =>
  (pod.spec?.volumes ?? []).flatMap((volume) => claimOf(pod, volume) ?? [])
