import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ContainerRecord, freshRecords } from './container-record.ts'
import { BACK_OFF, goSeconds, nextPullBackOff, nextRestartBackOff, planPod } from './plan-pod.ts'
import { phaseOf } from './pod-status.ts'
import type { Pod } from './pod-types.ts'

/** `main:run init:0 side:run`: containers with what they are doing (`wait`, `run`, an exit code). */
function pod(policy: 'Always' | 'OnFailure' | 'Never', text: string): { pod: Pod; records: ContainerRecord[] } {
  const parts = text.split(' ').map((p) => p.split(':') as [string, string])
  const containers = parts.filter(([n]) => n.startsWith('main')).map(([name]) => ({ name, image: 'app' }))
  const initContainers = parts
    .filter(([n]) => !n.startsWith('main'))
    .map(([name]) => ({ name, image: 'app', ...(name.startsWith('side') ? { restartPolicy: 'Always' } : {}) }))
  const made: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { restartPolicy: policy, containers, initContainers },
    status: {},
  }
  const records = freshRecords(made).map((r): ContainerRecord => {
    const state = parts.find(([n]) => n === r.container.name)?.[1] ?? 'wait'
    if (state === 'wait') return r
    if (state === 'run') return { ...r, state: { kind: 'running', id: 'c', startedAtMs: 0 }, started: true, ready: true }
    return { ...r, state: { kind: 'terminated', id: 'c', exitCode: Number(state), startedAtMs: 0, finishedAtMs: 0 } }
  })
  return { pod: made, records }
}

const cases: readonly (readonly [string, 'Always' | 'OnFailure' | 'Never', string, string, string])[] = [
  ['all main containers start together', 'Always', 'main1:wait main2:wait', 'start main1 main2', 'Pending'],
  ['init containers go one after the other', 'Always', 'a:wait b:wait main:wait', 'start a', 'Pending'],
  ['the next starts when the one before has ended well', 'Always', 'a:0 b:wait main:wait', 'start b', 'Pending'],
  ['a failed init container is tried again', 'Always', 'a:1 main:wait', 'start a', 'Pending'],
  ['a failed init container ends a pod that never restarts', 'Never', 'a:1 main:wait', 'finished', 'Failed'],
  ['a sidecar that runs lets the next start', 'Always', 'side:run main:wait', 'start main', 'Pending'],
  ['a main container that ended well starts again', 'Always', 'main:0', 'start main', 'Running'],
  ['unless the pod restarts on failure only', 'OnFailure', 'main:0', 'finished', 'Succeeded'],
  ['a failure is restarted then', 'OnFailure', 'main:2', 'start main', 'Running'],
  ['a pod that never restarts has failed when one has', 'Never', 'main1:0 main2:1', 'finished', 'Failed'],
  ['and runs on while one runs', 'Never', 'main1:1 main2:run', '', 'Running'],
  ['sidecars stop when the main containers are done', 'Never', 'side:run main:0', 'stop side finished', 'Succeeded'],
  ['a sidecar that ended is restarted', 'Never', 'side:1 main:run', 'start side', 'Pending'],
]

for (const [rule, policy, text, wanted, phase] of cases) {
  test(rule, () => {
    const { pod: p, records } = pod(policy, text)
    const plan = planPod(p, records, 0)
    const names = (word: string, list: readonly ContainerRecord[]) =>
      list.length === 0 ? [] : [word, ...list.map((r) => r.container.name)]
    const told = [
      ...names('start', plan.start),
      ...names('hold', plan.hold),
      ...names('stop', plan.stop),
      ...(plan.finished ? ['finished'] : []),
    ]
    assert.equal(told.join(' '), wanted)
    assert.equal(phaseOf(p, records), phase)
  })
}

test('a restart waits not at all, then 10 s, 20 s, up to 5 min; ten minutes of running are forgiven', () => {
  const { records } = pod('Always', 'main:1')
  let record = records[0]
  assert.ok(record)
  const waits: number[] = []
  for (let i = 0; i < 8; i++) {
    const backOff = nextRestartBackOff(record, 0)
    assert.ok(backOff)
    waits.push(backOff.delayMs / 1000)
    record = { ...record, backOff, restartCount: record.restartCount + 1 }
  }
  assert.deepEqual(waits, [0, 10, 20, 40, 80, 160, 300, 300])
  const long = { ...record, state: { kind: 'terminated', id: 'c', exitCode: 1, startedAtMs: 0, finishedAtMs: BACK_OFF.forgetMs } as const }
  assert.equal(nextRestartBackOff(long, 0)?.delayMs, 0)
})

test('a container that has to wait is held until its time has come', () => {
  const { pod: p, records } = pod('Always', 'main:wait')
  const held = records.map((r) => ({ ...r, backOff: nextPullBackOff(r, 1000, 'ErrImagePull: no') }))
  assert.deepEqual(planPod(p, held, 1000).hold, held)
  assert.equal(planPod(p, held, 1000).wakeAtMs, 11_000)
  assert.deepEqual(planPod(p, held, 11_000).start, held)
})

test('waits are shown as Go shows them', () => {
  assert.deepEqual([10_000, 160_000, 300_000].map(goSeconds), ['10s', '2m40s', '5m0s'])
})
