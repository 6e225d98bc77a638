import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../machinery/object.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { isAnotherSize, planExpander } from './plan.ts'

const claim = (asks: string, has: string, phase = 'Bound'): PersistentVolumeClaim =>
  sketch({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', uid: 'u' },
    spec: { resources: { requests: { storage: asks } } },
    status: { phase, capacity: { storage: has } },
  })
const volume = (source: JsonObject, uid = 'u'): PersistentVolume =>
  sketch({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    spec: { ...source, claimRef: { uid } },
  })

test('a claim that requests more than its capacity waits for its provisioner', () => {
  const message = 'waiting for an external controller to expand this PVC'
  assert.deepEqual(planExpander(claim('2Gi', '1Gi'), volume({ csi: {} })), { kind: 'tell', message, resizer: undefined })
  assert.deepEqual(planExpander(claim('2Gi', '1Gi'), volume({ gcePersistentDisk: {} })), {
    kind: 'tell',
    message: 'CSI migration enabled for kubernetes.io/gce-pd; waiting for external resizer to expand the pvc',
    resizer: 'pd.csi.storage.gke.io',
  })
  for (const [c, v] of [
    [claim('1024Mi', '1Gi'), volume({ csi: {} })],
    [claim('2Gi', '1Gi', 'Pending'), volume({ csi: {} })],
    [claim('2Gi', '1Gi'), volume({ csi: {} }, 'another')],
    [claim('2Gi', '1Gi'), undefined],
  ] as const)
    assert.equal(planExpander(c, v).kind, 'keep')
})

test('the event comes once: not again when more is requested or provided', () => {
  assert.equal(isAnotherSize(claim('2Gi', '1Gi'), claim('1Gi', '1Gi')), true)
  assert.equal(isAnotherSize(claim('2Gi', '2Gi'), claim('2Gi', '1Gi')), true)
  assert.equal(isAnotherSize(claim('2Gi', '1Gi'), claim('2048Mi', '1Gi')), false)
})
