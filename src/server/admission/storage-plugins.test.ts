import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft, KubeObject } from '../../machinery/object.ts'
import { readPath } from '../../machinery/resource/definition.ts'
import type { Ingress } from '../../resources/types/networking.ts'
import { admissionSetup } from './admission.double.ts'
import { defaultIngressClass, defaultStorageClass } from './default-classes.ts'
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts'
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts'

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'
const storageClass = (
  name: string,
  more: object = {},
  annotations: Record<string, string> = {},
  creationTimestamp = '2026-01-01T00:00:00Z',
) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations, creationTimestamp },
  ...more,
})
const claim = (spec: object = {}, more: object = {}, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'ns', annotations },
  spec,
  ...more,
})
const isDefault = { [DEFAULT_CLASS]: 'true' }

const classes: readonly (readonly [rule: string, classes: readonly KubeObject[], claim: KubeObject, name: string | undefined])[] = [
  ['without a default class none is set', [storageClass('a')], claim(), undefined],
  ['the default class is set', [storageClass('a'), storageClass('b', {}, isDefault)], claim(), 'b'],
  ['a class that is named stays', [storageClass('b', {}, isDefault)], claim({ storageClassName: 'a' }), 'a'],
  ['the empty class is a choice, too', [storageClass('b', {}, isDefault)], claim({ storageClassName: '' }), ''],
  [
    'so is the annotation of old',
    [storageClass('b', {}, isDefault)],
    claim({}, {}, { 'volume.beta.kubernetes.io/storage-class': 'a' }),
    undefined,
  ],
  [
    'the beta annotation marks a default',
    [storageClass('b', {}, { 'storageclass.beta.kubernetes.io/is-default-class': 'true' })],
    claim(),
    'b',
  ],
  ['only "true" marks a default', [storageClass('b', {}, { [DEFAULT_CLASS]: 'yes' })], claim(), undefined],
  ['the newest default wins', [storageClass('a', {}, isDefault), storageClass('b', {}, isDefault, '2026-02-01T00:00:00Z')], claim(), 'b'],
  ['of equally old ones the first by name', [storageClass('b', {}, isDefault), storageClass('a', {}, isDefault)], claim(), 'a'],
]
for (const [rule, stored, object, name] of classes)
  test(`DefaultStorageClass: ${rule}`, async () => {
    const { admit, deps } = admissionSetup({ 'storage.k8s.io/storageclasses': stored })
    assert.equal(await admit(defaultStorageClass(deps), { object }), 'ok')
    assert.equal(readPath(object, ['spec', 'storageClassName']), name)
  })

const INGRESS_CLASS = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: 'nginx', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
}
const ingresses: readonly (readonly [rule: string, spec: object, annotations: Record<string, string>, name: string | undefined])[] = [
  ['the default class is set', {}, {}, 'nginx'],
  ['a class that is named stays', { ingressClassName: 'own' }, {}, 'own'],
  ['the annotation of old is a choice', {}, { 'kubernetes.io/ingress.class': 'own' }, undefined],
]
for (const [rule, spec, annotations, name] of ingresses)
  test(`DefaultIngressClass: ${rule}`, async () => {
    const { admit, deps } = admissionSetup({ 'networking.k8s.io/ingressclasses': [INGRESS_CLASS] })
    const object: Draft<Ingress> = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'i', namespace: 'ns', annotations },
      spec,
    }
    await admit(defaultIngressClass(deps), { object })
    assert.equal(object.spec?.ingressClassName, name)
  })

const sized = (storage: string, storageClassName?: string, phase = 'Bound') =>
  claim({ resources: { requests: { storage } }, ...(storageClassName !== undefined && { storageClassName }) }, { status: { phase } })
const UNSUPPORTED =
  '403 persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'
const resizes: readonly (readonly [rule: string, old: KubeObject, object: KubeObject, said: string])[] = [
  ['a class that allows it lets a claim grow', sized('1Gi', 'grows'), sized('2Gi', 'grows'), 'ok'],
  ['another class does not', sized('1Gi', 'fixed'), sized('2Gi', 'fixed'), UNSUPPORTED],
  ['nor one that is gone', sized('1Gi', 'gone'), sized('2Gi', 'gone'), UNSUPPORTED],
  ['nor none', sized('1Gi'), sized('2Gi'), UNSUPPORTED],
  ['the same size in another unit is no growth', sized('1Gi', 'fixed'), sized('1024Mi', 'fixed'), 'ok'],
  ['shrinking is not this plugin’s to refuse', sized('2Gi', 'fixed'), sized('1Gi', 'fixed'), 'ok'],
  [
    'only a bound claim grows',
    sized('1Gi', 'grows', 'Pending'),
    sized('2Gi', 'grows', 'Pending'),
    '403 persistentvolumeclaims "data" is forbidden: Only bound persistent volume claims can be expanded',
  ],
]
for (const [rule, old, object, said] of resizes)
  test(`PersistentVolumeClaimResize: ${rule}`, async () => {
    const stored = [storageClass('grows', { allowVolumeExpansion: true }), storageClass('fixed')]
    const { admit, deps } = admissionSetup({ 'storage.k8s.io/storageclasses': stored })
    assert.equal(await admit(persistentVolumeClaimResize(deps), { object, old }), said)
  })

const protections: readonly (readonly [apiVersion: string, kind: string, finalizers: readonly string[] | undefined])[] = [
  ['v1', 'PersistentVolumeClaim', ['kubernetes.io/pvc-protection']],
  ['v1', 'PersistentVolume', ['kubernetes.io/pv-protection']],
  ['storage.k8s.io/v1', 'VolumeAttributesClass', ['kubernetes.io/vac-protection']],
  ['v1', 'ConfigMap', undefined],
]
for (const [apiVersion, kind, finalizers] of protections)
  test(`StorageObjectInUseProtection: ${kind} gets ${finalizers ?? 'nothing'}`, async () => {
    const object: KubeObject = { apiVersion, kind, metadata: { name: 'x' } }
    await admissionSetup().admit(storageObjectInUseProtection, { object })
    assert.deepEqual(object.metadata.finalizers, finalizers)
  })

test('StorageObjectInUseProtection: a finalizer that is there stays alone, others are kept', async () => {
  const finalizersAfter = async (finalizers: string[]) => {
    const object: KubeObject = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'x', finalizers } }
    await admissionSetup().admit(storageObjectInUseProtection, { object })
    return object.metadata.finalizers
  }
  assert.deepEqual(await finalizersAfter(['kubernetes.io/pv-protection']), ['kubernetes.io/pv-protection'])
  assert.deepEqual(await finalizersAfter(['mine']), ['mine', 'kubernetes.io/pv-protection'])
})
