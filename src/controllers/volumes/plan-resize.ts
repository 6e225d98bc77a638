import { timestamp } from '../../base/clock.ts'
import { BEFORE_GROWTH } from '../../resources/core/claim-annotations.ts'
import { awaitsNode, grownStatus, RESIZE_CONDITIONS } from '../../resources/core/volumes/claim-growth.ts'
import type {
  ClaimResourceStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
  PersistentVolumeClaimStatus,
} from '../../resources/types/core.ts'
import { compareQuantities } from './claim-size.ts'

/** On a claim whose volume grows without the kubelet. */
export const NO_NODE = 'volume.kubernetes.io/node-expansion-not-required'

export type ResizePlan =
  | { readonly kind: 'keep' }
  /** The file system has grown as well: the size before is not needed any more. */
  | { readonly kind: 'forget' }
  | {
      readonly kind: 'resize'
      readonly size: string
      /** The status while the volume grows. */
      readonly begun: PersistentVolumeClaimStatus
      /** The status after that, while a kubelet has to grow the file system. */
      readonly pending: PersistentVolumeClaimStatus
      /** The status after that, if no kubelet has to. */
      readonly grown: PersistentVolumeClaimStatus
    }

/** The next step for a claim of a driver that requests more than it has, as in external-resizer. Pure. */
export function planResize(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined, nowMs: number, driver: string): ResizePlan {
  const { spec, status, metadata } = claim
  if (volume?.spec?.csi?.driver !== driver || volume.spec.claimRef?.uid !== metadata.uid || status?.phase !== 'Bound')
    return { kind: 'keep' }
  const [wanted, has, real] = [spec?.resources?.requests?.storage, status.capacity?.storage, volume.spec.capacity?.storage]
  if (compareQuantities(wanted, has) <= 0) {
    const kept = volume.metadata.annotations?.[BEFORE_GROWTH] !== undefined && compareQuantities(has, real) >= 0
    return { kind: kept ? 'forget' : 'keep' }
  }
  // A resize in progress ends before another begins.
  if (awaitsNode(claim)) return { kind: 'keep' }
  const under = status.allocatedResources?.storage
  const again = status.allocatedResourceStatuses?.storage === 'ControllerResizeInProgress' && under !== undefined
  const requested = String(again ? under : wanted)
  // Volumes never shrink.
  const size = compareQuantities(real, requested) > 0 ? String(real) : requested
  const now = timestamp(nowMs)
  const resizing = mergeConditions(status.conditions ?? [], { type: 'Resizing', status: 'True', lastTransitionTime: now }, again)
  const statuses = (storage: ClaimResourceStatus) => ({ ...status.allocatedResourceStatuses, storage })
  const begun = {
    ...status,
    conditions: resizing,
    allocatedResources: { ...status.allocatedResources, storage: size },
    allocatedResourceStatuses: statuses('ControllerResizeInProgress'),
  }
  const message = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.'
  const condition = { type: 'FileSystemResizePending', status: 'True', lastTransitionTime: now, message } as const
  const conditions = mergeConditions(resizing, condition, true)
  const pending = { ...begun, conditions, allocatedResourceStatuses: statuses('NodeResizePending') }
  return { kind: 'resize', size, begun, pending, grown: grownStatus(begun, size) }
}

function mergeConditions(
  old: readonly PersistentVolumeClaimCondition[],
  fresh: PersistentVolumeClaimCondition,
  keepOthers: boolean,
): readonly PersistentVolumeClaimCondition[] {
  const kept = old.filter((c) => !RESIZE_CONDITIONS.has(c.type) || c.type === fresh.type || keepOthers)
  const at = kept.findIndex((c) => c.type === fresh.type)
  if (at === -1) return [...kept, fresh]
  return kept[at]?.status === fresh.status ? kept : kept.with(at, fresh)
}
