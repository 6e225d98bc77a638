import type { KubeObject } from '../../machinery/object.ts'
import { claimsOf } from '../../resources/pod/mounted-claims.ts'

/** The claims that a pod mounts, `namespace/name`. */
export const mountedClaims = (pod: KubeObject): readonly string[] => claimsOf(pod).map((name) => `${pod.metadata.namespace}/${name}`)

/** Whether the pod's volumes are mounted: it has come so far on its node, and has not ended. */
export const hasMounted = ({ spec, status }: KubeObject): boolean =>
  Boolean(spec?.nodeName) &&
  status?.phase !== 'Succeeded' &&
  status?.phase !== 'Failed' &&
  (status?.conditions ?? []).some((c: { type: string; status: string }) => c.type === 'PodReadyToStartContainers' && c.status === 'True')

/** The status of a claim whose file system a node is about to enlarge. Pure. */
export const growing = ({ status }: KubeObject): KubeObject['status'] => ({
  ...status,
  allocatedResourceStatuses: { ...status?.allocatedResourceStatuses, storage: 'NodeResizeInProgress' },
})
