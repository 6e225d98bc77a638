import type { KubeObject } from '../../machinery/object.ts'
import { type Quantity, tryParseQuantity } from '../../machinery/quantity.ts'
import { compileLabelSelector } from '../../machinery/selectors/label-selector.ts'
import { CLASS_ANNOTATION, classNameOf, SELECTED_NODE } from '../../resources/core/claim-annotations.ts'
import { createdMs } from '../pods/pod-state.ts'

const NO_PROVISIONER = 'kubernetes.io/no-provisioner'

export interface ClaimView {
  readonly claim: KubeObject
  readonly volumes: readonly KubeObject[]
  /** The claim's class, where it names one that exists. */
  readonly storageClass: KubeObject | undefined
}

export type ClaimPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'bind'; readonly volume: KubeObject }
  /** The volume that it was bound to is gone. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'tell'; readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }
  /** Somebody outside makes the volume. */
  | { readonly kind: 'ask'; readonly provisioner: string }

/** What becomes of a claim: a volume that fits, or word of why there is none. Pure. */
export function planClaim({ claim, volumes, storageClass }: ClaimView): ClaimPlan {
  if (claim.metadata.deletionTimestamp !== undefined) return { kind: 'keep' }
  const bound = volumes.find((v) => isFor(v, claim) && v.spec?.claimRef?.uid === claim.metadata.uid)
  const named = claim.spec?.volumeName
  if (named) {
    const volume = volumes.find((v) => v.metadata.name === named)
    if (claim.status?.phase === 'Bound') return volume === undefined ? { kind: 'lost' } : { kind: 'keep' }
    if (volume === undefined || (volume.spec?.claimRef && !isFor(volume, claim))) return { kind: 'keep' }
    const mismatch = volume.spec?.claimRef?.uid === claim.metadata.uid ? undefined : mismatchOf(claim, volume)
    if (mismatch === undefined) return { kind: 'bind', volume }
    const message = `Cannot bind to requested volume "${named}": ${mismatch}`
    return { kind: 'tell', type: 'Warning', reason: 'VolumeMismatch', message }
  }
  if (bound !== undefined) return { kind: 'bind', volume: bound }
  const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && claim.metadata.annotations?.[SELECTED_NODE] === undefined
  if (waits)
    return {
      kind: 'tell',
      type: 'Normal',
      reason: 'WaitForFirstConsumer',
      message: 'waiting for first consumer to be created before binding',
    }
  const volume = bestVolume(claim, volumes)
  if (volume !== undefined) return { kind: 'bind', volume }
  return provision(claim, storageClass)
}

function provision(claim: KubeObject, storageClass: KubeObject | undefined): ClaimPlan {
  const name = classNameOf(claim)
  const none = 'no persistent volumes available for this claim and no storage class is set'
  if (name === '') return { kind: 'tell', type: 'Normal', reason: 'FailedBinding', message: none }
  if (storageClass === undefined)
    return { kind: 'tell', type: 'Warning', reason: 'ProvisioningFailed', message: `storageclass.storage.k8s.io "${name}" not found` }
  const provisioner = String(storageClass.provisioner ?? '')
  const message = `no volume plugin matched name: ${provisioner}`
  return provisioner === NO_PROVISIONER
    ? { kind: 'tell', type: 'Warning', reason: 'ProvisioningFailed', message }
    : { kind: 'ask', provisioner }
}

const isFor = (volume: KubeObject, claim: KubeObject) => {
  const ref = volume.spec?.claimRef
  return ref?.name === claim.metadata.name && ref?.namespace === claim.metadata.namespace && (!ref?.uid || ref.uid === claim.metadata.uid)
}

/** Why a volume that the claim names is none for it. */
function mismatchOf(claim: KubeObject, volume: KubeObject): string | undefined {
  const asked = tryParseQuantity(claim.spec?.resources?.requests?.storage ?? '0')
  const size = tryParseQuantity(volume.spec?.capacity?.storage ?? '0')
  if (asked === undefined || size === undefined || size.compare(asked) < 0) return 'requested PV is too small'
  if (classNameOf(volume) !== classNameOf(claim)) return 'storageClassName does not match'
  if ((volume.spec?.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem')) return 'incompatible volumeMode'
  const modes: readonly string[] = claim.spec?.accessModes ?? []
  return modes.every((m) => volume.spec?.accessModes?.includes(m)) ? undefined : 'incompatible accessMode'
}

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'

/** The default class that a claim gets which was made when there was none; of several the newest. Pure. */
export function lateDefaultClass(claim: KubeObject, classes: readonly KubeObject[]): string | undefined {
  const { spec, metadata, status } = claim
  const asks = spec?.storageClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] !== undefined
  if (asks || spec?.volumeName || status?.phase === 'Bound' || metadata.deletionTimestamp !== undefined) return undefined
  const defaults = classes.filter((c) => c.metadata.annotations?.[DEFAULT_CLASS] === 'true')
  return defaults.toSorted((a, b) => createdMs(b) - createdMs(a) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))[0]
    ?.metadata.name
}

/** The volume that was kept for the claim, or the smallest free one that is large enough. */
function bestVolume(claim: KubeObject, volumes: readonly KubeObject[]): KubeObject | undefined {
  const asked = tryParseQuantity(claim.spec?.resources?.requests?.storage ?? '0')
  const size = (v: KubeObject) => tryParseQuantity(v.spec?.capacity?.storage ?? '0')
  const modes: readonly string[] = claim.spec?.accessModes ?? []
  const selector = claim.spec?.selector ? compileLabelSelector(claim.spec.selector) : undefined
  const fits = volumes.filter((v) => {
    const has = size(v)
    if (v.metadata.deletionTimestamp !== undefined || asked === undefined || has === undefined || has.compare(asked) < 0) return false
    if ((v.spec?.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem')) return false
    if (v.spec?.claimRef) return isFor(v, claim)
    const available = v.status?.phase === 'Available' && classNameOf(v) === classNameOf(claim)
    return (
      available && modes.every((m) => v.spec?.accessModes?.includes(m)) && (selector === undefined || selector.matches(v.metadata.labels))
    )
  })
  return fits.toSorted((a, b) => Number(Boolean(b.spec?.claimRef)) - Number(Boolean(a.spec?.claimRef)) || bySize(size(a), size(b)))[0]
}

/** The phase that a volume is to have; undefined when it is to be deleted by whoever made it. Pure. */
export function volumePhase(
  volume: KubeObject,
  claimOf: (namespace: string, name: string) => KubeObject | undefined,
): 'Available' | 'Bound' | 'Released' {
  const ref = volume.spec?.claimRef
  if (!ref?.uid) return 'Available'
  const claim = claimOf(ref.namespace ?? '', ref.name ?? '')
  return claim === undefined || claim.metadata.uid !== ref.uid ? 'Released' : 'Bound'
}

const bySize = (a: Quantity | undefined, b: Quantity | undefined): number => (a === undefined || b === undefined ? 0 : a.compare(b))
