import { cloneJson, type KubeObject } from '../../machinery/object.ts'
import { controllerOf } from '../frame/indexes.ts'
import { controllerReference } from '../pods/ownership.ts'
import { isFinished, isTerminating } from '../pods/pod-state.ts'

interface Volume {
  readonly name: string
  readonly ephemeral?: { readonly volumeClaimTemplate?: { readonly metadata?: KubeObject['metadata']; readonly spec?: KubeObject['spec'] } }
}

const ephemeralVolumes = (pod: KubeObject): readonly Volume[] => (pod.spec?.volumes ?? []).filter((v: Volume) => v.ephemeral !== undefined)

export const hasEphemeralVolumes = (pod: KubeObject): boolean => ephemeralVolumes(pod).length > 0

/** What is to be done for one volume of a pod. */
export type VolumePlan =
  | { readonly kind: 'create'; readonly volume: string; readonly claim: KubeObject }
  /** A claim of that name belongs to somebody else. */
  | { readonly kind: 'taken'; readonly volume: string; readonly message: string }

/** The claims that the pod's ephemeral volumes need and do not have. Pure. */
export function planEphemeralVolumes(pod: KubeObject, claimOf: (name: string) => KubeObject | undefined): readonly VolumePlan[] {
  if (isTerminating(pod) || isFinished(pod)) return []
  const { namespace = '', name: podName = '' } = pod.metadata
  return ephemeralVolumes(pod).flatMap((volume): VolumePlan[] => {
    const name = `${podName}-${volume.name}`
    const standing = claimOf(name)
    if (standing === undefined) return [{ kind: 'create', volume: volume.name, claim: claimFor(pod, volume) }]
    if (controllerOf(standing)?.uid === pod.metadata.uid) return []
    const message = `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`
    return [{ kind: 'taken', volume: volume.name, message }]
  })
}

function claimFor(pod: KubeObject, volume: Volume): KubeObject {
  const template = volume.ephemeral?.volumeClaimTemplate
  const { labels, annotations } = template?.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `${pod.metadata.name}-${volume.name}`,
      namespace: pod.metadata.namespace ?? '',
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(pod)],
    },
    spec: cloneJson(template?.spec ?? {}),
  }
}
