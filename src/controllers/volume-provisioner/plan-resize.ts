import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { BEFORE_GROWTH } from '../../resources/core/claim-annotations.ts'
import { awaitsNode, grownStatus, RESIZE_CONDITIONS } from '../../resources/core/volumes/claim-growth.ts'
import { compareQuantities } from '../volume-binder/claim-size.ts'
import { DRIVER } from './default-class.ts'

/** On a claim: no node has to do anything when its volume grows. */
export const NO_NODE = 'volume.kubernetes.io/node-expansion-not-required'

interface ClaimCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly message?: string
}
type ClaimStatus = KubeObject['status']

export type ResizePlan =
  | { readonly kind: 'keep' }
  /** The file system has grown as well: what was kept in the volume is needed no more. */
  | { readonly kind: 'forget' }
  | {
      readonly kind: 'resize'
      readonly size: string
      /** The status that says that the work has begun. */
      readonly begun: ClaimStatus
      /** The status that says what is left to do, or that all is done. */
      readonly done: ClaimStatus
      /** Whether a node has to make the file system larger. */
      readonly byNode: boolean
    }

/** What becomes of a claim of the simulated driver that asks for more than it has, as external-resizer does it. Pure. */
export function planResize(claim: KubeObject, volume: KubeObject | undefined, nowMs: number): ResizePlan {
  const { spec, status, metadata } = claim
  if (volume?.spec?.csi?.driver !== DRIVER || volume.spec.claimRef?.uid !== metadata.uid || status?.phase !== 'Bound')
    return { kind: 'keep' }
  const [wanted, has, real] = [spec?.resources?.requests?.storage, status.capacity?.storage, volume.spec.capacity?.storage]
  if (compareQuantities(wanted, has) <= 0) {
    const kept = volume.metadata.annotations?.[BEFORE_GROWTH] !== undefined && compareQuantities(has, real) >= 0
    return { kind: kept ? 'forget' : 'keep' }
  }
  // What is under way is brought to its end before anything more is begun.
  if (awaitsNode(claim)) return { kind: 'keep' }
  const under: string | undefined = status.allocatedResources?.storage
  const again = status.allocatedResourceStatuses?.storage === 'ControllerResizeInProgress' && under !== undefined
  const asked = again ? under : String(wanted)
  // No volume ever becomes smaller.
  const size = compareQuantities(real, asked) > 0 ? String(real) : asked
  const now = timestamp(nowMs)
  const resizing = mergeConditions(status.conditions ?? [], { type: 'Resizing', status: 'True', lastTransitionTime: now }, again)
  const statuses = (storage: string) => ({ ...status.allocatedResourceStatuses, storage })
  const begun = {
    ...status,
    conditions: resizing,
    allocatedResources: { ...status.allocatedResources, storage: size },
    allocatedResourceStatuses: statuses('ControllerResizeInProgress'),
  }
  const byNode = volume.spec.volumeMode !== 'Block'
  if (!byNode) return { kind: 'resize', size, begun, done: grownStatus(begun, size), byNode }
  const message = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.'
  const pending = { type: 'FileSystemResizePending', status: 'True', lastTransitionTime: now, message }
  const done = { ...begun, conditions: mergeConditions(resizing, pending, true), allocatedResourceStatuses: statuses('NodeResizePending') }
  return { kind: 'resize', size, begun, done, byNode }
}

function mergeConditions(old: readonly ClaimCondition[], fresh: ClaimCondition, keepOthers: boolean): readonly ClaimCondition[] {
  const kept = old.filter((c) => !RESIZE_CONDITIONS.has(c.type) || c.type === fresh.type || keepOthers)
  const at = kept.findIndex((c) => c.type === fresh.type)
  if (at === -1) return [...kept, fresh]
  return kept[at]?.status === fresh.status ? kept : kept.with(at, fresh)
}
