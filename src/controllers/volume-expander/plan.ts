import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import { compareQuantities } from '../volumes/claim-size.ts'
import { pluginOfSource } from '../volumes/migrated-plugins.ts'

export type ExpanderPlan =
  | { readonly kind: 'keep' }
  /** An external resizer makes the volume larger. */
  | { readonly kind: 'tell'; readonly message: string; readonly resizer: string | undefined }

/** The report for a claim that requests more than it has. Pure. */
export function planExpander(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ExpanderPlan {
  const ref = volume?.spec?.claimRef
  if (claim.status?.phase !== 'Bound' || ref?.uid !== claim.metadata.uid) return { kind: 'keep' }
  if (compareQuantities(claim.spec?.resources?.requests?.storage, claim.status?.capacity?.storage) <= 0) return { kind: 'keep' }
  const old = pluginOfSource(volume?.spec ?? {})
  const message =
    old === undefined
      ? 'waiting for an external controller to expand this PVC'
      : `CSI migration enabled for ${old.plugin}; waiting for external resizer to expand the pvc`
  return { kind: 'tell', message, resizer: old?.driver }
}

/** Whether the claim requests more than before, or has got more. Pure. */
export const isAnotherSize = (claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean =>
  compareQuantities(claim.spec?.resources?.requests?.storage, old.spec?.resources?.requests?.storage) > 0 ||
  compareQuantities(claim.status?.capacity?.storage, old.status?.capacity?.storage) > 0
