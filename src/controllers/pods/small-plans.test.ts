import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { claimsOf } from '../../resources/pod/mounted-claims.ts'
import { planPodGc } from '../pod-gc/plan.ts'
import { CLAIM_FINALIZER, planProtection, usesClaim } from '../protection/plan.ts'
import { concerns, quotaStatus } from '../quota/plan.ts'
import { planAggregation } from '../role-aggregation/plan.ts'
import { expiresAtMs } from '../ttl/plan.ts'

const object = (kind: string, name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...more,
})
const DELETED = '2026-01-01T00:00:00Z'

test('pods that nobody will take away', () => {
  const pod = (name: string, nodeName: string, phase = 'Running', deleted = false) =>
    object('Pod', name, {
      metadata: { name, ...(deleted && { deletionTimestamp: DELETED }) },
      spec: nodeName === '' ? {} : { nodeName },
      status: { phase },
    })
  const pods = [
    pod('runs', 'a'),
    pod('of a node that is gone', 'b'),
    pod('deleted before it had a node', '', 'Pending', true),
    pod('waits for a node', '', 'Pending'),
    pod('ends on its node', 'a', 'Running', true),
    pod('done', 'a', 'Succeeded'),
  ]
  assert.deepEqual(
    planPodGc({ pods, nodes: new Set(['a']), outOfService: new Set() }).map((s) => `${s.pod.metadata.name}: ${s.why}`),
    ['of a node that is gone: orphaned', 'deleted before it had a node: ended'],
  )
  assert.deepEqual(
    planPodGc({ pods, nodes: new Set(['a']), outOfService: new Set(['a']) }).map((s) => s.pod.metadata.name),
    ['of a node that is gone', 'deleted before it had a node', 'ends on its node'],
  )
  const finished = Array.from({ length: 12_502 }, (_, i) =>
    object('Pod', `${i}`, {
      metadata: { name: `${i}`, creationTimestamp: new Date(i * 1000).toISOString() },
      spec: { nodeName: 'a' },
      status: { phase: 'Failed' },
    }),
  )
  assert.deepEqual(
    planPodGc({ pods: finished.toReversed(), nodes: new Set(['a']), outOfService: new Set() }).map((s) => s.pod.metadata.name),
    ['1', '0'],
  )
})

test('finalizers of claims: put on what lives, taken off what is deleted and not used', () => {
  const claim = (finalizers: string[], deleted: boolean) =>
    object('PersistentVolumeClaim', 'c', { metadata: { name: 'c', finalizers, ...(deleted && { deletionTimestamp: DELETED }) } })
  for (const [has, deleted, used, expected] of [
    [false, false, false, 'protect'],
    [true, false, false, 'keep'],
    [true, true, true, 'keep'],
    [true, true, false, 'let go'],
    [false, true, false, 'keep'],
  ] as const)
    assert.equal(planProtection(claim(has ? [CLAIM_FINALIZER] : [], deleted), CLAIM_FINALIZER, used), expected)
  const pod = (phase: string, nodeName?: string) =>
    object('Pod', 'p', {
      spec: {
        ...(nodeName === undefined ? {} : { nodeName }),
        volumes: [
          { name: 'v', persistentVolumeClaim: { claimName: 'c' } },
          { name: 'w', ephemeral: {} },
          { name: 'x', emptyDir: {} },
        ],
      },
      status: { phase },
    })
  assert.deepEqual(claimsOf(pod('Running')), ['c', 'p-w'])
  assert.deepEqual(
    [pod('Running', 'a'), pod('Pending'), pod('Succeeded', 'a')].map((p) => usesClaim(p, 'c')),
    [true, false, true],
  )
})

test('a quota counts what it limits', () => {
  const quota = (hard: Record<string, string>) => object('ResourceQuota', 'q', { spec: { hard }, status: { hard } })
  const pod = (cpu: string, phase = 'Running') =>
    object('Pod', 'p', { spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] }, status: { phase } })
  assert.equal(concerns(quota({ pods: '1' }), '', 'pods'), true)
  assert.equal(concerns(quota({ pods: '1' }), '', 'services'), false)
  assert.equal(concerns(quota({ 'count/gadgets.example.com': '1' }), 'example.com', 'gadgets'), true)
  const pods = { group: '', resource: 'pods', objects: [pod('500m'), pod('1'), pod('7', 'Failed')] }
  const services = { group: '', resource: 'services', objects: [] }
  assert.deepEqual(quotaStatus(quota({ pods: '9', 'requests.cpu': '2', services: '3' }), [pods, services]).used, {
    pods: '2',
    'requests.cpu': '1500m',
    services: '0',
  })
})

test('a role that is the sum of others has their rules, each once, by the names of the roles', () => {
  const rule = (verb: string) => ({ apiGroups: [''], resources: ['pods'], verbs: [verb] })
  const role = (name: string, labels: Record<string, string>, rules: object[], aggregationRule?: object): KubeObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels },
    rules,
    ...(aggregationRule === undefined ? {} : { aggregationRule }),
  })
  const parts = [
    role('b', { in: 'x' }, [rule('list')]),
    role('a', { in: 'x' }, [rule('get'), rule('list')]),
    role('c', {}, [rule('delete')]),
  ]
  const sum = (rules: object[]) => role('sum', { in: 'x' }, rules, { clusterRoleSelectors: [{ matchLabels: { in: 'x' } }] })
  assert.deepEqual(planAggregation(sum([]), [...parts, sum([])]), [rule('get'), rule('list')])
  assert.equal(planAggregation(sum([rule('get'), rule('list')]), parts), undefined)
  assert.equal(planAggregation(role('plain', {}, []), parts), undefined)
})

test('a finished job lives as long as it says', () => {
  const job = (ttlSecondsAfterFinished: number | undefined, type: string | undefined, deleted = false) =>
    object('Job', 'j', {
      metadata: { name: 'j', ...(deleted && { deletionTimestamp: DELETED }) },
      spec: { ttlSecondsAfterFinished },
      status: { conditions: type === undefined ? [] : [{ type, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    })
  const ended = Date.parse('2026-01-01T00:00:00Z')
  assert.equal(expiresAtMs(job(10, 'Complete')), ended + 10_000)
  assert.equal(expiresAtMs(job(0, 'Failed')), ended)
  for (const stays of [job(10, undefined), job(undefined, 'Complete'), job(10, 'Complete', true)])
    assert.equal(expiresAtMs(stays), undefined)
})
