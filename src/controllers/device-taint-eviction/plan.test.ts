import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceClaim, ResourceSlice } from '../../resources/types/resource.ts'
import { sketch } from '../frame/sketch.double.ts'
import { evictionTime } from './plan.ts'

const ADDED = Date.parse('2026-01-01T00:00:00Z')

const claim = (tolerations: readonly object[]): ResourceClaim =>
  sketch({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: 'c' },
    status: { allocation: { devices: { results: [{ driver: 'd', pool: 'p', device: 'a', tolerations: [...tolerations] }] } } },
  })
const slice = (generation: number, effect: string): ResourceSlice =>
  sketch({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: `s${generation}` },
    spec: {
      driver: 'd',
      pool: { name: 'p', generation, resourceSliceCount: 1 },
      devices: [{ name: 'a', taints: [{ key: 'sick', value: 'yes', effect, timeAdded: '2026-01-01T00:00:00Z' }] }],
    },
  })

const table: readonly [string, readonly object[], readonly ResourceSlice[], number | undefined][] = [
  ['at once', [], [slice(1, 'NoExecute')], ADDED],
  ['never for an effect that only keeps new pods away', [], [slice(1, 'NoSchedule')], undefined],
  ['never when tolerated', [{ operator: 'Exists', effect: 'NoExecute' }], [slice(1, 'NoExecute')], undefined],
  [
    'later when tolerated for a while',
    [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
    [slice(1, 'NoExecute')],
    ADDED + 5000,
  ],
  ['at once for a toleration of any effect', [{ operator: 'Exists' }], [slice(1, 'NoExecute')], ADDED],
  ['at once for another value', [{ key: 'sick', value: 'no', effect: 'NoExecute' }], [slice(1, 'NoExecute')], ADDED],
  ['never when a newer generation has no such taint', [], [slice(1, 'NoExecute'), slice(2, 'None')], undefined],
  ['never when the device is gone', [], [], undefined],
]
for (const [name, tolerations, slices, want] of table)
  test(`a pod goes ${name}`, () => {
    assert.equal(
      evictionTime([claim(tolerations)], () => slices),
      want,
    )
  })
