import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { planBudget } from './plan.ts'

const pod = (name: string, ready: boolean): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})

test('a budget allows as many disruptions as there are healthy pods to spare', () => {
  for (const [spec, healthy, sick, scale, expected] of [
    [{ minAvailable: 2 }, 3, 0, 3, [1, 2, 3]],
    [{ minAvailable: '50%' }, 3, 0, 3, [1, 2, 3]],
    [{ minAvailable: '50%' }, 0, 3, 3, [0, 2, 3]],
    [{ maxUnavailable: 1 }, 3, 0, 4, [0, 3, 4]],
    [{ maxUnavailable: '50%' }, 4, 0, 4, [2, 2, 4]],
    [{ maxUnavailable: 1 }, 0, 0, 0, [0, 0, 0]],
  ] as const) {
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b', generation: 1 }, spec }
    const pods = [...Array(healthy).keys()].map((i) => pod(`h${i}`, true)).concat([...Array(sick).keys()].map((i) => pod(`s${i}`, false)))
    const status = planBudget({ budget, pods, expectedScale: scale }, 0)
    assert.deepEqual([status?.disruptionsAllowed, status?.desiredHealthy, status?.expectedPods], expected, JSON.stringify(spec))
  }
})
