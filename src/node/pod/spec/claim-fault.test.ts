import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolume, PersistentVolumeClaim, Volume } from '../../../resources/types/core.ts'
import type { Pod } from '../../types/pod.ts'
import { claimFault } from './claim-fault.ts'
import type { References } from './references.ts'

const claim: PersistentVolumeClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', namespace: 'n', uid: 'u1' },
  spec: { volumeName: 'pv' },
  status: { phase: 'Bound' },
}
const volume: PersistentVolume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv' },
  spec: { claimRef: { namespace: 'n', name: 'c', uid: 'u1' } },
}
const mounted: Volume = { name: 'v', persistentVolumeClaim: { claimName: 'c' } }
const deleted = '2026-01-01T00:00:00Z'

interface Row {
  readonly claim?: PersistentVolumeClaim | null
  readonly volume?: PersistentVolume | null
  readonly mounted?: Volume
}

const ROWS: readonly (readonly [string, Row, string | undefined])[] = [
  ['a bound claim is used', {}, undefined],
  ['no claim', { claim: null }, 'error processing PVC n/c: failed to fetch PVC from API server: persistentvolumeclaims "c" not found'],
  ['not bound', { claim: { ...claim, status: { phase: 'Pending' } } }, 'error processing PVC n/c: PVC is not bound'],
  [
    'deleted without protection',
    { claim: { ...claim, metadata: { ...claim.metadata, deletionTimestamp: deleted } } },
    'error processing PVC n/c: PVC is being deleted',
  ],
  [
    'deleted with protection',
    { claim: { ...claim, metadata: { ...claim.metadata, deletionTimestamp: deleted, finalizers: ['kubernetes.io/pvc-protection'] } } },
    undefined,
  ],
  ['bound to nothing', { claim: { ...claim, spec: {} } }, 'error processing PVC n/c: PVC has empty pvc.Spec.VolumeName'],
  ['no volume', { volume: null }, 'error processing PVC n/c: failed to fetch PV pv from API server: persistentvolumes "pv" not found'],
  [
    'a volume of no claim',
    { volume: { ...volume, spec: {} } },
    'error processing PVC n/c: found PV object pv but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim',
  ],
  [
    'a volume of another claim',
    { volume: { ...volume, spec: { claimRef: { uid: 'u2' } } } },
    'error processing PVC n/c: found PV object pv but its pv.Spec.ClaimRef.UID u2 does not point to claim.UID u1',
  ],
  [
    'a block volume that is mounted',
    { volume: { ...volume, spec: { ...volume.spec, volumeMode: 'Block' } } },
    'volume v has volumeMode Block, but is specified in volumeMounts',
  ],
  [
    'a generated claim of another owner',
    { mounted: { name: 'v', ephemeral: {} } },
    'PVC n/p-v was not created for pod n/p (pod is not owner)',
  ],
  ['a volume without a claim', { mounted: { name: 'v', emptyDir: {} } }, undefined],
]

for (const [rule, row, fault] of ROWS)
  test(`claims of volumes: ${rule}`, async () => {
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'n', uid: 'p1' },
      spec: { containers: [{ name: 'm', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }] },
      status: {},
    }
    const references = {
      claim: async () => (row.claim === undefined ? claim : (row.claim ?? undefined)),
      volume: async () => (row.volume === undefined ? volume : (row.volume ?? undefined)),
    } as unknown as References
    assert.equal(await claimFault(pod, row.mounted ?? mounted, references), fault)
  })
