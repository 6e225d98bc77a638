import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '../../resources/types/batch.ts'
import type { Pod } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { jobPod } from './job-pod.ts'
import { endingStatus, planJob } from './plan.ts'
import { FAILURES, INDEX, TRACKING } from './tracking.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const job = (spec: object, status: object = {}): Job =>
  sketch({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j', namespace: 'n', uid: 'u' },
    spec: { parallelism: 1, completions: 1, backoffLimit: 6, ...spec },
    status,
  })

/** `Running`, `Failed`, `Succeeded` or, with an index, `Succeeded:2`; `Ending` is deleted, `:2/1` has failed once before. */
function pod(text: string): Pod {
  const [state = '', place] = text.split(':')
  const [index, failures] = place?.split('/') ?? []
  const phase = state === 'Ending' ? 'Running' : state
  const deleted = state === 'Ending' ? { deletionTimestamp: '2026-01-01T00:59:00Z' } : {}
  const annotations =
    index === undefined ? {} : { annotations: { [INDEX]: index, ...(failures === undefined ? {} : { [FAILURES]: failures }) } }
  const terminated = { exitCode: phase === 'Failed' ? 3 : 0, finishedAt: '2026-01-01T00:00:00Z' }
  const containerStatuses = phase === 'Running' ? [] : [{ name: 'm', state: { terminated } }]
  return sketch({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', finalizers: [TRACKING], ...deleted, ...annotations },
    spec: { nodeName: 'x' },
    status: { phase, containerStatuses },
  })
}

for (const [what, spec, pods, count] of [
  ['one', {}, [], 1],
  ['as many as may run at once', { completions: 3, parallelism: 2 }, [], 2],
  ['no more than are left to do', { completions: 3, parallelism: 2 }, ['Succeeded', 'Succeeded'], 1],
  ['none while enough run', { completions: 3, parallelism: 2 }, ['Running', 'Running'], 0],
  ['none while suspended', { suspend: true }, [], 0],
  ['again after a failure', {}, ['Failed'], 1],
  ['none after too many failures', { backoffLimit: 0 }, ['Failed'], 0],
] as const)
  test(`a job makes the pods that are missing: ${what}`, () =>
    assert.equal(planJob(job(spec), pods.map(pod), NOW).create.length, count, what))

for (const [what, spec, pods, reason] of [
  ['success', {}, ['Succeeded'], 'CompletionsReached'],
  ['too many failures', { backoffLimit: 0 }, ['Failed'], 'BackoffLimitExceeded'],
  [
    'a rule',
    { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } }] } },
    ['Failed'],
    'PodFailurePolicy',
  ],
  ['not yet', {}, ['Running'], undefined],
] as const)
  test(`a job ends by what its pods did: ${what}`, () =>
    assert.equal(planJob(job(spec), pods.map(pod), NOW).status.conditions?.at(-1)?.reason, reason, what))

test('failures that a rule ignores are not counted', () => {
  const podFailurePolicy = { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } }] }
  assert.equal(planJob(job({ podFailurePolicy, backoffLimit: 0 }), [pod('Failed')], NOW).status.failed, undefined)
})

test('an indexed job counts indexes, and makes those that are missing', () => {
  const plan = planJob(
    job({ completionMode: 'Indexed', completions: 4, parallelism: 2 }),
    ['Succeeded:0', 'Succeeded:0', 'Running:1'].map(pod),
    NOW,
  )
  assert.deepEqual(plan.create, [{ index: 2 }])
  assert.equal(plan.status.completedIndexes, '0')
})

const names = (pods: readonly Pod[]) => pods.map((p) => p.metadata.annotations?.[INDEX] ?? p.status?.phase)

for (const [what, spec, pods, withdrawn, left] of [
  ['suspended', { suspend: true, parallelism: 3, completions: 3 }, ['Running', 'Running'], 2, undefined],
  ['less at once', { parallelism: 1, completions: 9 }, ['Running', 'Running', 'Running'], 2, 1],
  ['all completions are there', { parallelism: 2, completions: 1 }, ['Succeeded', 'Running'], 1, undefined],
] as const)
  test(`pods that the job itself takes away are not counted: ${what}`, () => {
    const plan = planJob(job(spec), pods.map(pod), NOW)
    assert.deepEqual(
      [plan.withdraw.length, plan.remove.length, plan.status.active, plan.status.failed],
      [withdrawn, 0, left, undefined],
      what,
    )
  })

test('an indexed job of 2,147,483,647 completions plans one round of pods', () => {
  const endless = 2 ** 31 - 1
  const spec = {
    completionMode: 'Indexed',
    completions: endless,
    parallelism: 100_000,
    successPolicy: { rules: [{ succeededIndexes: `0-${endless - 1}` }] },
  }
  const plan = planJob(job(spec, { completedIndexes: `0-${endless - 701}` }), [], NOW)
  assert.deepEqual([plan.create.length, plan.create[0]?.index, plan.create.at(-1)?.index], [500, endless - 700, endless - 201])
})

test('of an indexed job those go first that have an index too many, or one that is there twice', () => {
  const spec = { completionMode: 'Indexed', completions: 2, parallelism: 2 }
  const plan = planJob(job(spec), ['Running:0', 'Running:3', 'Running:1', 'Running:1'].map(pod), NOW)
  assert.deepEqual(names(plan.withdraw).sort(), ['1', '3'])
  assert.deepEqual(planJob(job(spec, { completedIndexes: '0,3' }), [], NOW).status.completedIndexes, '0')
})

test('a work queue ends when its last pod has ended after a success', () => {
  const spec = { parallelism: 3, completions: undefined }
  for (const [pods, reason, created] of [
    [['Succeeded', 'Running', 'Running'], undefined, 0],
    [['Succeeded', 'Succeeded', 'Failed'], 'CompletionsReached', 0],
    [['Failed', 'Running', 'Running'], undefined, 1],
  ] as const) {
    const plan = planJob(job(spec), pods.map(pod), NOW)
    assert.deepEqual([plan.status.conditions?.at(-1)?.reason, plan.create.length], [reason, created])
  }
})

test('restarts in place count against the limit', () => {
  const restarted = (count: number) => {
    const one = pod('Running')
    return sketch<Pod>({ ...one, status: { ...one.status, containerStatuses: [{ name: 'm', restartCount: count }] } })
  }
  for (const [backoffLimit, counts, fails] of [
    [2, [1], false],
    [2, [2], true],
    [2, [1, 1], true],
    [0, [0], false],
    [0, [1], true],
  ] as const) {
    const spec = { backoffLimit, parallelism: 2, completions: 2, template: { spec: { restartPolicy: 'OnFailure' } } }
    const plan = planJob(job(spec), counts.map(restarted), NOW)
    assert.equal(plan.status.conditions?.[0]?.reason, fails ? 'BackoffLimitExceeded' : undefined)
    assert.equal(plan.remove.length, fails ? counts.length : 0)
  }
})

test('indexes fail each for itself', () => {
  const spec = { completionMode: 'Indexed', completions: 3, parallelism: 3, backoffLimitPerIndex: 1, backoffLimit: 2_147_483_647 }
  for (const [what, more, pods, failed, given, created, reason] of [
    ['the first failure waits to be counted', {}, ['Failed:0/0', 'Running:1', 'Running:2'], undefined, '', [[0, 1]], undefined],
    ['until the index is tried again', {}, ['Failed:0/0', 'Running:0/1', 'Running:1', 'Running:2'], 1, '', [], undefined],
    ['the second one gives it up', {}, ['Failed:0/1', 'Running:1', 'Running:2'], 1, '0', [], undefined],
    ['the rest goes on to the end', {}, ['Failed:0/1', 'Succeeded:1', 'Succeeded:2'], 1, '0', [], 'FailedIndexes'],
    ['one is too many', { maxFailedIndexes: 0 }, ['Failed:0/1', 'Running:1', 'Running:2'], 1, '0', [], 'MaxFailedIndexesExceeded'],
  ] as const) {
    const plan = planJob(job({ ...spec, ...more }), pods.map(pod), NOW)
    assert.deepEqual([plan.status.failed, plan.status.failedIndexes], [failed, given], what)
    assert.deepEqual(
      plan.create.map((c) => [c.index, c.failures]),
      created,
      what,
    )
    assert.equal(plan.status.conditions?.[0]?.reason, reason, what)
  }
})

test('an index that waits keeps its place; one whose pod is ending is replaced when that is over', () => {
  const spec = { completionMode: 'Indexed', completions: 3, parallelism: 1, backoffLimitPerIndex: 9 }
  const create = (more: object, pods: string[], atMs: number) =>
    planJob(job({ ...spec, ...more }), pods.map(pod), atMs).create.map((c) => c.index)
  const soon = Date.parse('2026-01-01T00:00:04Z')
  assert.deepEqual(create({}, ['Failed:0/0'], soon), [])
  assert.deepEqual(create({ parallelism: 2 }, ['Failed:0/0'], soon), [1])
  assert.deepEqual(create({ parallelism: 2, podReplacementPolicy: 'Failed' }, ['Ending:0/0'], NOW), [1])
})

test('pods of a work queue run on after a success, also when fewer may run at once', () => {
  const status = { succeeded: 1 }
  assert.deepEqual(planJob(job({ completions: undefined }, status), ['Running', 'Running'].map(pod), NOW).withdraw, [])
})

test('an index waits longer after each failure', () => {
  const spec = { completionMode: 'Indexed', completions: 1, backoffLimitPerIndex: 9 }
  const wait = (failures: number, afterMs: number) =>
    planJob(job(spec), [pod(`Failed:0/${failures}`)], Date.parse('2026-01-01T00:00:00Z') + afterMs).requeueAfterMs
  assert.deepEqual([wait(0, 4_000), wait(2, 4_000), wait(0, 10_000)], [6_000, 36_000, undefined])
})

test('a rule of the success policy ends the job; the rest goes uncounted', () => {
  const spec = (rules: object[]) => ({ completionMode: 'Indexed', completions: 4, parallelism: 4, successPolicy: { rules } })
  const pods = ['Succeeded:0', 'Succeeded:2', 'Running:1', 'Running:3'].map(pod)
  for (const [rules, message] of [
    [[{ succeededIndexes: '0' }], 'Matched rules at index 0'],
    [[{ succeededIndexes: '0-1' }, { succeededCount: 2 }], 'Matched rules at index 1'],
    [[{ succeededIndexes: '0-3', succeededCount: 2 }], 'Matched rules at index 0'],
    [[{ succeededIndexes: '0,1' }], undefined],
    [[{ succeededCount: 3 }], undefined],
  ] as const)
    assert.equal(planJob(job(spec([...rules])), pods, NOW).status.conditions?.[0]?.message, message)
  const met = planJob(job(spec([{ succeededIndexes: '0' }])), pods, NOW)
  assert.deepEqual([met.remove, met.release.length, met.counting.failed], [pods.slice(2), 4, []])
  const conditions = [{ type: 'SuccessCriteriaMet', status: 'True', reason: 'SuccessPolicy', message: 'Matched rules at index 0' }]
  const after = planJob(job(spec([]), { conditions, completedIndexes: '0' }), ['Ending:1', 'Ending:3'].map(pod), NOW)
  assert.deepEqual([after.status.failed, after.release.length, after.status.conditions?.length], [undefined, 2, 1])
  assert.equal(planJob(job(spec([]), { conditions, completedIndexes: '0' }), [], NOW).status.conditions?.[1]?.type, 'Complete')
})

test('a pod that somebody deletes has failed: at once, or when it has ended', () => {
  const deleted = [pod('Ending')]
  const at = planJob(job({}), deleted, NOW)
  assert.deepEqual([at.status.failed, at.release.length], [1, 1])
  const later = planJob(job({ podReplacementPolicy: 'Failed' }), deleted, NOW)
  assert.deepEqual([later.status.failed, later.release.length, later.create.length], [undefined, 0, 0])
})

for (const [name, of, pods, terminating] of [
  ['one that fails', job({ backoffLimit: 0 }), ['Failed', 'Running', 'Ending'], 2],
  ['one that is suspended', job({ suspend: true, parallelism: 2 }), ['Running', 'Running'], 2],
  ['one that shrinks', job({ parallelism: 1 }), ['Running', 'Running'], 1],
] as const)
  test(`the status counts pods that the round deletes as terminating: ${name}`, () => {
    const { status } = planJob(of, pods.map(pod), NOW)
    assert.equal(status.terminating, terminating)
  })

test('a job that is being deleted only counts', () => {
  const status = endingStatus(job({}, { active: 2, startTime: 'then' }), ['Ending', 'Running'].map(pod))
  assert.deepEqual(status, { startTime: 'then', active: 1, ready: 0, terminating: 1, uncountedTerminatedPods: {} })
})

test('the name of an indexed pod leaves room for its suffix', () => {
  const made = jobPod({ ...job({}), metadata: { name: 'n'.repeat(63), namespace: 'n' } }, { index: 12, failures: 0 })
  assert.equal(made.metadata.generateName, `${'n'.repeat(54)}-12-`)
  assert.deepEqual(made.metadata.annotations, { [INDEX]: '12', [FAILURES]: '0' })
})

test('new pods wait after failures, also of pods that are gone', () => {
  const at = (ms: number) => Date.parse('2026-01-01T00:00:00Z') + ms
  const first = planJob(job({}), [pod('Failed')], at(1_000))
  assert.deepEqual([first.create.length, first.requeueAfterMs, first.backOff.failures], [0, 9_000, 1])
  const gone = planJob(job({}, first.status), [], at(4_000), first.backOff)
  assert.deepEqual([gone.create.length, gone.requeueAfterMs], [0, 6_000])
  assert.equal(planJob(job({}, first.status), [], at(10_000), first.backOff).create.length, 1)
  const second = planJob(job({}, first.status), [pod('Failed')], at(1_000), first.backOff)
  assert.deepEqual([second.backOff.failures, second.requeueAfterMs], [2, 19_000])
  const success = planJob(job({ completions: 3 }), [pod('Succeeded')], at(1_000), second.backOff)
  assert.deepEqual([success.backOff.failures, success.create.length], [0, 1])
})

test('when the end is decided no index is given up any more, and everything is counted', () => {
  const spec = { completionMode: 'Indexed', completions: 3, parallelism: 3, backoffLimitPerIndex: 1, backoffLimit: 0 }
  const plan = planJob(job(spec), ['Failed:0/0', 'Running:1', 'Running:2'].map(pod), NOW)
  assert.deepEqual([plan.status.failed, plan.status.failedIndexes, plan.release.length, plan.remove.length], [1, '', 1, 2])
  const conditions = [{ type: 'FailureTarget', status: 'True', reason: 'BackoffLimitExceeded', message: '' }]
  const after = planJob(job(spec, { conditions, failed: 1, failedIndexes: '' }), ['Ending:1/1', 'Ending:2/1'].map(pod), NOW)
  assert.deepEqual([after.status.failed, after.status.failedIndexes], [3, ''])
  const patient = { completions: 2, parallelism: 2, podReplacementPolicy: 'Failed' }
  const left = planJob(job(patient, { conditions }), ['Ending', 'Ending'].map(pod), NOW)
  assert.deepEqual([left.status.failed, left.release.length, left.status.conditions?.length], [2, 2, 1])
})

test('more successes than completions are reported', () => {
  const reasons = (spec: object, pods: readonly string[]) => planJob(job(spec), pods.map(pod), NOW).events.map((n) => n.reason)
  assert.deepEqual(reasons({}, ['Succeeded', 'Succeeded']), ['TooManySucceededPods', 'Completed'])
  assert.deepEqual(reasons({}, ['Succeeded']), ['Completed'])
  assert.deepEqual(reasons({ completions: undefined }, ['Succeeded', 'Succeeded']), ['Completed'])
})
