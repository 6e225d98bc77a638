import type { KubeObject } from '../../machinery/object.ts'

/** The claims that a pod mounts, `namespace/name`. */
export function mountedClaims({ metadata, spec }: KubeObject): readonly string[] {
  const keys: string[] = []
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    const claim: string | undefined = persistentVolumeClaim?.claimName ?? (ephemeral ? `${metadata.name}-${name}` : undefined)
    if (claim !== undefined) keys.push(`${metadata.namespace}/${claim}`)
  }
  return keys
}

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
