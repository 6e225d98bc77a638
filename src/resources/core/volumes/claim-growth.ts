import type { PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../types/core.ts'

const ON_NODE: ReadonlySet<string> = new Set(['NodeResizePending', 'NodeResizeInProgress'])

/** Conditions of a claim that is being expanded: they are removed afterwards. */
export const RESIZE_CONDITIONS: ReadonlySet<string> = new Set([
  'Resizing',
  'FileSystemResizePending',
  'ControllerResizeError',
  'NodeResizeError',
])

/** True if the volume of the claim was expanded, and its file system waits for a node. */
export const awaitsNode = ({ status }: Pick<PersistentVolumeClaim, 'status'>): boolean =>
  status?.phase === 'Bound' && ON_NODE.has(status.allocatedResourceStatuses?.storage ?? '')

/** The status of a claim whose expansion is complete. Pure. */
export function grownStatus(status: PersistentVolumeClaimStatus | undefined, storage: string | undefined): PersistentVolumeClaimStatus {
  const { allocatedResourceStatuses: { storage: _, ...others } = {}, conditions = [], ...rest } = status ?? {}
  return {
    ...rest,
    capacity: { ...rest.capacity, ...(storage !== undefined && { storage }) },
    ...(Object.keys(others).length > 0 && { allocatedResourceStatuses: others }),
    conditions: conditions.filter((c) => !RESIZE_CONDITIONS.has(c.type)),
  }
}
