import type { KubeObject } from '../../machinery/object.ts'
import { compileLabelSelector } from '../../machinery/selectors/label-selector.ts'
import { classNameOf } from '../../resources/core/claim-annotations.ts'
import { compareQuantities } from './claim-size.ts'

/** Whether the volume is kept for this claim, or bound to it. */
export function isFor(volume: KubeObject, claim: KubeObject): boolean {
  const ref = volume.spec?.claimRef
  const { name, namespace, uid } = claim.metadata
  return ref?.name === name && ref?.namespace === namespace && (!ref?.uid || ref.uid === uid)
}

const askedOf = (claim: KubeObject): string | undefined => claim.spec?.resources?.requests?.storage
const sizeOf = (volume: KubeObject): string | undefined => volume.spec?.capacity?.storage
const modeOf = ({ spec }: KubeObject): string => spec?.volumeMode || 'Filesystem'
const attributesOf = ({ spec }: KubeObject): string => spec?.volumeAttributesClassName ?? ''
export const sameMode = (claim: KubeObject, volume: KubeObject): boolean => modeOf(claim) === modeOf(volume)

function hasModes(claim: KubeObject, volume: KubeObject): boolean {
  const modes: readonly string[] = claim.spec?.accessModes ?? []
  return modes.every((m) => volume.spec?.accessModes?.includes(m))
}

/** Why a volume that the claim names is none for it. */
export function mismatchOf(claim: KubeObject, volume: KubeObject): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) return `the volume is marked for deletion "${volume.metadata.name}"`
  if (compareQuantities(sizeOf(volume), askedOf(claim)) < 0) return 'requested PV is too small'
  if (classNameOf(volume) !== classNameOf(claim)) return 'storageClassName does not match'
  if (attributesOf(volume) !== attributesOf(claim)) return 'volumeAttributesClassName does not match'
  if (!sameMode(claim, volume)) return 'incompatible volumeMode'
  return hasModes(claim, volume) ? undefined : 'incompatible accessMode'
}

/** The volume that was kept for the claim, or the smallest free one that is large enough. With `keptOnly` a free one is the scheduler's to choose. */
export function bestVolume(claim: KubeObject, volumes: readonly KubeObject[], keptOnly: boolean): KubeObject | undefined {
  const selector = claim.spec?.selector ? compileLabelSelector(claim.spec.selector) : undefined
  let best: KubeObject | undefined
  for (const volume of volumes) {
    const kept = Boolean(volume.spec?.claimRef)
    if (kept ? !isFor(volume, claim) : keptOnly || volume.status?.phase !== 'Available') continue
    if (volume.metadata.deletionTimestamp !== undefined || compareQuantities(sizeOf(volume), askedOf(claim)) < 0) continue
    if (!sameMode(claim, volume) || attributesOf(claim) !== attributesOf(volume) || !hasModes(claim, volume)) continue
    if (kept) return volume
    if (classNameOf(volume) !== classNameOf(claim) || selector?.matches(volume.metadata.labels) === false) continue
    if (best === undefined || compareQuantities(sizeOf(volume), sizeOf(best)) < 0) best = volume
  }
  return best
}
