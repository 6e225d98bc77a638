import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oomScoreOf } from './oom-score.ts'
import type { Container, Pod } from './pod.ts'

const container = (name: string, memory?: string, more: Partial<Container> = {}): Container => ({
  name,
  image: 'image',
  ...(memory !== undefined && { resources: { requests: { memory } } }),
  ...more,
})

const pod = (spec: Partial<Pod['spec']>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'pod', resourceVersion: '1' },
  spec: { containers: [container('main', '100Mi')], ...spec },
  status: {},
})

const limits = { cpu: '1', memory: '1Gi' }
const sidecar = container('sidecar', '1Mi', { restartPolicy: 'Always' })
const sized = [container('main', '512Mi')]

const rows: readonly (readonly [rule: string, pod: Pod, score: number])[] = [
  ['nothing requested: killed first', pod({ containers: [container('main')] }), 1000],
  [
    'all limits requested: killed last',
    pod({ containers: [container('main', undefined, { resources: { limits, requests: limits } })] }),
    -997,
  ],
  ['half of the memory requested', pod({ containers: sized }), 500],
  ['more than there is: still before guaranteed pods', pod({ containers: [container('main', '4Gi')] }), 3],
  ['next to nothing: still after pods that request nothing', pod({ containers: [container('main', '1')] }), 999],
  ['a pod of the node itself', pod({ priorityClassName: 'system-node-critical' }), -997],
  ['a pod that is critical for the cluster is as others', pod({ containers: sized, priorityClassName: 'system-cluster-critical' }), 500],
]
for (const [rule, of, score] of rows)
  test(rule, () => assert.equal(oomScoreOf(of, of.spec.containers[0] ?? container('none'), 1024 ** 3), score))

test('a sidecar is killed no earlier than what needs it', () =>
  assert.equal(oomScoreOf(pod({ containers: sized, initContainers: [sidecar] }), sidecar, 1024 ** 3), 500))
