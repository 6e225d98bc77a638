import type { Event, PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import type { StorageClass } from '../../resources/types/storage.ts'
import { type Diagnosis, type Finding, lastWarning } from './finding.ts'

export interface ClaimFacts {
  readonly classes: readonly StorageClass[]
  /** The pods of its namespace. */
  readonly pods: readonly Pod[]
  /** Those of the claim. */
  readonly events: readonly Event[]
}

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class'

/** Why a claim has no volume. */
export function diagnoseClaim(claim: PersistentVolumeClaim, facts: ClaimFacts): Diagnosis {
  const { phase = 'Pending', capacity } = claim.status ?? {}
  const users = usersOf(claim, facts.pods)
  if (phase === 'Bound') {
    const size = capacity?.storage === undefined ? '' : ` of ${capacity.storage}`
    return { summary: `bound to ${claim.spec?.volumeName}${size}`, findings: deletion(claim, users) }
  }
  if (phase === 'Lost') return { summary: 'lost', findings: [{ message: `its volume ${claim.spec?.volumeName} does not exist any more` }] }
  return { summary: 'pending', findings: [...deletion(claim, users), ...pending(claim, users, facts)] }
}

const usersOf = ({ metadata: { name = '' } }: PersistentVolumeClaim, pods: readonly Pod[]) =>
  pods.filter(({ spec }) => (spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === name))

function deletion({ metadata }: PersistentVolumeClaim, users: readonly Pod[]): readonly Finding[] {
  if (metadata.deletionTimestamp === undefined) return []
  const names = users.map((pod) => pod.metadata.name).join(', ')
  return [{ message: users.length === 0 ? 'it is being deleted' : `it is being deleted, and waits for the pods that use it: ${names}` }]
}

function pending(claim: PersistentVolumeClaim, users: readonly Pod[], { classes, events }: ClaimFacts): readonly Finding[] {
  const { storageClassName, volumeName } = claim.spec ?? {}
  if (volumeName) return [{ message: `it names the volume ${volumeName}, which is not bound to it` }]
  if (storageClassName === '') return [{ message: 'its class is "": it waits until a volume without a class is created' }]
  if (storageClassName === undefined) {
    const hasDefault = classes.some(({ metadata }) => metadata.annotations?.[IS_DEFAULT] === 'true')
    if (!hasDefault) return [{ message: 'it has no class, and the cluster has no default one', help: 'set spec.storageClassName' }]
  }
  const storageClass = classes.find(({ metadata }) => metadata.name === storageClassName)
  const known = classes.map(({ metadata }) => metadata.name).join(', ')
  if (storageClassName !== undefined && storageClass === undefined)
    return [
      { message: `there is no storage class ${storageClassName}`, help: known === '' ? 'the cluster has none' : `there are ${known}` },
    ]
  const failed = lastWarning(events, 'ProvisioningFailed')?.message
  if (failed !== undefined) return [{ message: failed }]
  if (storageClass?.volumeBindingMode === 'WaitForFirstConsumer') {
    const [user] = users
    if (user === undefined) return [{ message: `class ${storageClassName} waits for the first pod that uses the claim, and there is none` }]
    if (user.spec.nodeName === undefined) {
      const { name } = user.metadata
      return [{ message: `it waits until pod ${name} is scheduled`, help: `bowsprit why pod ${name}` }]
    }
  }
  return [{ message: `it waits for the provisioner ${storageClass?.provisioner ?? 'of its class'}` }]
}
