/** VolumeBinding, VolumeZone, VolumeRestrictions, NodeVolumeLimits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import type { NodeSelector, PersistentVolumeClaimSpec, PersistentVolumeSpec } from '../../resources/types/core.ts'
import type { StorageClass } from '../../resources/types/storage.ts'
import { nodeVolumeLimits } from './node-volume-limits.ts'
import { clusterOf, node, pluginOf, pod, verdictsOf } from './plugin-table.double.ts'
import { volumeBinding } from './volume-binding.ts'
import { volumeRestrictions } from './volume-restrictions.ts'
import { volumeZone } from './volume-zone.ts'

const NODES = [node('a', { labels: 'topology.kubernetes.io/zone=x' }), node('b', { labels: 'topology.kubernetes.io/zone=y' })]
const using = (...claims: readonly string[]) => ({
  spec: { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
})
const claim = (name: string, spec: PersistentVolumeClaimSpec = {}, more: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  ...more,
  metadata: { name, namespace: 'default', ...more.metadata },
})
const bound = (name: string, volumeName: string, spec: PersistentVolumeClaimSpec = {}) =>
  claim(
    name,
    { volumeName, ...spec },
    { metadata: { name, namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } },
  )
const volume = (name: string, spec: Partial<PersistentVolumeSpec> = {}, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, labels },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
})
const inZone = (zone: string): { required: NodeSelector } => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] }] },
})
const storageClass = (name: string, more: object = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'example.com/disk',
  volumeBindingMode: 'WaitForFirstConsumer',
  ...more,
})
const LATE = [storageClass('late'), storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' })]
const everywhere = (reason: string) => `a: !${reason}, b: !${reason}`
const ELSEWHERE = "!node(s) didn't match PersistentVolume's node affinity"
const NONE = "!node(s) didn't find available persistent volumes to bind"

for (const [rule, claims, volumes, expected] of [
  ['a claim that is not there', [], [], everywhere('persistentvolumeclaim "c" not found')],
  [
    'a claim that is being deleted',
    [claim('c', {}, { metadata: { deletionTimestamp: 'now' } })],
    [],
    everywhere('persistentvolumeclaim "c" is being deleted'),
  ],
  [
    'a lost claim',
    [claim('c', { volumeName: 'v' }, { status: { phase: 'Lost' } })],
    [],
    everywhere('persistentvolumeclaim "c" bound to non-existent persistentvolume "v"'),
  ],
  ['an unbound claim of immediate binding', [claim('c')], [], everywhere('pod has unbound immediate PersistentVolumeClaims')],
  ['a bound claim goes where its volume is', [bound('c', 'v')], [volume('v', { nodeAffinity: inZone('x') })], `a: fits, b: ${ELSEWHERE}`],
  [
    'a bound claim whose volume is gone',
    [bound('c', 'v')],
    [],
    everywhere('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'),
  ],
  ['a claim that waits is provisioned anywhere', [claim('c', { storageClassName: 'late' })], [], 'a: fits, b: fits'],
  ['without a provisioner it needs a volume', [claim('c', { storageClassName: 'local' })], [], `a: ${NONE}, b: ${NONE}`],
  [
    'a local volume binds where it lies',
    [claim('c', { storageClassName: 'local' })],
    [volume('v', { storageClassName: 'local', nodeAffinity: inZone('y') })],
    `a: ${NONE}, b: fits`,
  ],
  [
    'a volume that is too small does not do',
    [claim('c', { storageClassName: 'local', resources: { requests: { storage: '2Gi' } } })],
    [volume('v', { storageClassName: 'local' })],
    `a: ${NONE}, b: ${NONE}`,
  ],
  [
    'nor one of other access modes',
    [claim('c', { storageClassName: 'local', accessModes: ['ReadWriteMany'] })],
    [volume('v', { storageClassName: 'local' })],
    `a: ${NONE}, b: ${NONE}`,
  ],
  [
    'nor one that is kept for another claim',
    [claim('c', { storageClassName: 'local' })],
    [volume('v', { storageClassName: 'local', claimRef: { namespace: 'default', name: 'd' } })],
    `a: ${NONE}, b: ${NONE}`,
  ],
] as readonly (readonly [string, readonly KubeObject[], readonly KubeObject[], string])[])
  test(`VolumeBinding: ${rule}`, () => {
    const objects = { persistentvolumeclaims: claims, persistentvolumes: volumes, storageclasses: LATE }
    assert.equal(verdictsOf(pluginOf(volumeBinding), pod('p', using('c')), clusterOf({ nodes: NODES, objects })), expected)
  })

test('VolumeBinding: two claims of a pod never count on the same volume', () => {
  const claims = [claim('c', { storageClassName: 'local' }), claim('d', { storageClassName: 'local' })]
  const fits = (...volumes: readonly KubeObject[]) => {
    const objects = { persistentvolumeclaims: claims, persistentvolumes: volumes, storageclasses: LATE }
    return verdictsOf(pluginOf(volumeBinding), pod('p', using('c', 'd')), clusterOf({ nodes: NODES.slice(0, 1), objects }))
  }
  assert.equal(fits(volume('v', { storageClassName: 'local' })), `a: ${NONE}`)
  assert.equal(fits(volume('v', { storageClassName: 'local' }), volume('w', { storageClassName: 'local' })), 'a: fits')
})

test('VolumeBinding: allowed topologies of a class limit where it provisions', () => {
  const terms = [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['y'] }] }]
  const objects = {
    persistentvolumeclaims: [claim('c', { storageClassName: 'late' })],
    storageclasses: [storageClass('late', { allowedTopologies: terms })],
  }
  assert.equal(verdictsOf(pluginOf(volumeBinding), pod('p', using('c')), clusterOf({ nodes: NODES, objects })), `a: ${NONE}, b: fits`)
})

const ZONE = '!node(s) had no available volume zone'
for (const [rule, labels, expected] of [
  ['a volume without labels is used anywhere', {}, 'a: fits, b: fits'],
  ['a volume of a zone is used there', { 'topology.kubernetes.io/zone': 'y' }, `a: ${ZONE}, b: fits`],
  ['several zones are written with two underscores', { 'topology.kubernetes.io/zone': 'x__y' }, 'a: fits, b: fits'],
  ['the older label means the same', { 'failure-domain.beta.kubernetes.io/zone': 'x' }, `a: fits, b: ${ZONE}`],
] as const)
  test(`VolumeZone: ${rule}`, () => {
    const objects = { persistentvolumeclaims: [bound('c', 'v')], persistentvolumes: [volume('v', {}, labels)] }
    assert.equal(verdictsOf(pluginOf(volumeZone), pod('p', using('c')), clusterOf({ nodes: NODES, objects })), expected)
  })

test('VolumeZone: a volume that is gone fits nowhere', () => {
  const objects = { persistentvolumeclaims: [bound('c', 'v')] }
  const found = verdictsOf(pluginOf(volumeZone), pod('p', using('c')), clusterOf({ nodes: NODES, objects }))
  assert.equal(found, everywhere('persistentvolume "v" not found'))
})

test('VolumeRestrictions: a claim for one pod at a time is used by one pod', () => {
  const once = claim('c', { accessModes: ['ReadWriteOncePod'] })
  const placed = [pod('q', { ...using('c'), on: 'a' })]
  const inUse = 'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'
  const verdict = (of: KubeObject) =>
    verdictsOf(
      pluginOf(volumeRestrictions),
      pod('p', using('c')),
      clusterOf({ nodes: NODES, placed, objects: { persistentvolumeclaims: [of] } }),
    )
  assert.equal(verdict(once), `a: ${inUse}, b: fits`)
  assert.equal(verdict(claim('c')), 'a: fits, b: fits')
})

test('NodeVolumeLimits: a node holds as many volumes of a driver as its CSINode allows, each counted once', () => {
  const csi = (handle: string) => volume(`v-${handle}`, { csi: { driver: 'd', volumeHandle: handle } })
  const objects = {
    csinodes: [
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: { name: 'a' },
        spec: { drivers: [{ name: 'd', allocatable: { count: 1 } }] },
      },
    ],
    persistentvolumeclaims: [bound('c', 'v-1'), bound('d', 'v-2')],
    persistentvolumes: [csi('1'), csi('2')],
  }
  const context = clusterOf({ nodes: NODES, placed: [pod('q', { ...using('c'), on: 'a' })], objects })
  const plugin = pluginOf(nodeVolumeLimits)
  assert.equal(verdictsOf(plugin, pod('p', using('d')), context), 'a: node(s) exceed max volume count, b: fits')
  assert.equal(verdictsOf(plugin, pod('p', using('c')), context), 'a: fits, b: fits')
  assert.equal(verdictsOf(plugin, pod('p'), context), 'a: fits, b: fits')
})
