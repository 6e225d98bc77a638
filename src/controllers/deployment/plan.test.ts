import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { currentAnnotations, planCleanup, planRolling, planScaling, REVISION, REVISION_HISTORY } from './plan.ts'

const deployment = (replicas: number, more: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: { replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } }, ...more },
})

/** `new=2/1`: the replica set `new` wants two and has one available. */
function set(text: string): KubeObject {
  const [name = '', sizes = ''] = text.split('=')
  const [replicas, available] = sizes.split('/').map(Number)
  const annotations = { 'deployment.kubernetes.io/desired-replicas': '4', 'deployment.kubernetes.io/max-replicas': '5' }
  const metadata = { name, annotations, creationTimestamp: `2026-01-01T00:00:0${name.length}Z`, generation: 1 }
  const status = { replicas: replicas ?? 0, availableReplicas: available ?? 0, observedGeneration: 1 }
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec: { replicas: replicas ?? 0 }, status }
}

const moves = (list: readonly { replicaSet: KubeObject; replicas: number }[]) =>
  list.map((m) => `${m.replicaSet.metadata.name}→${m.replicas}`).join(' ')

test('a rolling update goes by steps that keep enough pods available', () => {
  for (const [what, wanted, current, old, expected] of [
    ['the new one starts within the surge', 4, 'new=0/0', ['old=4/4'], 'new→1'],
    ['the old one gives what may be missing', 4, 'new=1/0', ['old=4/4'], 'old→3'],
    ['nothing moves while too few are available', 4, 'new=1/0', ['old=3/3'], 'new→2'],
    ['it waits', 4, 'new=2/0', ['old=3/3'], ''],
    ['sick old pods go first', 4, 'new=1/1', ['old=2/0', 'elder=2/2'], 'old→0'],
    ['the last old pods go', 4, 'new=4/4', ['old=1/1'], 'old→0'],
    ['done', 4, 'new=4/4', ['old=0/0'], ''],
    ['too many new ones are taken back', 2, 'new=3/3', [], 'new→2'],
  ] as const)
    assert.equal(moves(planRolling({ deployment: deployment(wanted), current: set(current), old: old.map(set) })), expected, what)
})

test('a deployment that is resized in a rollout shares the change out', () => {
  assert.equal(moves(planScaling({ deployment: deployment(8), current: set('new=2/2'), old: [set('old=3/3')] })), 'old→6 new→4')
  assert.equal(moves(planScaling({ deployment: deployment(6), current: set('new=4/4'), old: [] })), 'new→6')
})

test('a replica set that comes back remembers its revisions', () => {
  const annotations = currentAnnotations(deployment(1), { [REVISION]: '1' }, 3)
  assert.deepEqual({ ...annotations }, { [REVISION]: '3', [REVISION_HISTORY]: '1' })
})

test('only empty replica sets beyond the limit are cleaned up', () => {
  const view = {
    deployment: deployment(1, { revisionHistoryLimit: 1 }),
    current: set('new=1/1'),
    old: [set('a=0/0'), set('bb=0/0'), set('ccc=1/1')],
  }
  assert.deepEqual(
    planCleanup(view).map((rs) => rs.metadata.name),
    ['a', 'bb'],
  )
})
