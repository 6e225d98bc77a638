import { claimOf } from '../../../resources/pod/mounted-claims.ts'
import type { PersistentVolume, PersistentVolumeClaim, Volume } from '../../../resources/types/core.ts'
import type { Pod } from '../../types/pod.ts'
import type { References } from './references.ts'

/** With it, a claim that is being deleted stays until no pod uses it. */
const PROTECTION = 'kubernetes.io/pvc-protection'

/** Why a volume's claim, or the volume behind it, cannot be used; undefined: it can, or the volume has no claim. */
export async function claimFault(pod: Pod, volume: Volume, references: References): Promise<string | undefined> {
  const name = claimOf(pod, volume)
  if (name === undefined) return undefined
  const namespace = pod.metadata.namespace ?? ''
  const where = `error processing PVC ${namespace}/${name}`
  const claim = await references.claim(namespace, name)
  if (claim === undefined) return `${where}: failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found`
  const unbound = unboundFault(claim)
  if (unbound !== undefined) return `${where}: ${unbound}`
  if (volume.ephemeral !== undefined && !isOwnClaim(pod, claim))
    return `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`
  const volumeName = claim.spec?.volumeName ?? ''
  const bound = await references.volume(volumeName)
  if (bound === undefined) return `${where}: failed to fetch PV ${volumeName} from API server: persistentvolumes "${volumeName}" not found`
  const foreign = foreignFault(volumeName, bound, claim)
  return foreign === undefined ? modeFault(pod, volume.name, bound) : `${where}: ${foreign}`
}

function unboundFault({ metadata, status, spec }: PersistentVolumeClaim): string | undefined {
  if (metadata.deletionTimestamp !== undefined && !metadata.finalizers?.includes(PROTECTION)) return 'PVC is being deleted'
  if (status?.phase !== 'Bound') return 'PVC is not bound'
  return spec?.volumeName ? undefined : 'PVC has empty pvc.Spec.VolumeName'
}

const isOwnClaim = ({ metadata: { uid } }: Pod, { metadata: { ownerReferences = [] } }: PersistentVolumeClaim) =>
  ownerReferences.some((owner) => owner.controller === true && owner.uid === uid)

function foreignFault(name: string, { spec }: PersistentVolume, { metadata: { uid = '' } }: PersistentVolumeClaim): string | undefined {
  if (spec?.claimRef === undefined)
    return `found PV object ${name} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`
  const bound = spec.claimRef.uid ?? ''
  return bound === uid ? undefined : `found PV object ${name} but its pv.Spec.ClaimRef.UID ${bound} does not point to claim.UID ${uid}`
}

/** Containers mount a volume of mode Filesystem, and have one of mode Block as a device. */
function modeFault(pod: Pod, name: string, { spec }: PersistentVolume): string | undefined {
  const mode = spec?.volumeMode ?? 'Filesystem'
  const field = mode === 'Block' ? 'volumeMounts' : 'volumeDevices'
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
  const misused = containers.some((c) => c[field]?.some((use) => use.name === name))
  return misused ? `volume ${name} has volumeMode ${mode}, but is specified in ${field}` : undefined
}
