import { compileLabelSelector } from '../../machinery/selectors/label-selector.ts'
import { classNameOf } from '../../resources/core/claim-annotations.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import { compareQuantities } from '../volumes/claim-size.ts'

/** Whether the volume is reserved for this claim, or bound to it. */
export function isFor(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const ref = volume.spec?.claimRef
  const { name, namespace, uid } = claim.metadata
  return ref?.name === name && ref?.namespace === namespace && (!ref?.uid || ref.uid === uid)
}

const requestedStorage = (claim: PersistentVolumeClaim) => claim.spec?.resources?.requests?.storage
const sizeOf = (volume: PersistentVolume) => volume.spec?.capacity?.storage
type Stored = PersistentVolumeClaim | PersistentVolume
const modeOf = ({ spec }: Stored): string => spec?.volumeMode || 'Filesystem'
const attributesOf = ({ spec }: Stored): string => spec?.volumeAttributesClassName ?? ''
export const sameMode = (claim: PersistentVolumeClaim, volume: PersistentVolume): boolean => modeOf(claim) === modeOf(volume)

function hasModes(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const modes = claim.spec?.accessModes ?? []
  return modes.every((m) => volume.spec?.accessModes?.includes(m))
}

/** Why the claim cannot have the volume that it names. */
export function mismatchOf(claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) return `the volume is marked for deletion "${volume.metadata.name}"`
  if (compareQuantities(sizeOf(volume), requestedStorage(claim)) < 0) return 'requested PV is too small'
  if (classNameOf(volume) !== classNameOf(claim)) return 'storageClassName does not match'
  if (attributesOf(volume) !== attributesOf(claim)) return 'volumeAttributesClassName does not match'
  if (!sameMode(claim, volume)) return 'incompatible volumeMode'
  return hasModes(claim, volume) ? undefined : 'incompatible accessMode'
}

/**
 * Of the volumes with the fewest access modes the one reserved for the claim, or the smallest free one that is large enough. With
 * `reservedOnly` the scheduler chooses among the free ones.
 */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  reservedOnly: boolean,
): PersistentVolume | undefined {
  const selector = claim.spec?.selector ? compileLabelSelector(claim.spec.selector) : undefined
  let best: PersistentVolume | undefined
  for (const volume of volumes) {
    const reserved = isReserved(volume)
    if (reserved ? !isFor(volume, claim) : reservedOnly || volume.status?.phase !== 'Available') continue
    if (volume.metadata.deletionTimestamp !== undefined || compareQuantities(sizeOf(volume), requestedStorage(claim)) < 0) continue
    if (!sameMode(claim, volume) || attributesOf(claim) !== attributesOf(volume) || !hasModes(claim, volume)) continue
    if (!reserved && (classNameOf(volume) !== classNameOf(claim) || selector?.matches(volume.metadata.labels) === false)) continue
    if (best === undefined || byFitness(volume, best) < 0) best = volume
  }
  return best
}

const isReserved = ({ spec }: PersistentVolume) => Boolean(spec?.claimRef)
const modesOf = ({ spec }: PersistentVolume) => new Set(spec?.accessModes).size
const byFitness = (a: PersistentVolume, b: PersistentVolume) =>
  modesOf(a) - modesOf(b) || Number(isReserved(b)) - Number(isReserved(a)) || compareQuantities(sizeOf(a), sizeOf(b))
