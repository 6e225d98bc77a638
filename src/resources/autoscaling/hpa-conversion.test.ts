import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertHpas, internalHpa } from './hpa-conversion.ts'
import type { Hpa } from './hpa-types.ts'

const v2: Hpa = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a', annotations: { note: 'x' } },
  spec: {
    maxReplicas: 3,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    metrics: [
      { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
      { type: 'Pods', pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '10' } } },
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
    ],
    behavior: { scaleUp: { selectPolicy: 'Max' } },
  },
  status: { currentReplicas: 1, desiredReplicas: 2 },
}

test('the older version keeps what it does not know in annotations, and nothing is lost on the way back', () => {
  const [v1] = convertHpas([v2], 'autoscaling/v1')
  assert.equal(v1?.spec?.targetCPUUtilizationPercentage, 60)
  assert.equal(v1?.spec?.metrics, undefined)
  assert.deepEqual(Object.keys(v1?.metadata.annotations ?? {}).sort(), [
    'autoscaling.alpha.kubernetes.io/behavior',
    'autoscaling.alpha.kubernetes.io/metrics',
    'note',
  ])
  const [back] = convertHpas(v1 ? [v1] : [], 'autoscaling/v2')
  assert.deepEqual(back, v2)
})

test('an object of the requested version is returned unchanged', () => {
  assert.equal(convertHpas([v2], 'autoscaling/v2')[0], v2)
})

test('the internal form of a converted object has all metrics in their order', () => {
  const [cpu, ...others] = (v2.spec?.metrics ?? []).toReversed()
  const first: Hpa = { ...v2, spec: { ...v2.spec, metrics: cpu === undefined ? [] : [cpu, ...others] } }
  const [v1] = convertHpas([first], 'autoscaling/v1')
  assert.deepEqual(v1 && internalHpa(v1), first)
})
