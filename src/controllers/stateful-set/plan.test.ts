import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StatefulSet } from '../../resources/types/apps.ts'
import type { Pod } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { planStatefulSet } from './plan.ts'
import { statefulSetStatus } from './status.ts'

const set = (replicas: number, spec: object = {}): StatefulSet =>
  sketch({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 's' },
    spec: { replicas, ...spec },
  })

/** `0`: ready; `0?`: not ready; `0!`: failed; `0-`: going; with `@old` of the old revision. */
function pod(text: string): Pod {
  const [, ordinal, mark, revision = 'new'] = /^(\d+)([?!-]?)(?:@(\w+))?$/.exec(text) ?? []
  const metadata = {
    name: `s-${ordinal}`,
    labels: { 'controller-revision-hash': revision },
    ...(mark === '-' ? { deletionTimestamp: 'now' } : {}),
  }
  const conditions = [{ type: 'Ready', status: mark === '?' ? 'False' : 'True' }]
  return sketch({ apiVersion: 'v1', kind: 'Pod', metadata, status: { phase: mark === '!' ? 'Failed' : 'Running', conditions } })
}

test('a stateful set goes one step at a time, or all at once', () => {
  const parallel = { podManagementPolicy: 'Parallel' }
  for (const [what, spec, pods, expected] of [
    ['the first comes first', {}, '', '+0'],
    ['the next when the one before is ready', {}, '0', '+1'],
    ['not before', {}, '0?', ''],
    ['all at once in parallel', parallel, '0?', '+1 +2'],
    ['a failed one is made anew', {}, '0 1! 2', '~1'],
    ['the last goes first', {}, '0 1 2 3 4', '-4'],
    ['one by one', {}, '0 1 2 3 4-', ''],
    ['not while another is unwell before it', {}, '0 1 2 3? 4?', ''],
    ['the only one that is unwell goes', {}, '0 1 2 3 4?', '-4'],
    ['all that are too many in parallel', parallel, '0 1 2 3 4', '-4 -3'],
    ['an update begins at the end', {}, '0@old 1@old 2@old', '-2'],
    ['and waits', {}, '0@old 1@old 2?', ''],
    ['and goes on', {}, '0@old 1@old 2', '-1'],
    ['down to the partition', { updateStrategy: { rollingUpdate: { partition: 2 } } }, '0@old 1@old 2', ''],
    ['or not at all', { updateStrategy: { type: 'OnDelete' } }, '0@old 1@old 2@old', ''],
  ] as const) {
    const list = pods === '' ? [] : pods.split(' ').map(pod)
    const plan = planStatefulSet({ set: set(3, spec), pods: list, current: 'old', update: 'new' }, 0)
    const steps = [
      ...plan.create.map((c) => `+${c.ordinal}`),
      ...plan.recreate.map((p) => `~${p.metadata.name?.slice(2)}`),
      ...plan.remove.map((p) => `-${p.metadata.name?.slice(2)}`),
    ]
    assert.equal(steps.join(' '), expected, what)
  }
})

const MOST = 2 ** 31 - 1
const parallel = { podManagementPolicy: 'Parallel' }
const ordinals = (create: readonly { readonly ordinal: number }[]) => [create.length, create[0]?.ordinal, create.at(-1)?.ordinal]

for (const [what, spec, pods, expected] of [
  ['none is there', parallel, [], { create: [500, 0, 499], more: true }],
  ['some are there, one of them at the end', parallel, ['1', `${MOST - 1}`], { create: [500, 0, 500], more: true }],
  ['they begin late', { ...parallel, ordinals: { start: MOST } }, [], { create: [500, MOST, MOST + 499], more: true }],
  ['in order', {}, ['0'], { create: [1, 1, 1], more: false }],
] as const)
  test(`a set of 2,147,483,647 pods plans one round of them: ${what}`, () => {
    const { create, more } = planStatefulSet({ set: set(MOST, spec), pods: pods.map(pod), current: 'old', update: 'new' }, 0)
    assert.deepEqual({ create: ordinals(create), more }, expected)
  })

test('a set that is scaled to nothing removes one round of pods', () => {
  const pods = Array.from({ length: 501 }, (_, i) => pod(`${i}`))
  const { remove, more } = planStatefulSet({ set: set(0, parallel), pods, current: 'old', update: 'new' }, 0)
  assert.deepEqual([remove.length, remove[0]?.metadata.name, more], [500, 's-500', true])
})

test('below the partition a pod comes back as it was', () => {
  const spec = { updateStrategy: { rollingUpdate: { partition: 2 } }, podManagementPolicy: 'Parallel' }
  const plan = planStatefulSet({ set: set(3, spec), pods: [], current: 'old', update: 'new' }, 0)
  assert.deepEqual(
    plan.create.map((c) => c.revision),
    ['old', 'old', 'new'],
  )
})

test('without a partition as many of the first pods as the status counts come back as they were', () => {
  const counted: StatefulSet = sketch({ ...set(3, { ordinals: { start: 1 }, ...parallel }), status: { currentReplicas: 2 } })
  const plan = planStatefulSet({ set: counted, pods: [], current: 'old', update: 'new' }, 0)
  assert.deepEqual(
    plan.create.map((c) => `${c.ordinal} ${c.revision}`),
    ['1 old', '2 old', '3 new'],
  )
})

for (const [pods, expected] of [
  ['0 1', 'new'],
  ['0! 1', 'old'],
  ['0@old 1', 'old'],
  ['', 'new'],
] as const)
  test(`a rollout is over when every pod that is there is new and ready: one that has ended is still there: ${JSON.stringify(pods)}`, () => {
    const list = pods === '' ? [] : pods.split(' ').map(pod)
    const status = (replicas: number) => statefulSetStatus({ set: set(replicas), pods: list, current: 'old', update: 'new' }, 0)
    assert.equal(status(list.length).currentRevision, expected, pods)
    assert.equal(status(list.length + 1).currentRevision, 'old', 'one is missing')
  })
