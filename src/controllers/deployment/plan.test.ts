import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import type { Deployment, ReplicaSet } from '../../resources/types/apps.ts'
import { sketch } from '../frame/sketch.double.ts'
import { currentNews, newReplicaSet, renewedReplicaSet } from './current-set.ts'
import {
  currentAnnotations,
  planCleanup,
  planGrowth,
  planRecreate,
  planRolling,
  planScaling,
  REVISION,
  REVISION_HISTORY,
  sameTemplate,
} from './plan.ts'
import { createFailed, pauseConditions } from './status.ts'

const deployment = (replicas: number, more: object = {}): Deployment =>
  sketch({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: { replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } }, ...more },
  })

/** `new=2/1`: the replica set `new` wants two and has one available. */
function set(text: string): ReplicaSet {
  const [name = '', sizes = ''] = text.split('=')
  const [replicas, available] = sizes.split('/').map(Number)
  const annotations = { 'deployment.kubernetes.io/desired-replicas': '4', 'deployment.kubernetes.io/max-replicas': '5' }
  const metadata = { name, annotations, creationTimestamp: `2026-01-01T00:00:0${name.length}Z`, generation: 1 }
  const status = { replicas: replicas ?? 0, availableReplicas: available ?? 0, observedGeneration: 1 }
  return sketch({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec: { replicas: replicas ?? 0 }, status })
}

const moves = (list: readonly { replicaSet: KubeObject; replicas: number }[]) =>
  list.map((m) => `${m.replicaSet.metadata.name}→${m.replicas}`).join(' ')

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
  test(`a rolling update goes by steps that keep enough pods available: ${what}`, () =>
    assert.equal(moves(planRolling({ deployment: deployment(wanted), current: set(current), old: old.map(set) })), expected, what))

test('a deployment that is resized in a rollout shares the change out', () => {
  assert.equal(moves(planScaling({ deployment: deployment(8), current: set('new=2/2'), old: [set('old=3/3')] })), 'old→6 new→4')
  assert.equal(moves(planScaling({ deployment: deployment(6), current: set('new=4/4'), old: [] })), 'new→6')
  assert.equal(moves(planScaling({ deployment: deployment(0), current: set('new=2/2'), old: [set('old=3/3')] })), 'old→0 new→0')
})

test('replica sets that keep their size after a resize learn that of the deployment', () => {
  assert.equal(moves(planScaling({ deployment: deployment(5), current: set('new=5/0'), old: [set('old=2/2')] })), 'new→5 old→2')
  assert.equal(moves(planScaling({ deployment: deployment(4), current: set('new=3/0'), old: [set('old=2/2')] })), '')
})

test('templates whose quantities are the same numbers are the same', () => {
  const of = (memory: string) => deployment(1, { template: { spec: { containers: [{ name: 'c', resources: { limits: { memory } } }] } } })
  assert.ok(sameTemplate(of('1Gi'), of('1073741824')))
  assert.ok(!sameTemplate(of('1Gi'), of('1G')))
})

test('a replica set that comes back remembers its revisions', () => {
  const annotations = currentAnnotations(deployment(1), { [REVISION]: '1' }, 3n)
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

test('a deployment that recreates starts nothing before all has ended', () => {
  for (const [what, old, run, expected] of [
    ['old ones are up', ['old=2/2', 'elder=0/0'], true, 'old→0'],
    ['their pods still run', ['old=0/0'], true, 'wait'],
    ['all has ended', ['old=0/0'], false, 'current'],
    ['there was nothing', [], false, 'current'],
  ] as const) {
    const step = planRecreate({ deployment: deployment(3), current: undefined, old: old.map(set) }, () => run)
    assert.equal(step.kind === 'resize' ? moves(step.moves) : step.kind, expected, what)
  }
  assert.equal(moves(planGrowth({ deployment: deployment(3), current: set('new=0/0'), old: [] })), 'new→3')
  assert.equal(moves(planGrowth({ deployment: deployment(3), current: set('new=3/0'), old: [] })), '')
})

const NOW = Date.parse('2026-01-01T01:00:00Z')
const whole = (more: object = {}, status: object = {}): Deployment => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const d = deployment(4, { selector: { matchLabels: { a: 'b' } }, template, progressDeadlineSeconds: 600, ...more })
  return { ...d, metadata: { ...d.metadata, namespace: 'n', uid: 'u', annotations: { note: 'x' } }, status }
}

test('the replica set of a template carries its hash, its owner and the next revision', () => {
  const old = set('old=4/4')
  old.metadata.annotations = { ...old.metadata.annotations, [REVISION]: '7' }
  const made = newReplicaSet({ deployment: whole({ minReadySeconds: 5 }), current: undefined, old: [old] })
  const hash = made.metadata.labels?.['pod-template-hash']
  assert.equal(made.metadata.name, `d-${hash}`)
  assert.deepEqual(made.spec.selector.matchLabels, { a: 'b', 'pod-template-hash': hash })
  assert.deepEqual([made.spec.replicas, made.spec.minReadySeconds], [1, 5])
  assert.deepEqual(made.metadata.annotations, {
    note: 'x',
    [REVISION]: '8',
    'deployment.kubernetes.io/desired-replicas': '4',
    'deployment.kubernetes.io/max-replicas': '5',
  })
  assert.deepEqual(
    made.metadata.ownerReferences?.map((r) => [r.name, r.controller]),
    [['d', true]],
  )
  const after = (revision: string) => {
    old.metadata.annotations = { ...old.metadata.annotations, [REVISION]: revision }
    return newReplicaSet({ deployment: whole(), current: undefined, old: [old] }).metadata.annotations?.[REVISION]
  }
  assert.equal(after('3546343826724305832'), '3546343826724305833', 'an int64 is more than a number holds')
  assert.deepEqual(['9223372036854775808', '1e3', ''].map(after), ['1', '1', '1'], 'what is no int64 does not count')
  const again = newReplicaSet({ deployment: whole({}, { collisionCount: 1 }), current: undefined, old: [] })
  assert.notEqual(again.metadata.name, made.metadata.name)
})

test('a standing replica set is written only when something of it is to change', () => {
  const view = { deployment: whole(), current: undefined, old: [] }
  const standing = newReplicaSet(view)
  assert.equal(renewedReplicaSet(view, standing), undefined)
  assert.equal(renewedReplicaSet({ ...view, deployment: whole({ minReadySeconds: 9 }) }, standing)?.spec.minReadySeconds, 9)
  const { annotations: _, ...bare } = standing.metadata
  const adopted = renewedReplicaSet(view, { ...standing, metadata: bare })
  assert.deepEqual(adopted?.metadata.annotations, { note: 'x', [REVISION]: '1' }, 'one that is adopted is not told a size')
})

test('the deployment reports its current replica set once', () => {
  const current = newReplicaSet({ deployment: whole(), current: undefined, old: [] })
  const news = currentNews({ deployment: whole(), current: undefined, old: [] }, current, NOW)
  assert.deepEqual([news?.annotations[REVISION], news?.conditions.map((c) => c.reason)], ['1', ['NewReplicaSetCreated']])
  const found = currentNews({ deployment: whole(), current, old: [] }, current, NOW)
  assert.deepEqual(
    found?.conditions.map((c) => `${c.reason}: ${c.message}`),
    [`FoundNewReplicaSet: Found new replica set "${current.metadata.name}"`],
  )
  const knows = whole({}, { conditions: found?.conditions })
  knows.metadata.annotations = { ...found?.annotations }
  assert.equal(currentNews({ deployment: knows, current, old: [] }, current, NOW), undefined)
})

test('pausing, resuming and failures are reported by the Progressing condition', () => {
  const reasons = (list: readonly { reason?: string }[] | undefined) => list?.map((c) => c.reason)
  const paused = pauseConditions(whole({ paused: true }), NOW)
  assert.deepEqual(reasons(paused), ['DeploymentPaused'])
  assert.equal(pauseConditions(whole({ paused: true }, { conditions: paused }), NOW), undefined)
  assert.deepEqual(reasons(pauseConditions(whole({}, { conditions: paused }), NOW)), ['DeploymentResumed'])
  assert.equal(pauseConditions(whole({ paused: true, progressDeadlineSeconds: undefined }), NOW), undefined)
  assert.deepEqual(reasons(createFailed(whole(), 'no', NOW)), ['ReplicaSetCreateError'])
  assert.equal(createFailed(whole({ progressDeadlineSeconds: undefined }), 'no', NOW), undefined)
})
