import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../../machinery/object.ts'
import { summaryOf } from './health.ts'

const condition = (type: string, status: string, reason = '', message = '') => ({ type, status, reason, message })
const TABLE: readonly (readonly [what: string, kind: string, parts: object, tone: string, health: string])[] = [
  ['a pod that runs', 'Pod', { spec: { containers: [] }, status: { phase: 'Running' } }, '', ''],
  ['a pod that has ended', 'Pod', { spec: { containers: [] }, status: { phase: 'Succeeded' } }, 'done', ''],
  ['a pod that waits for its images', 'Pod', { spec: { containers: [] }, status: { phase: 'Pending' } }, 'busy', 'Pending'],
  [
    'a pod that fits nowhere',
    'Pod',
    { spec: { containers: [] }, status: { phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'Unschedulable', 'no cpu')] } },
    'bad',
    'Unschedulable: no cpu',
  ],
  [
    'a failed pod',
    'Pod',
    { spec: { containers: [] }, status: { phase: 'Failed', reason: 'Evicted', message: 'disk' } },
    'bad',
    'Evicted: disk',
  ],
  ['a workload on its way', 'Deployment', { spec: { replicas: 3 }, status: { availableReplicas: 1 } }, 'busy', '1 of 3 ready'],
  [
    'a workload that cannot create pods',
    'Deployment',
    { spec: { replicas: 1 }, status: { conditions: [condition('ReplicaFailure', 'True', 'FailedCreate', 'quota')] } },
    'bad',
    'FailedCreate: quota',
  ],
  ['a workload without replicas', 'Deployment', { spec: { replicas: 0 } }, '', ''],
  [
    'a node that is gone',
    'Node',
    { status: { conditions: [condition('Ready', 'Unknown', 'NodeStatusUnknown', '')] } },
    'bad',
    'NodeStatusUnknown',
  ],
  [
    'a cordoned node',
    'Node',
    { spec: { unschedulable: true }, status: { conditions: [condition('Ready', 'True')] } },
    'busy',
    'is cordoned',
  ],
  [
    'a failed job',
    'Job',
    { status: { conditions: [condition('Failed', 'True', 'BackoffLimitExceeded', '')] } },
    'bad',
    'BackoffLimitExceeded',
  ],
  [
    'a custom object that is not ready',
    'Widget',
    { status: { conditions: [condition('Ready', 'False', 'NoDisk', 'buy one')] } },
    'bad',
    'NoDisk: buy one',
  ],
  ['a custom object whose status is odd', 'Widget', { status: { conditions: 'many' } }, '', ''],
  ['a custom object whose conditions are odd', 'Widget', { status: { conditions: [null, 3, {}] } }, '', ''],
]
for (const [what, kind, parts, tone, health] of TABLE)
  test(`health of ${what}`, () => {
    const object: KubeObject = { apiVersion: 'v1', kind, metadata: { name: 'a' }, ...parts }
    assert.deepEqual(summaryOf(object, 0), { tone, health })
  })

test('an object that is being deleted names the finalizers it waits for', () => {
  const metadata = { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/a'] }
  const { tone, health } = summaryOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, 0)
  assert.equal(tone, 'busy')
  assert.match(health, /finalizers example\.com\/a/)
})
