import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { formatIndexes, parseIndexes } from './indexes.ts'
import { INDEX, planJob, TRACKING } from './plan.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const job = (spec: object, status: object = {}): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j', namespace: 'n', uid: 'u' },
  spec: { parallelism: 1, completions: 1, backoffLimit: 6, ...spec },
  status,
})

/** `Running`, `Failed`, `Succeeded` or, with an index, `Succeeded:2`. */
function pod(text: string): KubeObject {
  const [phase = '', index] = text.split(':')
  const annotations = index === undefined ? {} : { annotations: { [INDEX]: index } }
  const terminated = { exitCode: phase === 'Failed' ? 3 : 0, finishedAt: '2026-01-01T00:00:00Z' }
  const containerStatuses = phase === 'Running' ? [] : [{ name: 'm', state: { terminated } }]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', finalizers: [TRACKING], ...annotations },
    spec: { nodeName: 'x' },
    status: { phase, containerStatuses },
  }
}

test('a job makes the pods that are missing', () => {
  for (const [what, spec, pods, count] of [
    ['one', {}, [], 1],
    ['as many as may run at once', { completions: 3, parallelism: 2 }, [], 2],
    ['no more than are left to do', { completions: 3, parallelism: 2 }, ['Succeeded', 'Succeeded'], 1],
    ['none while enough run', { completions: 3, parallelism: 2 }, ['Running', 'Running'], 0],
    ['none while suspended', { suspend: true }, [], 0],
    ['again after a failure', {}, ['Failed'], 1],
    ['none after too many failures', { backoffLimit: 0 }, ['Failed'], 0],
  ] as const)
    assert.equal(planJob(job(spec), pods.map(pod), NOW).create.count, count, what)
})

test('a job ends by what its pods did', () => {
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
    assert.equal(planJob(job(spec), pods.map(pod), NOW).status.conditions?.at(-1)?.reason, reason, what)
})

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
  assert.deepEqual(plan.create, { count: 1, indexes: [2] })
  assert.equal(plan.status.completedIndexes, '0')
})

test('indexes are written as ranges', () => {
  for (const [list, text] of [
    [[0], '0'],
    [[0, 1], '0,1'],
    [[2, 1, 0, 5], '0-2,5'],
  ] as const) {
    assert.equal(formatIndexes(list), text)
    assert.deepEqual([...parseIndexes(text)].sort(), [...list].sort())
  }
})
