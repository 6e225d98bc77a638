import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { attributesClassesOf, planProtection, usesClaim } from './plan.ts'

const FINALIZER = 'example.com/protection'

for (const [has, deleted, inUse, expected] of [
  [false, false, false, ['other', FINALIZER]],
  [true, false, false, undefined],
  [true, true, true, undefined],
  [true, true, false, ['other']],
  [false, true, false, undefined],
] as const)
  test(`${has ? 'with' : 'without'} the finalizer, ${deleted ? 'deleted' : 'alive'}, ${inUse ? 'in use' : 'idle'}: ${expected ?? 'as it is'}`, () => {
    const finalizers = has ? ['other', FINALIZER] : ['other']
    const metadata = { finalizers, ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }) }
    assert.deepEqual(planProtection({ metadata }, { finalizer: FINALIZER, inUse }), expected)
  })

for (const [phase, nodeName, expected] of [
  ['Running', 'a', true],
  ['Pending', undefined, false],
  ['Succeeded', 'a', true],
] as const)
  test(`a ${phase} pod ${nodeName ? 'with' : 'without'} a node ${expected ? 'uses' : 'does not use'} its claim`, () => {
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }]
    assert.equal(usesClaim(sketch<Pod>({ spec: { nodeName, volumes }, status: { phase } }), 'c'), expected)
  })

test('a claim references its requested, current and target class', () => {
  const claim = {
    kind: 'PersistentVolumeClaim',
    spec: { volumeAttributesClassName: 'wanted' },
    status: { currentVolumeAttributesClassName: 'current', modifyVolumeStatus: { targetVolumeAttributesClassName: 'target' } },
  }
  assert.deepEqual(attributesClassesOf(sketch(claim)), ['wanted', 'current', 'target'])
  assert.deepEqual(attributesClassesOf(sketch({ ...claim, kind: 'PersistentVolume' })), ['wanted'])
})
