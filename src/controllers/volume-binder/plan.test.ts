import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { StorageClass } from '../../resources/types/storage.ts'
import { sketch } from '../frame/sketch.double.ts'
import { lateDefaultClass, planClaim } from './plan.ts'

const claim = (spec: object = {}, more: object = {}): PersistentVolumeClaim =>
  sketch({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', namespace: 'n', uid: 'u', ...more },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '5Gi' } }, ...spec },
    status: { phase: 'Pending' },
  })
const volume = (name: string, size: string, spec: object = {}, labels: Record<string, string> = {}): PersistentVolume =>
  sketch({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels },
    spec: { capacity: { storage: size }, accessModes: ['ReadWriteOnce'], storageClassName: '', ...spec },
    status: { phase: 'Available' },
  })
const storageClass = (provisioner: string, more: object = {}): StorageClass =>
  sketch({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast' },
    provisioner,
    ...more,
  })

function plan(
  of: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  cls?: StorageClass,
  waiting: readonly string[] = [],
): string {
  const found = planClaim({ claim: of, volumes, storageClass: cls, waitingPods: () => waiting })
  switch (found.kind) {
    case 'bind':
      return `bind ${found.volume.metadata.name}`
    case 'report':
      return `${found.event.type} ${found.event.reason}`
    case 'ask':
      return `ask ${found.provisioner}`
    case 'lost':
      return `lost ${found.reason}`
    default:
      return found.kind
  }
}

const mine = { claimRef: { namespace: 'n', name: 'c' } }
const MANY = { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }
const others = { claimRef: { namespace: 'n', name: 'other' } }

for (const [what, of, volumes, expected] of [
  ['the smallest of those that are large enough', claim(), [volume('a', '9Gi'), volume('b', '6Gi'), volume('c', '1Gi')], 'bind b'],
  ['one that was kept for it, though it is larger', claim(), [volume('a', '5Gi'), volume('b', '9Gi', mine)], 'bind b'],
  [
    'one with fewer access modes before the one that was kept for it',
    claim(),
    [volume('a', '9Gi'), volume('b', '5Gi', { ...mine, ...MANY })],
    'bind a',
  ],
  ['one with fewer access modes before a smaller one', claim(), [volume('a', '5Gi', MANY), volume('b', '9Gi')], 'bind b'],
  ['none that is kept for another', claim(), [volume('a', '9Gi', others)], 'Normal FailedBinding'],
  ['none of another class', claim(), [volume('a', '9Gi', { storageClassName: 'x' })], 'Normal FailedBinding'],
  ['none without the access mode', claim({ accessModes: ['ReadWriteMany'] }), [volume('a', '9Gi')], 'Normal FailedBinding'],
  ['none of another mode', claim({ volumeMode: 'Block' }), [volume('a', '9Gi')], 'Normal FailedBinding'],
  [
    'one that the selector takes',
    claim({ selector: { matchLabels: { a: 'b' } } }),
    [volume('a', '9Gi'), volume('b', '9Gi', {}, { a: 'b' })],
    'bind b',
  ],
  ['the one that it names', claim({ volumeName: 'b' }), [volume('a', '5Gi'), volume('b', '9Gi')], 'bind b'],
  ['the one that it names is another’s', claim({ volumeName: 'b' }), [volume('b', '9Gi', others)], 'Warning FailedBinding'],
  ['the one that it names is not there', claim({ volumeName: 'b' }), [volume('a', '9Gi')], 'keep'],
  ['none with other attributes', claim({ volumeAttributesClassName: 'x' }), [volume('a', '9Gi')], 'Normal FailedBinding'],
  ['one that is kept for it, whatever its class', claim(), [volume('a', '9Gi', { ...mine, storageClassName: 'x' })], 'bind a'],
  ['it is on its way out', claim({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), [volume('a', '9Gi')], 'keep'],
] as const)
  test(`a claim is bound to the smallest volume that fits: ${what}`, () => assert.equal(plan(of, volumes), expected, what))

test('without a volume the class decides', () => {
  const fast = claim({ storageClassName: 'fast' })
  const copy = claim({ storageClassName: 'fast', dataSource: { kind: 'PersistentVolumeClaim', name: 'x' } })
  const late = { volumeBindingMode: 'WaitForFirstConsumer' }
  const chosen = { annotations: { 'volume.kubernetes.io/selected-node': 'a' } }
  for (const [of, cls, expected] of [
    [fast, undefined, 'Warning ProvisioningFailed'],
    [fast, storageClass('example.com/p'), 'ask example.com/p'],
    [fast, storageClass('kubernetes.io/no-provisioner'), 'Warning ProvisioningFailed'],
    [fast, storageClass('kubernetes.io/gce-pd'), 'ask pd.csi.storage.gke.io'],
    [fast, storageClass('kubernetes.io/quobyte'), 'Warning ProvisioningFailed'],
    [fast, storageClass('kubernetes.io/host-path'), 'ask kubernetes.io/host-path'],
    [copy, storageClass('kubernetes.io/host-path'), 'Warning ProvisioningFailed'],
    [fast, storageClass('example.com/p', late), 'Normal WaitForFirstConsumer'],
    [claim({ storageClassName: 'fast' }, chosen), storageClass('example.com/p', late), 'ask example.com/p'],
  ] as const)
    assert.equal(plan(of, [], cls), expected)
})

for (const [of, expected] of [
  [{}, 'Failed to create provisioner: provisioning in volume plugin "kubernetes.io/host-path" is disabled'],
  [{ mountOptions: ['ro', 'x'] }, 'Mount options are not supported by the provisioner but StorageClass "fast" has mount options [ro x]'],
] as const)
  test(`the plugin for paths of the host is asked, and fails: ${expected}`, () => {
    const cls = storageClass('kubernetes.io/host-path', of)
    const decided = planClaim({ claim: claim({ storageClassName: 'fast' }), volumes: [], storageClass: cls, waitingPods: () => [] })
    assert.equal(decided.kind === 'ask' && decided.failure, expected)
  })

test('a bound claim whose volume is gone, or another’s, is lost', () => {
  const was = { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }
  const bound: PersistentVolumeClaim = { ...claim({ volumeName: 'a' }, was), status: { phase: 'Bound' } }
  const held = (uid: string) => volume('a', '5Gi', { claimRef: { ...mine.claimRef, uid } })
  assert.equal(plan(bound, []), 'lost ClaimLost')
  assert.equal(plan({ ...claim({}, was), status: { phase: 'Bound' } }, []), 'lost ClaimLost')
  assert.equal(plan(bound, [held('another')]), 'lost ClaimMisbound')
  assert.equal(plan(bound, [held('u')]), 'keep')
  assert.equal(plan(bound, [volume('a', '5Gi')]), 'bind a')
  const lost: PersistentVolumeClaim = { ...bound, status: { phase: 'Lost' } }
  assert.equal(plan(lost, []), 'keep')
  assert.equal(plan(lost, [held('u')]), 'bind a')
})

test('a claim waiting for its first consumer names the pods it waits for, and takes only a volume reserved for it', () => {
  const cls = storageClass('example.com/p', { volumeBindingMode: 'WaitForFirstConsumer' })
  const late = claim({ storageClassName: 'fast' })
  const free = volume('a', '9Gi', { storageClassName: 'fast' })
  assert.equal(plan(late, [free], cls), 'Normal WaitForFirstConsumer')
  assert.equal(plan(late, [free], cls, ['p']), 'Normal WaitForPodScheduled')
  assert.equal(plan(late, [volume('a', '9Gi', { storageClassName: 'fast', ...mine })], cls), 'bind a')
  const reported = planClaim({ claim: late, volumes: [], storageClass: cls, waitingPods: () => ['p', 'q'] })
  assert.equal(reported.kind === 'report' && reported.event.message, 'waiting for pods p,q to be scheduled')
})

for (const [spec, of, expected] of [
  [{}, volume('b', '5Gi'), 'bind b'],
  [{}, volume('b', '1Gi'), 'Warning VolumeMismatch'],
  [{}, volume('b', '5Gi', { storageClassName: 'other' }), 'Warning VolumeMismatch'],
  [{ volumeMode: 'Block' }, volume('b', '5Gi'), 'Warning VolumeMismatch'],
  [{ accessModes: ['ReadWriteMany'] }, volume('b', '5Gi'), 'Warning VolumeMismatch'],
] as const)
  test(`a volume that the claim names has to fit too: ${JSON.stringify(spec)}`, () =>
    assert.equal(plan(claim({ ...spec, volumeName: 'b' }), [of]), expected))

test('a claim that was made before there was a default class gets it later', () => {
  const cls = (name: string, isDefault: string, created: string): StorageClass =>
    sketch({
      ...storageClass('example.com/p'),
      metadata: {
        name,
        annotations: { 'storageclass.kubernetes.io/is-default-class': isDefault },
        creationTimestamp: `2026-01-0${created}T00:00:00Z`,
      },
    })
  const classes = [cls('a', 'true', '1'), cls('b', 'true', '2'), cls('c', 'false', '3')]
  const unclassed = claim({ storageClassName: undefined })
  assert.equal(lateDefaultClass(unclassed, classes), 'b')
  assert.equal(lateDefaultClass(unclassed, []), undefined)
  assert.equal(lateDefaultClass(claim(), classes), undefined)
  assert.equal(lateDefaultClass(claim({ storageClassName: undefined, volumeName: 'v' }), classes), undefined)
})
