import type { KubeObject } from '../../machinery/object.ts'

interface ClaimingVolume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string }
  readonly ephemeral?: object
}

/** The claim that a volume of a pod asks for: the one that it names, or the one that is made for it. */
export const claimOf = ({ metadata }: KubeObject, { name, persistentVolumeClaim, ephemeral }: ClaimingVolume): string | undefined =>
  persistentVolumeClaim?.claimName ?? (ephemeral ? `${metadata.name}-${name}` : undefined)

/** The claims that a pod mounts, those made for it included. */
export const claimsOf = (pod: KubeObject): readonly string[] =>
  (pod.spec?.volumes ?? []).flatMap((volume: ClaimingVolume) => claimOf(pod, volume) ?? [])
