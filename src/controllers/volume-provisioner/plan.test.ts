import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../machinery/object.ts'
import { PROVISIONED_BY } from '../../resources/core/claim-annotations.ts'
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { StorageClass } from '../../resources/types/storage.ts'
import { sketch } from '../frame/sketch.double.ts'
import { FINALIZER, planVolume } from '../volumes/provisioned-volume.ts'
import { SIMULATED, standardClass } from './default-class.ts'
import { planProvision } from './plan.ts'

const claim = (more: JsonObject = {}, annotations: Record<string, string> = {}): PersistentVolumeClaim =>
  sketch({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: 'c',
      namespace: 'default',
      uid: 'u',
      resourceVersion: '7',
      annotations: { 'volume.kubernetes.io/storage-provisioner': SIMULATED, 'volume.kubernetes.io/selected-node': 'n', ...annotations },
    },
    spec: { storageClassName: 'standard', accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } }, ...more },
  })
const storageClass = (more: JsonObject = {}): StorageClass => sketch({ ...standardClass([]), ...more })
const node = (labels: Record<string, string> = {}): Node => sketch({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels } })
const ZONE = 'topology.kubernetes.io/zone'
const zones = (...values: string[]) => ({ allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values }] }] })

test('a claim gets the volume it requests, bound to it, with the parameters of its class', () => {
  const plan = planProvision({ claim: claim(), storageClass: storageClass({ mountOptions: ['ro'] }), node: node() })
  assert.deepEqual(plan, {
    kind: 'provision',
    volume: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pvc-u', annotations: { [PROVISIONED_BY]: SIMULATED }, finalizers: [FINALIZER] },
      spec: {
        accessModes: ['ReadWriteMany'],
        capacity: { storage: '1Gi' },
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name: 'c', uid: 'u', resourceVersion: '7' },
        csi: { driver: 'simulated.bowsprit.dev', volumeHandle: 'pvc-u', fsType: 'ext4' },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'standard',
        volumeMode: 'Filesystem',
        mountOptions: ['ro'],
      },
    },
  })
})

test('what becomes of a claim', () => {
  const said = (c: PersistentVolumeClaim, s: StorageClass | undefined, n: Node | 'none' = node()): string => {
    const plan = planProvision({ claim: c, storageClass: s, node: n === 'none' ? undefined : n })
    if (plan.kind === 'provision') return JSON.stringify(plan.volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? 'anywhere')
    return 'message' in plan
      ? `${plan.kind}: ${plan.message.replace('failed to provision volume with StorageClass "standard": ', '')}`
      : plan.kind
  }
  const term = (key: string, ...values: string[]) => JSON.stringify([{ matchExpressions: [{ key, operator: 'In', values }] }])
  const at = (labels: Record<string, string>) => node(labels)
  const immediate = storageClass({ volumeBindingMode: 'Immediate' })
  const unselected = claim({}, { 'volume.kubernetes.io/selected-node': '' })
  const local = storageClass({ parameters: { topologyKey: 'kubernetes.io/hostname' } })
  const table: readonly [string, string][] = [
    [said(claim(), undefined), 'keep'],
    [said(claim(), storageClass({ provisioner: 'ebs.csi.aws.com' })), 'keep'],
    [said(claim({}, { 'volume.kubernetes.io/storage-provisioner': 'ebs.csi.aws.com' }), storageClass()), 'keep'],
    [said(claim({ volumeName: 'v' }), storageClass()), 'keep'],
    [said(unselected, storageClass()), 'keep'],
    [said(unselected, immediate, 'none'), '"anywhere"'],
    [said(claim(), storageClass()), '"anywhere"'],
    [said(claim(), storageClass(), 'none'), 'choose again: failed to get target node: nodes "n" not found'],
    [said(claim({ selector: {} }), storageClass()), 'refuse: claim Selector is not supported'],
    [
      said(claim({ dataSource: { kind: 'VolumeSnapshot', name: 's' } }), storageClass()),
      'refuse: volumes with content of a VolumeSnapshot are not simulated',
    ],
    [said(claim({ resources: {} }), storageClass()), 'refuse: the claim asks for no storage'],
    [
      said(claim(), storageClass({ parameters: { type: 'gp3' } })),
      'refuse: StorageClass parameter "type" is not known; there are topologyKey and csi.storage.k8s.io/fstype',
    ],
    [said(claim(), storageClass(zones('a', 'b')), at({ [ZONE]: 'b' })), term(ZONE, 'b')],
    [said(claim(), storageClass(zones('a')), at({ [ZONE]: 'b' })), 'refuse: node "n" is in none of the allowed topologies'],
    [said(unselected, { ...immediate, ...zones('a', 'b') }, 'none'), term(ZONE, 'a', 'b')],
    [said(claim(), local, at({ 'kubernetes.io/hostname': 'n' })), term('kubernetes.io/hostname', 'n')],
    [said(claim(), local), 'refuse: node "n" has no label "kubernetes.io/hostname"'],
  ]
  for (const [got, wanted] of table) assert.equal(got, wanted)
})

test('what becomes of a volume', () => {
  const volume = (policy: string, phase: string, finalizers: string[], deleting = false): PersistentVolume =>
    sketch({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: {
        name: 'v',
        annotations: { [PROVISIONED_BY]: SIMULATED },
        finalizers,
        ...(deleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      },
      spec: { persistentVolumeReclaimPolicy: policy },
      status: { phase },
    })
  const table: readonly [PersistentVolume, string][] = [
    [volume('Delete', 'Bound', [FINALIZER]), 'keep'],
    [volume('Delete', 'Bound', ['a']), `finalizers a,${FINALIZER}`],
    [volume('Delete', 'Released', [FINALIZER]), 'delete'],
    [volume('Delete', 'Released', []), 'delete'],
    [volume('Delete', 'Released', ['a'], true), 'keep'],
    [volume('Delete', 'Released', [FINALIZER], true), 'delete'],
    // Wanted gone while it is bound: it waits for its claim.
    [volume('Delete', 'Bound', [FINALIZER], true), 'keep'],
    [volume('Delete', 'Available', [FINALIZER], true), 'delete'],
    [volume('Retain', 'Released', [FINALIZER, 'a']), 'finalizers a'],
    [volume('Retain', 'Released', []), 'keep'],
    [{ ...volume('Delete', 'Released', []), metadata: { name: 'v' } }, 'keep'],
  ]
  for (const [object, wanted] of table) {
    const plan = planVolume(object, SIMULATED)
    assert.equal(plan.kind === 'finalizers' ? `finalizers ${plan.finalizers}` : plan.kind, wanted)
  }
})

test('the class is the default one unless another was chosen', () => {
  assert.deepEqual(standardClass([]).metadata.annotations, { 'storageclass.kubernetes.io/is-default-class': 'true' })
  assert.equal(standardClass([storageClass()]).metadata.annotations, undefined)
})
