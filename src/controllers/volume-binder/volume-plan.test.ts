import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../machinery/object.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { keeperOf, planVolume, unbound } from './volume-plan.ts'

const volume = (spec: JsonObject = {}, phase = 'Available', annotations: Record<string, string> = {}): PersistentVolume =>
  sketch({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v', annotations },
    spec: { hostPath: { path: '/tmp/x' }, persistentVolumeReclaimPolicy: 'Retain', ...spec },
    status: { phase },
  })
const claim = (uid: string, spec: JsonObject = {}): PersistentVolumeClaim =>
  sketch({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', namespace: 'n', uid },
    spec,
  })
const ref = { claimRef: { namespace: 'n', name: 'c', uid: 'u' } }

function plan(of: PersistentVolume, standing?: PersistentVolumeClaim): string {
  const found = planVolume(of, () => standing)
  if (found.kind === 'phase') return found.phase
  return found.kind === 'fail' ? found.message : found.kind
}

test('the phase of a volume follows from its claim', () => {
  const none = undefined
  for (const [what, of, standing, expected] of [
    ['nobody has it', volume({}, 'Pending'), none, 'Available'],
    ['it is kept for somebody', volume({ claimRef: { namespace: 'n', name: 'c' } }, 'Pending'), claim('u'), 'Available'],
    ['its claim has it', volume(ref), claim('u', { volumeName: 'v' }), 'Bound'],
    ['its claim does not know yet', volume(ref), claim('u'), 'ask claim'],
    ['its claim has gone', volume(ref, 'Bound'), none, 'Released'],
    ['another claim of that name is there', volume(ref, 'Bound'), claim('another'), 'Released'],
    ['its claim has another one', volume(ref, 'Bound'), claim('u', { volumeName: 'w' }), 'unbind'],
    ['it is so already', volume(ref, 'Bound'), claim('u', { volumeName: 'v' }), 'keep'],
  ] as const)
    assert.equal(plan(of, standing), expected, what)
})

test('a volume that was made for a claim which has another one goes', () => {
  const made = { 'pv.kubernetes.io/provisioned-by': 'example.com/p' }
  const spec = { ...ref, persistentVolumeReclaimPolicy: 'Delete' }
  assert.equal(plan(volume(spec, 'Bound', made), claim('u', { volumeName: 'w' })), 'Released')
})

test('a released volume is reclaimed by its policy', () => {
  const gone = (spec: JsonObject, annotations: Record<string, string> = {}, phase = 'Released') =>
    plan(volume({ ...ref, ...spec }, phase, annotations))
  const by = (provisioner: string) => ({ 'pv.kubernetes.io/provisioned-by': provisioner })
  const drop = { persistentVolumeReclaimPolicy: 'Delete' }
  const elsewhere = { ...drop, hostPath: undefined }
  for (const [what, found, expected] of [
    ['kept', gone({}), 'keep'],
    ['a temporary folder', gone(drop), 'delete'],
    ['another folder', gone({ ...drop, hostPath: { path: '/x' } }), 'host_path deleter only supports /tmp/.+ but received provided /x'],
    ['it has failed before', gone({ ...drop, hostPath: { path: '/x' } }, {}, 'Failed'), 'keep'],
    ['a driver does it', gone({ ...elsewhere, csi: { driver: 'd' } }), 'keep'],
    ['a provisioner does it', gone(drop, by('example.com/p')), 'keep'],
    ['a driver does it for a plugin of old', gone(elsewhere, by('kubernetes.io/gce-pd')), 'keep'],
    ['nobody knows how', gone(drop, by('kubernetes.io/quobyte')), 'no volume plugin matched name: kubernetes.io/quobyte'],
    [
      'nobody can',
      gone({ ...elsewhere, nfs: {} }),
      'error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
    ],
    ['nobody is there', gone({ ...elsewhere, local: {} }), 'error getting deleter volume plugin for volume "v": no volume plugin matched'],
    [
      'nothing to recycle it with',
      gone({ persistentVolumeReclaimPolicy: 'Recycle', hostPath: undefined, csi: {} }),
      'No recycler plugin found for the volume!',
    ],
  ] as const)
    assert.equal(found, expected, what)
})

test('unbound: kept for its claim where somebody else had kept it', () => {
  const ours = unbound(volume(ref, 'Bound', { 'pv.kubernetes.io/bound-by-controller': 'yes' }))
  assert.deepEqual([ours.spec?.claimRef, ours.metadata.annotations], [undefined, {}])
  assert.deepEqual(unbound(volume(ref)).spec?.claimRef, { namespace: 'n', name: 'c' })
})

test('a volume names the component that manages it', () => {
  const by = (provisioner: string, spec: JsonObject = {}) =>
    keeperOf(volume(spec, 'Bound', { 'pv.kubernetes.io/provisioned-by': provisioner }))
  assert.equal(keeperOf(volume()), undefined)
  assert.equal(by('example.com/p'), undefined)
  assert.deepEqual(by('kubernetes.io/gce-pd'), { migratedTo: 'pd.csi.storage.gke.io', finalizers: [] })
  const inside = { migratedTo: null, finalizers: ['kubernetes.io/pv-controller'] }
  assert.deepEqual(by('kubernetes.io/quobyte', { persistentVolumeReclaimPolicy: 'Delete' }), inside)
  assert.equal(by('kubernetes.io/quobyte'), undefined)
})
