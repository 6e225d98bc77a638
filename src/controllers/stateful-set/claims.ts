import { ignoring } from '../../machinery/ignoring.ts'
import type { OwnerReference } from '../../machinery/object.ts'
import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../resources/refs.ts'
import type { StatefulSet } from '../../resources/types/apps.ts'
import type { PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { createObject, updateObject } from '../frame/objects.ts'
import { claimOwners, hasForeignController, isLeftOver } from './claim-retention.ts'
import type { StatefulSetDeps } from './deps.ts'
import { inRange, ordinalOf } from './ordinals.ts'
import { claimsFor } from './set-pod.ts'

/** Creates the claims of a pod that do not exist. */
export async function createClaims(deps: StatefulSetDeps, set: StatefulSet, pod: Pod): Promise<void> {
  for (const wanted of claimsFor(set, ordinalOf(set, pod))) {
    const existing = deps.claims.get(objectKey(wanted))
    if (existing?.metadata.deletionTimestamp !== undefined) throw new Error(`pvc ${wanted.metadata.name} is being deleted`)
    if (existing === undefined) await createClaim(deps, set, pod, owned(wanted, claimOwners(set, pod, wanted)))
  }
}

async function createClaim({ client, events }: StatefulSetDeps, set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim): Promise<void> {
  const { name } = claim.metadata
  try {
    await createObject(client, PERSISTENT_VOLUME_CLAIMS, claim)
    const message = `Create Claim ${name} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} success`
    events.normal(set, 'SuccessfulCreate', message)
  } catch (error) {
    if (isStatus(error, 'AlreadyExists')) return
    if (!isStatus(error) || isTerminatingNamespace(error)) throw error
    const message = `Create Claim ${name} for Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} failed error: ${error.message}`
    events.warning(set, 'FailedCreate', message)
    throw new Error(`failed to create PVC ${name}: ${error.message}`, { cause: error })
  }
}

/** The existing claims of a pod. */
function claimsOf({ claims }: StatefulSetDeps, set: StatefulSet, pod: Pod): readonly PersistentVolumeClaim[] {
  return claimsFor(set, ordinalOf(set, pod)).flatMap((wanted) => claims.get(objectKey(wanted)) ?? [])
}

/** The name of a claim that a new pod must not use: it goes with the pod that had the name before. */
export const leftOverClaim = (deps: StatefulSetDeps, set: StatefulSet, pod: Pod): string | undefined =>
  claimsOf(deps, set, pod).find((claim) => isLeftOver(set, pod, claim))?.metadata.name

/** Sets the owners of a pod's claims by the set's retention policy. Resolves with whether any was changed. */
export async function setClaimOwners(deps: StatefulSetDeps, set: StatefulSet, pod: Pod): Promise<boolean> {
  let changed = false
  for (const claim of claimsOf(deps, set, pod)) {
    const ownerReferences = claimOwners(set, pod, claim)
    const reports = ownerReferences !== undefined || pod.status?.phase === 'Pending' || !inRange(set, pod)
    if (reports && hasForeignController(set, pod, claim)) deps.events.warning(set, 'ConflictingController', conflictMessage(claim))
    if (ownerReferences === undefined) continue
    await updateObject(deps.client, PERSISTENT_VOLUME_CLAIMS, owned(claim, ownerReferences)).catch(ignoring('NotFound'))
    changed = true
  }
  return changed
}

const owned = (claim: PersistentVolumeClaim, owners: readonly OwnerReference[] | undefined): PersistentVolumeClaim =>
  owners === undefined ? claim : { ...claim, metadata: { ...claim.metadata, ownerReferences: [...owners] } }

// "manging" is upstream's spelling.
const conflictMessage = ({ metadata: { name } }: PersistentVolumeClaim) =>
  `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`
