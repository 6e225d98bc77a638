import { claimsOf } from '../../resources/pod/mounted-claims.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../resources/types/core.ts'
import type { Pod } from '../types/pod.ts'

/** The claims that a pod mounts, `namespace/name`. */
export const mountedClaims = (pod: Pod): readonly string[] => claimsOf(pod).map((name) => `${pod.metadata.namespace}/${name}`)

/** Whether the pod's volumes are mounted: it has started on its node, and has not ended. */
export const hasMounted = ({ spec, status }: Pod): boolean =>
  Boolean(spec.nodeName) &&
  status?.phase !== 'Succeeded' &&
  status?.phase !== 'Failed' &&
  (status?.conditions ?? []).some((c) => c.type === 'PodReadyToStartContainers' && c.status === 'True')

/** The status of a claim whose file system is being resized. Pure. */
export const growing = ({ status }: PersistentVolumeClaim): PersistentVolumeClaimStatus => ({
  ...status,
  allocatedResourceStatuses: { ...status?.allocatedResourceStatuses, storage: 'NodeResizeInProgress' },
})
