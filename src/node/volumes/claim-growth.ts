import type { KubeObject } from '../../machinery/object.ts'

/** Conditions that tell of a claim that grows: they go when it has grown. */
const RESIZE: ReadonlySet<string> = new Set(['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError'])
const ON_NODE: ReadonlySet<string> = new Set(['NodeResizePending', 'NodeResizeInProgress'])

const stageOf = (claim: KubeObject): string => claim.status?.allocatedResourceStatuses?.storage ?? ''

/** Whether the volume has grown, and the file system on it waits for a node. */
export const awaitsNode = (claim: KubeObject): boolean => claim.status?.phase === 'Bound' && ON_NODE.has(stageOf(claim))

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

/** The status of a claim that is as large as its volume. Pure. */
export function grown({ status }: KubeObject, volume: KubeObject): KubeObject['status'] {
  const { allocatedResourceStatuses: { storage: _, ...others } = {}, conditions = [], ...rest } = status ?? {}
  return {
    ...rest,
    capacity: { ...rest.capacity, storage: volume.spec?.capacity?.storage },
    ...(Object.keys(others).length > 0 && { allocatedResourceStatuses: others }),
    conditions: conditions.filter((c: { type: string }) => !RESIZE.has(c.type)),
  }
}
