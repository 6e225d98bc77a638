import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReplicaSet } from '../../resources/types/apps.ts'
import type { Pod } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { planReplicas, replicaSetStatus } from './plan.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const owner = (replicas: number, more: object = {}): ReplicaSet =>
  sketch({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'r', namespace: 'n', uid: 'u', generation: 3, ...more },
    spec: { replicas, selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } } } },
  })

interface Fields {
  readonly node?: string
  readonly phase?: string
  readonly ready?: string
  readonly cost?: string
  readonly restarts?: number
  readonly made?: string
  readonly ends?: boolean
}

const pod = (name: string, { node = 'x', phase = 'Running', ready, cost, restarts = 0, made = '10', ends }: Fields = {}): Pod =>
  sketch({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      creationTimestamp: `2026-01-01T00:${made}:00Z`,
      labels: { a: 'b' },
      ...(cost === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
      ...(ends && { deletionTimestamp: '2026-01-01T00:59:00Z' }),
    },
    spec: node === '' ? {} : { nodeName: node },
    status: {
      phase,
      conditions: ready === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: `2026-01-01T00:${ready}:00Z` }],
      containerStatuses: [{ name: 'c', restartCount: restarts }],
    },
  })

const plan = (wanted: number, pods: readonly Pod[], crowds: Record<string, number> = {}) => {
  const decided = planReplicas({ owner: owner(wanted), pods, onNode: () => new Map(Object.entries(crowds)) })
  return decided.kind === 'delete' ? decided.pods.map((p) => p.metadata.name).join(' ') : decided.kind === 'create' ? decided.count : 'keep'
}

for (const [wanted, pods, expected] of [
  [2, [], 2],
  [2, [pod('a'), pod('b')], 'keep'],
  [2, [pod('a'), pod('b', { phase: 'Failed' })], 1],
  [2, [pod('a'), pod('b', { phase: 'Succeeded' }), pod('c', { ends: true })], 1],
  [10_000, [], 500],
  [0, [], 'keep'],
] as const)
  test(`as many pods are made as are missing; ended and ending ones do not count: ${JSON.stringify(wanted)}`, () =>
    assert.equal(plan(wanted, pods), expected))

test('a set that is being deleted does nothing', () => {
  const view = { owner: owner(5, { deletionTimestamp: '2026-01-01T00:00:00Z' }), pods: [], onNode: () => new Map() }
  assert.equal(planReplicas(view).kind, 'keep')
})

for (const [what, expected, pods, crowds] of [
  ['without a node', 'b', [pod('a', { ready: '20' }), pod('b', { node: '', phase: 'Pending' })], {}],
  ['pending', 'b', [pod('a', { ready: '20' }), pod('b', { phase: 'Pending' })], {}],
  ['not ready', 'b', [pod('a', { ready: '20' }), pod('b')], {}],
  ['of lower cost', 'b', [pod('a', { ready: '20' }), pod('b', { ready: '20', cost: '-1' })], {}],
  ['on the fuller node', 'b', [pod('a', { ready: '20', node: 'x' }), pod('b', { ready: '20', node: 'y' })], { x: 1, y: 2 }],
  ['ready for less long', 'b', [pod('a', { ready: '20' }), pod('b', { ready: '30' })], {}],
  ['with more restarts', 'b', [pod('a', { ready: '20' }), pod('b', { ready: '20', restarts: 2 })], {}],
  ['younger', 'b', [pod('a', { ready: '20' }), pod('b', { ready: '20', made: '15' })], {}],
] as const)
  test(`the pod that is missed least goes first: ${what}`, () => {
    assert.equal(plan(1, pods, crowds), expected, what)
    assert.equal(plan(1, pods.toReversed(), crowds), expected, what)
  })

test('crowds are counted only when somebody has to go', () => {
  const onNode = () => assert.fail('nobody asked')
  assert.equal(planReplicas({ owner: owner(1), pods: [pod('a')], onNode }).kind, 'keep')
})

test('the status counts what is there, and keeps a failure until it has passed', () => {
  const failed = replicaSetStatus(owner(2), [pod('a', { ready: '20' })], { reason: 'FailedCreate', message: 'no' }, NOW)
  assert.deepEqual([failed?.replicas, failed?.readyReplicas, failed?.availableReplicas, failed?.observedGeneration], [1, 1, 1, 3])
  assert.deepEqual(
    failed?.conditions?.map((c) => `${c.type}=${c.status} ${c.reason}`),
    ['ReplicaFailure=True FailedCreate'],
  )
  const again = { ...owner(2), status: failed }
  assert.equal((replicaSetStatus(again, [pod('a', { ready: '20' })], undefined, NOW)?.conditions ?? []).length, 0)
})
