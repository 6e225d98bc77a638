import { PROVISIONED_BY } from '../../resources/core/claim-annotations.ts'
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec } from '../../resources/types/core.ts'
import { driverOfPlugin } from '../volumes/migrated-plugins.ts'
import { sameMode } from './matching.ts'
import { BOUND_BY_CONTROLLER } from './plan.ts'

/** On a volume of an in-tree plugin: the CSI driver that it was migrated to. */
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to'

/** Keeps a volume of an in-tree plugin until its storage is deleted. */
export const IN_TREE = 'kubernetes.io/pv-controller'
const EXTERNAL = 'external-provisioner.volume.kubernetes.io/finalizer'

/** The component that deletes the storage of a volume, by its metadata. */
export interface Keeper {
  readonly migratedTo: string | null
  readonly finalizers: string[]
}

/** The keeper that a volume should name; undefined if it does. Pure. */
export function keeperOf({ metadata, spec }: PersistentVolume): Keeper | undefined {
  const { annotations = {}, finalizers = [] } = metadata
  const provisioner = annotations[PROVISIONED_BY]
  if (provisioner === undefined) return undefined
  const migratedTo = driverOfPlugin(provisioner) ?? null
  const inside = migratedTo === null && provisioner.startsWith('kubernetes.io/')
  let wanted = finalizers
  if (migratedTo !== null || (inside && spec?.persistentVolumeReclaimPolicy !== 'Delete')) wanted = finalizers.filter((f) => f !== IN_TREE)
  else if (inside) wanted = finalizers.includes(IN_TREE) ? finalizers : [...finalizers, IN_TREE]
  if (inside) wanted = wanted.filter((f) => f !== EXTERNAL)
  const same = wanted.length === finalizers.length && wanted.every((f, i) => f === finalizers[i])
  return same && (annotations[MIGRATED_TO] ?? null) === migratedTo ? undefined : { migratedTo, finalizers: [...wanted] }
}

export type VolumePlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'phase'; readonly phase: 'Available' | 'Bound' | 'Released' }
  /** It becomes as it was before it was claimed. */
  | { readonly kind: 'unbind' }
  /** The claim is reconciled again. */
  | { readonly kind: 'ask claim'; readonly claim: PersistentVolumeClaim; readonly mismatch: boolean }
  /** A pod wipes it for other claims. */
  | { readonly kind: 'recycle' }
  /** Its storage is gone. */
  | { readonly kind: 'delete' }
  | { readonly kind: 'fail'; readonly reason: string; readonly message: string }

/** What becomes of a volume. Pure. */
export function planVolume(
  volume: PersistentVolume,
  claimOf: (namespace: string, name: string) => PersistentVolumeClaim | undefined,
): VolumePlan {
  const phase = (wanted: 'Available' | 'Bound' | 'Released'): VolumePlan =>
    volume.status?.phase === wanted ? { kind: 'keep' } : { kind: 'phase', phase: wanted }
  const ref = volume.spec?.claimRef
  if (!ref?.uid) return phase('Available')
  const current = claimOf(ref.namespace ?? '', ref.name ?? '')
  const claim = current?.metadata.uid === ref.uid ? current : undefined
  if (claim === undefined) return released(volume)
  if (!claim.spec?.volumeName) return { kind: 'ask claim', claim, mismatch: !sameMode(claim, volume) }
  if (claim.spec.volumeName === volume.metadata.name) return phase('Bound')
  const made = volume.metadata.annotations?.[PROVISIONED_BY] !== undefined
  return made && volume.spec?.persistentVolumeReclaimPolicy === 'Delete' ? released(volume) : { kind: 'unbind' }
}

/** A volume is reported as Released first, then reclaimed. A failure stays visible. */
function released(volume: PersistentVolume): VolumePlan {
  const { phase } = volume.status ?? {}
  if (phase !== 'Released' && phase !== 'Failed') return { kind: 'phase', phase: 'Released' }
  const plan = reclaim(volume)
  return plan.kind === 'fail' && phase === 'Failed' ? { kind: 'keep' } : plan
}

function reclaim({ metadata, spec }: PersistentVolume): VolumePlan {
  if (metadata.annotations?.[MIGRATED_TO]) return { kind: 'keep' }
  switch (spec?.persistentVolumeReclaimPolicy) {
    case 'Delete':
      return deletion(metadata.name ?? '', metadata.annotations?.[PROVISIONED_BY] ?? '', spec)
    case 'Recycle':
      return spec.hostPath || spec.nfs
        ? { kind: 'recycle' }
        : { kind: 'fail', reason: 'VolumeFailedRecycle', message: 'No recycler plugin found for the volume!' }
    default:
      return { kind: 'keep' }
  }
}

const CAN_DELETE = /^\/tmp\/.+/

function deletion(name: string, provisioner: string, spec: PersistentVolumeSpec | undefined): VolumePlan {
  const fail = (message: string): VolumePlan => ({ kind: 'fail', reason: 'VolumeFailedDelete', message })
  if (provisioner !== '' && provisioner !== 'kubernetes.io/host-path') {
    if (!provisioner.startsWith('kubernetes.io/') || driverOfPlugin(provisioner) !== undefined) return { kind: 'keep' }
    return fail(`no volume plugin matched name: ${provisioner}`)
  }
  if (spec?.csi) return { kind: 'keep' }
  const path = spec?.hostPath?.path
  const none = spec?.nfs ? 'no deletable volume plugin matched' : 'no volume plugin matched'
  if (path === undefined) return fail(`error getting deleter volume plugin for volume "${name}": ${none}`)
  return CAN_DELETE.test(path) ? { kind: 'delete' } : fail(`host_path deleter only supports /tmp/.+ but received provided ${path}`)
}

/** The volume as it was before it was bound: reserved for the claim if a user had reserved it. Pure. */
export function unbound(volume: PersistentVolume): PersistentVolume {
  const { [BOUND_BY_CONTROLLER]: ours, ...annotations } = volume.metadata.annotations ?? {}
  const { claimRef, ...spec } = volume.spec ?? {}
  if (ours !== undefined) return { ...volume, metadata: { ...volume.metadata, annotations }, spec }
  const { uid: _, ...kept } = claimRef ?? {}
  return { ...volume, spec: { ...spec, claimRef: kept } }
}
