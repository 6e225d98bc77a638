import { cloneJson } from '../../machinery/object.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimTemplate, Pod } from '../../resources/types/core.ts'
import { controllerOf } from '../frame/indexes.ts'
import { controllerReference } from '../pods/ownership.ts'
import { isTerminating } from '../pods/pod-state.ts'

interface EphemeralVolume {
  readonly name: string
  readonly template: PersistentVolumeClaimTemplate | undefined
}

const ephemeralVolumes = ({ spec }: Pod): readonly EphemeralVolume[] =>
  (spec.volumes ?? []).flatMap(({ name, ephemeral }) =>
    ephemeral === undefined ? [] : [{ name, template: ephemeral.volumeClaimTemplate }],
  )

export const hasEphemeralVolumes = (pod: Pod): boolean => ephemeralVolumes(pod).length > 0

/** What has to be done for one volume of a pod. */
export type VolumePlan =
  | { readonly kind: 'create'; readonly volume: string; readonly claim: PersistentVolumeClaim }
  /** A claim of that name has another owner. */
  | { readonly kind: 'taken'; readonly volume: string; readonly message: string }

/** The names that the pod of a generated claim may have. Pure. */
export function podsOfClaim(claim: string): readonly string[] {
  const words = claim.split('-')
  return words.slice(1).map((_, i) => words.slice(0, i + 1).join('-'))
}

/** The claims that the pod's ephemeral volumes lack; that of a finished pod, too, as upstream. Pure. */
export function planEphemeralVolumes(pod: Pod, claimOf: (name: string) => PersistentVolumeClaim | undefined): readonly VolumePlan[] {
  if (isTerminating(pod)) return []
  const { namespace = '', name: podName = '' } = pod.metadata
  return ephemeralVolumes(pod).flatMap((volume): VolumePlan[] => {
    const name = `${podName}-${volume.name}`
    const existing = claimOf(name)
    if (existing === undefined) return [{ kind: 'create', volume: volume.name, claim: claimFor(pod, volume) }]
    if (controllerOf(existing)?.uid === pod.metadata.uid) return []
    const message = `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`
    return [{ kind: 'taken', volume: volume.name, message }]
  })
}

function claimFor(pod: Pod, { name, template }: EphemeralVolume): PersistentVolumeClaim {
  const { labels, annotations } = template?.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `${pod.metadata.name}-${name}`,
      namespace: pod.metadata.namespace ?? '',
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(pod)],
    },
    spec: cloneJson(template?.spec ?? {}),
  }
}
