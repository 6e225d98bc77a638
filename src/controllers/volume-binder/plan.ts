import { CLASS_ANNOTATION, classNameOf, SELECTED_NODE } from '../../resources/core/claim-annotations.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { StorageClass } from '../../resources/types/storage.ts'
import type { ObjectEvent } from '../frame/object-events.ts'
import { createdMs } from '../pods/pod-state.ts'
import { driverOfPlugin } from '../volumes/migrated-plugins.ts'
import { bestVolume, isFor, mismatchOf } from './matching.ts'

const HOST_PATH = 'kubernetes.io/host-path'

/** On a claim that was bound before. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
/** Annotation of a claim or a volume: this controller, not a user, chose the binding. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller'

export interface ClaimView {
  readonly claim: PersistentVolumeClaim
  readonly volumes: readonly PersistentVolume[]
  /** The claim's class, if it exists. */
  readonly storageClass: StorageClass | undefined
  /** Pods without a node that use the claim, by name. */
  readonly waitingPods: () => readonly string[]
}

export type ClaimPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'bind'; readonly volume: PersistentVolume }
  /** Its volume is gone, or bound to another claim. */
  | { readonly kind: 'lost'; readonly reason: string; readonly message: string }
  /** An event has the reason why the claim waits. */
  | { readonly kind: 'report'; readonly event: ObjectEvent }
  /** A provisioner creates the volume, or fails at once. */
  | { readonly kind: 'ask'; readonly provisioner: string; readonly failure?: string }

/** The decision about a claim: it gets a volume, or an event reports why there is none. Pure. */
export function planClaim(view: ClaimView): ClaimPlan {
  const { claim, volumes } = view
  const named = claim.spec?.volumeName
  const volume = named ? volumes.find((v) => v.metadata.name === named) : undefined
  if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) return planBound(claim, volume)
  if (claim.metadata.deletionTimestamp !== undefined) return { kind: 'keep' }
  if (named) return planNamed(claim, volume)
  const { storageClass } = view
  const late = storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
  const best = bestVolume(claim, volumes, late)
  if (best !== undefined) return { kind: 'bind', volume: best }
  if (late && claim.metadata.annotations?.[SELECTED_NODE] === undefined) return reportWaiting(view.waitingPods())
  return provision(claim, storageClass)
}

/** A claim that was bound before. */
function planBound(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimPlan {
  const lost = (reason: string, message: string): ClaimPlan =>
    claim.status?.phase === 'Lost' ? { kind: 'keep' } : { kind: 'lost', reason, message }
  if (!claim.spec?.volumeName) return lost('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!')
  if (volume === undefined) return lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!')
  const ref = volume.spec?.claimRef
  if (ref && ref.uid !== claim.metadata.uid)
    return lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly')
  return ref && claim.status?.phase === 'Bound' ? { kind: 'keep' } : { kind: 'bind', volume }
}

/** A claim that names its volume. */
function planNamed(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimPlan {
  if (volume === undefined) return { kind: 'keep' }
  const name = volume.metadata.name ?? ''
  if (volume.spec?.claimRef) {
    if (isFor(volume, claim)) return { kind: 'bind', volume }
    return {
      kind: 'report',
      event: { type: 'Warning', reason: 'FailedBinding', message: `volume "${name}" already bound to a different claim.` },
    }
  }
  const mismatch = mismatchOf(claim, volume)
  if (mismatch === undefined) return { kind: 'bind', volume }
  const message = `Cannot bind to requested volume "${name}": ${mismatch}`
  return { kind: 'report', event: { type: 'Warning', reason: 'VolumeMismatch', message } }
}

function reportWaiting(pods: readonly string[]): ClaimPlan {
  const [first, ...others] = pods
  if (first === undefined) {
    const message = 'waiting for first consumer to be created before binding'
    return { kind: 'report', event: { type: 'Normal', reason: 'WaitForFirstConsumer', message } }
  }
  const who = others.length === 0 ? `pod ${first}` : `pods ${pods.join(',')}`
  return { kind: 'report', event: { type: 'Normal', reason: 'WaitForPodScheduled', message: `waiting for ${who} to be scheduled` } }
}

function provision(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): ClaimPlan {
  const name = classNameOf(claim)
  const none = 'no persistent volumes available for this claim and no storage class is set'
  if (name === '') return { kind: 'report', event: { type: 'Normal', reason: 'FailedBinding', message: none } }
  if (storageClass === undefined) return failed(`storageclass.storage.k8s.io "${name}" not found`)
  const { provisioner } = storageClass
  const driver = driverOfPlugin(provisioner)
  if (driver !== undefined) return { kind: 'ask', provisioner: driver }
  if (provisioner === HOST_PATH) return failureOfHostPath(claim, storageClass)
  if (provisioner.startsWith('kubernetes.io/')) return failed(`no volume plugin matched name: ${provisioner}`)
  return { kind: 'ask', provisioner }
}

/** The plugin is there, but may not make volumes: a flag of kube-controller-manager that is off. */
function failureOfHostPath({ spec }: PersistentVolumeClaim, { metadata, mountOptions = [] }: StorageClass): ClaimPlan {
  if (spec?.dataSource) return failed(`plugin "${HOST_PATH}" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`)
  const failure =
    mountOptions.length > 0
      ? `Mount options are not supported by the provisioner but StorageClass "${metadata.name}" has mount options [${mountOptions.join(' ')}]`
      : `Failed to create provisioner: provisioning in volume plugin "${HOST_PATH}" is disabled`
  return { kind: 'ask', provisioner: HOST_PATH, failure }
}

function failed(message: string): ClaimPlan {
  return { kind: 'report', event: { type: 'Warning', reason: 'ProvisioningFailed', message } }
}

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'

/** The default class for a claim that was created when there was none; of several the newest. Pure. */
export function lateDefaultClass(claim: PersistentVolumeClaim, classes: readonly StorageClass[]): string | undefined {
  const { spec, metadata, status } = claim
  const asks = spec?.storageClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] !== undefined
  if (asks || spec?.volumeName || status?.phase === 'Bound' || metadata.deletionTimestamp !== undefined) return undefined
  const defaults = classes.filter((c) => c.metadata.annotations?.[DEFAULT_CLASS] === 'true')
  return defaults.toSorted((a, b) => createdMs(b) - createdMs(a) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))[0]
    ?.metadata.name
}
