/** Messages of autoscalers without a metrics API, recorded from kube-controller-manager 1.36.3. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../machinery/object.ts'
import type { MetricSpec } from '../../resources/types/autoscaling.ts'
import { MetricError, type MetricScene, propose } from './metric-proposals.ts'
import type { MetricsSource } from './metrics-source.ts'

const AWAY = 'nobody answers'
const away = () => Promise.reject(new Error(AWAY))
const source: MetricsSource = { resource: away, pods: away, object: away, external: away }
const scene: MetricScene = {
  namespace: 'ns',
  selector: 'app=x',
  pods: [],
  specReplicas: 2,
  statusReplicas: 2,
  tolerance: { up: 0.1, down: 0.1 },
  nowMs: 0,
}

const VALUE = { type: 'Value', value: '10' }
const AVERAGE = { type: 'AverageValue', averageValue: '10' }
const SELECTOR = { matchLabels: { q: 'a', b: 'c' }, matchExpressions: [{ key: 'z', operator: 'In', values: ['u', 'v'] }] }
const GO_SELECTOR =
  '&LabelSelector{MatchLabels:map[string]string{b: c,q: a,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:z,Operator:In,Values:[u v],},},}'
const describedObject = { apiVersion: 'v1', kind: 'Service', name: 's' }

/** The metric, the text of the condition and of the metric's own event, and what precedes it in the event of the whole. */
const TABLE: readonly (readonly [what: string, metric: JsonObject, said: string, before: string])[] = [
  [
    'a pods metric',
    { type: 'Pods', pods: { metric: { name: 'rps' }, target: AVERAGE } },
    `unable to get metric rps: ${AWAY}`,
    'failed to get pods metric value: ',
  ],
  [
    'an object metric by its value',
    { type: 'Object', object: { metric: { name: 'rps' }, describedObject, target: VALUE } },
    `unable to get metric rps: Service on ns s/${AWAY}`,
    'failed to get object metric value: ',
  ],
  [
    'an object metric by its average',
    { type: 'Object', object: { metric: { name: 'rps' }, describedObject, target: AVERAGE } },
    `unable to get metric rps: Service on ns s/${AWAY}`,
    'failed to get object metric value: failed to get rps object metric: ',
  ],
  [
    'an external metric by its value',
    { type: 'External', external: { metric: { name: 'queue', selector: SELECTOR }, target: VALUE } },
    `unable to get external metric ns/queue/${GO_SELECTOR}: ${AWAY}`,
    'failed to get queue external metric value: failed to get external metric queue: ',
  ],
  [
    'an external metric by its average',
    { type: 'External', external: { metric: { name: 'queue' }, target: AVERAGE } },
    `unable to get external metric ns/queue/nil: ${AWAY}`,
    'failed to get queue external metric value: failed to get queue external metric: ',
  ],
]
for (const [what, metric, said, before] of TABLE)
  test(`${what} that cannot be had`, async () => {
    await assert.rejects(propose(metric as unknown as MetricSpec, scene, source), (error) => {
      assert.ok(error instanceof MetricError)
      assert.deepEqual([error.message, error.whole], [said, `${before}${said}`])
      return true
    })
  })
