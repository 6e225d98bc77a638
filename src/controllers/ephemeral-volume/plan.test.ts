import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { planEphemeralVolumes, podsOfClaim } from './plan.ts'

const volumeClaimTemplate = { metadata: { labels: { a: 'b' } }, spec: { accessModes: ['ReadWriteOnce'] } }
const pod = (more: object = {}, phase = 'Pending'): Pod =>
  sketch({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', uid: 'u', ...more },
    spec: {
      volumes: [
        { name: 'scratch', ephemeral: { volumeClaimTemplate } },
        { name: 'other', emptyDir: {} },
      ],
    },
    status: { phase },
  })
const claim = (uid: string): PersistentVolumeClaim =>
  sketch({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'p-scratch', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true }] },
  })

test('a claim that is missing is made for the pod, which owns it', () => {
  const [plan, ...more] = planEphemeralVolumes(pod(), () => undefined)
  assert.equal(more.length, 0)
  assert.ok(plan?.kind === 'create')
  assert.deepEqual(plan.claim.metadata, {
    name: 'p-scratch',
    namespace: 'n',
    labels: { a: 'b' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true, blockOwnerDeletion: true }],
  })
  assert.deepEqual(plan.claim.spec, volumeClaimTemplate.spec)
})

test('its own claim is enough, another’s is in the way, and pods that are being deleted need none', () => {
  assert.deepEqual(
    planEphemeralVolumes(pod(), () => claim('u')),
    [],
  )
  const [taken] = planEphemeralVolumes(pod(), () => claim('another'))
  assert.equal(taken?.kind === 'taken' && taken.message, 'PVC n/p-scratch was not created for pod n/p (pod is not owner)')
  assert.deepEqual(
    planEphemeralVolumes(pod({ deletionTimestamp: '2026-01-01T00:00:00Z' }), () => undefined),
    [],
  )
})

test('the claim of a finished pod is made again', () => {
  const [plan] = planEphemeralVolumes(pod({}, 'Succeeded'), () => undefined)
  assert.equal(plan?.kind, 'create')
})

test('a generated claim may belong to pods of several names', () => {
  assert.deepEqual(podsOfClaim('my-pod-v'), ['my', 'my-pod'])
  assert.deepEqual(podsOfClaim('v'), [])
})
