import type { KubeObject } from '../../machinery/object.ts'

interface ClaimingVolume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string }
  readonly ephemeral?: object
}

/** The claim that a volume of a pod asks for: the one that it names, or the one that is made for it. */
export const claimOf = (
  { metadata }: Pick<KubeObject, 'metadata'>,
  { name, persistentVolumeClaim, ephemeral }: ClaimingVolume,
): string | undefined => persistentVolumeClaim?.claimName ?? (ephemeral ? `${metadata.name}-${name}` : undefined)

/** The claims that a pod mounts, those made for it included. */
export const claimsOf = (pod: KubeObject<{ volumes?: readonly ClaimingVolume[] }>): readonly string[] =>
  (pod.spec?.volumes ?? []).flatMap((volume) => claimOf(pod, volume) ?? [])
