import type { KubeObject } from '../../machinery/object.ts'

/** The claims that a pod mounts, those made for it included. */
export function claimsOf(pod: KubeObject): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap((v: { name: string; persistentVolumeClaim?: { claimName: string }; ephemeral?: object }) =>
    v.persistentVolumeClaim ? [v.persistentVolumeClaim.claimName] : v.ephemeral ? [`${pod.metadata.name}-${v.name}`] : [],
  )
}
