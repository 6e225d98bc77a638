import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../resources/types/core.ts'
import type { PodDisruptionBudget } from '../../resources/types/policy.ts'
import { sketch } from '../frame/sketch.double.ts'
import { failedStatus, planBudget } from './plan.ts'
import { staleInMs } from './stale-plan.ts'

const pod = (name: string, ready: boolean): Pod =>
  sketch({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  })

for (const [spec, healthy, sick, scale, expected] of [
  [{ minAvailable: 2 }, 3, 0, 3, [1, 2, 3]],
  [{ minAvailable: '50%' }, 3, 0, 3, [1, 2, 3]],
  [{ minAvailable: '50%' }, 0, 3, 3, [0, 2, 3]],
  [{ maxUnavailable: 1 }, 3, 0, 4, [0, 3, 4]],
  [{ maxUnavailable: '50%' }, 4, 0, 4, [2, 2, 4]],
  [{ maxUnavailable: 1 }, 0, 0, 0, [0, 0, 0]],
] as const)
  test(`a budget allows as many disruptions as there are healthy pods to spare: ${JSON.stringify(spec)}`, () => {
    const budget: PodDisruptionBudget = sketch({ metadata: { name: 'b', generation: 1 }, spec })
    const pods = [...Array(healthy).keys()].map((i) => pod(`h${i}`, true)).concat([...Array(sick).keys()].map((i) => pod(`s${i}`, false)))
    const status = planBudget({ budget, pods, expectedScale: scale }, 0)
    assert.deepEqual([status?.disruptionsAllowed, status?.desiredHealthy, status?.expectedPods], expected, JSON.stringify(spec))
  })

test('a budget whose sync fails records the observed generation', () => {
  const reported = (status: object) =>
    failedStatus(sketch({ metadata: { name: 'b', generation: 3 }, spec: {}, status }), 'no', 0).conditions?.[0]?.observedGeneration
  assert.deepEqual([reported({}), reported({ observedGeneration: 2 })], [undefined, 2])
})

test('a pod whose disruption did not happen gets its condition after two minutes, unless the kubelet terminates it', () => {
  const since = '1970-01-01T00:01:00Z'
  const target = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', lastTransitionTime: since }
  const of = (condition: object, phase = 'Running', metadata: object = {}): Pod =>
    sketch({
      ...pod('p', true),
      metadata: { name: 'p', ...metadata },
      status: { phase, conditions: [condition] },
    })
  for (const [what, it, expected] of [
    ['it is waited for', of(target), 20_000],
    ['by another', of({ ...target, reason: 'TerminationByKubelet' }), undefined],
    ['taken back already', of({ ...target, status: 'False' }), undefined],
    ['finished', of(target, 'Failed'), undefined],
    ['on its way out', of(target, 'Running', { deletionTimestamp: since }), undefined],
  ] as const)
    assert.equal(staleInMs(it, 160_000), expected, what)
  assert.equal(staleInMs(of(target), 999_000), 0)
})
