import type { KubeObject } from '../../machinery/object.ts'
import type { ContainerStatus, EphemeralContainer, Container as MainContainer, PodSpec, PodStatus } from '../../resources/types/core.ts'
import type { PodRef } from '../runtime/container-spec.ts'

/** A container of any kind; ephemeral ones have a `targetContainerName`. The API server refuses containers of pods without an image. */
export type Container = Pick<EphemeralContainer, 'targetContainerName'> & MainContainer & { readonly image: string }

/** A pod on a node: it always has a status, even if it is `{}`. */
export interface Pod extends KubeObject {
  spec: Omit<PodSpec, 'containers' | 'initContainers' | 'ephemeralContainers'> & {
    readonly containers: readonly Container[]
    readonly initContainers?: readonly Container[]
    readonly ephemeralContainers?: readonly Container[]
  }
  status: PodStatus
}

export const uidOf = (pod: Pick<Pod, 'metadata'>): string => pod.metadata.uid ?? ''

/**
 * `init` runs to its end before the next starts; a `sidecar` is an init container with restart policy Always; `main` are the regular
 * containers; an `ephemeral` one is added for debugging and never restarts.
 */
export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral'

/** All containers of a pod, in the order in which they start. */
export function containersOf(pod: Pod): readonly { readonly container: Container; readonly role: ContainerRole }[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec
  return [
    ...initContainers.map((container) => ({
      container,
      role: container.restartPolicy === 'Always' ? ('sidecar' as const) : ('init' as const),
    })),
    ...containers.map((container) => ({ container, role: 'main' as const })),
    ...ephemeralContainers.map((container) => ({ container, role: 'ephemeral' as const })),
  ]
}

/** The statuses of all containers, in the same order as `containersOf`. */
export function containerStatuses({ status }: Pod): readonly ContainerStatus[] {
  const { initContainerStatuses = [], containerStatuses: main = [], ephemeralContainerStatuses = [] } = status
  return [...initContainerStatuses, ...main, ...ephemeralContainerStatuses]
}

/** The names of the volumes that containers mount, or have as devices; others are not set up. */
export const mountedVolumes = (pod: Pod): ReadonlySet<string> =>
  new Set(
    containersOf(pod).flatMap(({ container: { volumeMounts = [], volumeDevices = [] } }) =>
      [...volumeMounts, ...volumeDevices].map(({ name }) => name),
    ),
  )

export const podRef = (pod: Pod): PodRef => ({
  uid: pod.metadata.uid ?? '',
  name: pod.metadata.name ?? '',
  namespace: pod.metadata.namespace ?? '',
})

/** Whether the pod comes from a manifest of its node: it has no resource version. */
export const isStaticPod = (pod: Pod): boolean =>
  pod.metadata.resourceVersion === undefined && pod.metadata.annotations?.['kubernetes.io/config.hash'] !== undefined

/** Whether its object is being deleted; a static pod has none, and its status is reported as if it stayed. */
export const isBeingDeleted = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined && !isStaticPod(pod)

/** Whether its phase is terminal. */
export const isTerminal = (pod: Pod): boolean => pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed'
