import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PodCondition } from '../../../resources/types/core.ts'
import type { ContainerRecord } from '../../types/container-record.ts'
import { type Pod, podRef } from '../../types/pod.ts'
import { observeContainers, type StartFailure } from '../plan/container-record.ts'
import { PodResize } from '../plan/pod-resize.ts'
import { restoreRecords } from '../plan/restore-records.ts'
import { podStatus } from './pod-status.ts'

const AT = Date.UTC(2026, 0, 1)
const base: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns', uid: 'u', generation: 3 },
  spec: { containers: [{ name: 'main', image: 'app', resources: { requests: { cpu: '100m' } } }] },
  status: {},
}
const record = (more: Partial<ContainerRecord> = {}): ContainerRecord => ({
  container: base.spec.containers[0] ?? { name: 'main', image: 'app' },
  role: 'main',
  state: { kind: 'running', id: 'c1', startedAtMs: AT },
  restartCount: 0,
  started: true,
  ready: true,
  ...more,
})
const status = (pod: Pod, records: readonly ContainerRecord[], more: object = {}) =>
  podStatus(
    {
      pod,
      records,
      hostIps: ['1.2.3.4'],
      podIps: ['10.0.0.1'],
      sandboxReady: true,
      startTimeMs: AT,
      stopped: false,
      amounts: new PodResize(pod).podAmounts(pod),
      resize: [],
      ...more,
    },
    AT,
  )
const condition = (of: ReturnType<typeof status>, type: string) => (of.conditions as unknown as PodCondition[]).find((c) => c.type === type)

test('a running pod is ready, and its resources are reported', () => {
  const reported = status(base, [record()])
  assert.deepEqual([reported.phase, condition(reported, 'Ready')?.status, reported.observedGeneration], ['Running', 'True', 3])
  assert.deepEqual([reported.allocatedResources, reported.resources], [{ cpu: '100m' }, { requests: { cpu: '100m' } }])
})

const gated = (...conditions: PodCondition[]): Pod => ({
  ...base,
  spec: { ...base.spec, readinessGates: [{ conditionType: 'example.com/in' }] },
  status: { conditions },
})

const gates: readonly (readonly [string, Pod, 'True' | 'False', string | undefined])[] = [
  ['without its condition', gated(), 'False', 'corresponding condition of pod readiness gate "example.com/in" does not exist.'],
  [
    'with one that is false',
    gated({ type: 'example.com/in', status: 'False' }),
    'False',
    'the status of pod readiness gate "example.com/in" is not "True", but False',
  ],
  [
    'with one that nobody knows',
    gated({ type: 'example.com/in', status: 'Unknown' }),
    'False',
    'the status of pod readiness gate "example.com/in" is not "True", but Unknown',
  ],
  ['with one that holds', gated({ type: 'example.com/in', status: 'True' }), 'True', undefined],
]

for (const [rule, pod, wanted, message] of gates) {
  test(`a readiness gate ${rule}`, () => {
    const reported = status(pod, [record()])
    assert.deepEqual([condition(reported, 'Ready')?.status, condition(reported, 'Ready')?.message], [wanted, message])
    assert.equal(condition(reported, 'ContainersReady')?.status, 'True')
    assert.equal(condition(reported, 'example.com/in'), undefined, "conditions of others are not the agent's to write")
  })
}

test('an init container that waits for a restart of all containers counts as initialized while it is ready', () => {
  const state = { kind: 'waiting', reason: 'RestartingAllContainers' } as const
  const container = { name: 'init', image: 'app' }
  const main = record({ state: { kind: 'waiting', reason: 'PodInitializing' }, started: false, ready: false })
  const initialized = (ready: boolean) =>
    condition(status(base, [record({ container, role: 'init', state, started: false, ready }), main]), 'Initialized')?.status
  assert.deepEqual([initialized(true), initialized(false)], ['True', 'False'])
})

test('a pod that was initialized stays so while a sidecar restarts before its main containers have started', () => {
  const sidecar = record({
    container: { name: 'side', image: 'app', restartPolicy: 'Always' },
    role: 'sidecar',
    state: { kind: 'terminated', id: 'c1', exitCode: 1, startedAtMs: AT, finishedAtMs: AT },
    started: false,
    ready: false,
  })
  const main = record({ state: { kind: 'waiting', reason: 'ErrImagePull' }, started: false, ready: false })
  const initialized = (before: 'True' | 'False') => {
    const pod = { ...base, status: { conditions: [{ type: 'Initialized', status: before }] } }
    return condition(status(pod, [sidecar, main]), 'Initialized')?.status
  }
  assert.deepEqual([initialized('True'), initialized('False')], ['True', 'False'])
})

test('a condition keeps the time of its last change', () => {
  const before = { ...base, status: { conditions: [{ type: 'Ready', status: 'True' as const, lastTransitionTime: 'then' }] } }
  assert.equal(condition(status(before, [record()]), 'Ready')?.lastTransitionTime, 'then')
  assert.equal(condition(status(before, [record({ ready: false })]), 'Ready')?.lastTransitionTime, '2026-01-01T00:00:00Z')
})

test('a pod ends only when everything has stopped', () => {
  const ended = record({ state: { kind: 'terminated', id: 'c1', exitCode: 2, startedAtMs: AT, finishedAtMs: AT }, ready: false })
  const never: Pod = { ...base, spec: { ...base.spec, restartPolicy: 'Never' }, status: { phase: 'Running' } }
  const reported = status(never, [ended])
  assert.deepEqual([reported.phase, condition(reported, 'Ready')?.reason], ['Running', 'PodFailed'])
  assert.equal(status(never, [ended], { stopped: true }).phase, 'Failed')
  const termination = { reason: 'DeadlineExceeded', message: 'm' }
  assert.deepEqual(
    [status(never, [record()], { termination }).reason, status(never, [ended], { termination, stopped: true }).reason],
    [undefined, 'DeadlineExceeded'],
  )
})

test('a deleted pod whose container would be restarted has not failed until it has stopped', () => {
  const ended = record({ state: { kind: 'terminated', id: 'c1', exitCode: 2, startedAtMs: AT, finishedAtMs: AT }, ready: false })
  const metadata = { ...base.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }
  const deleted: Pod = { ...base, metadata, spec: { ...base.spec, restartPolicy: 'OnFailure' } }
  const [before, after] = [status(deleted, [ended]), status(deleted, [ended], { stopped: true })]
  assert.deepEqual([before.phase, condition(before, 'Ready')?.reason], ['Running', 'ContainersNotReady'])
  assert.deepEqual([after.phase, condition(after, 'Ready')?.reason], ['Failed', 'PodFailed'])
})

const probes = { started: () => true, ready: () => true }
const amounts = { allocated: () => undefined, reported: () => undefined }
const observe = (before: readonly ContainerRecord[], failures: Record<string, StartFailure> = {}, pod = base) =>
  observeContainers({
    pod,
    runtime: { sandboxes: [], containers: [] },
    before,
    failures: new Map(Object.entries(failures)),
    probes,
    amounts,
  })[0]

test('a container that the runtime has removed keeps its reported state, or has an unknown end', () => {
  const ended = record({ state: { kind: 'terminated', id: 'c1', exitCode: 0, startedAtMs: AT, finishedAtMs: AT } })
  assert.deepEqual(observe([ended])?.state, ended.state)
  const lost = observe([record()])?.state
  assert.deepEqual(
    [lost?.kind, lost?.kind === 'terminated' && lost.exitCode, lost?.kind === 'terminated' && lost.reason],
    ['terminated', 137, 'ContainerStatusUnknown'],
  )
  assert.equal(observe([])?.state.kind, 'waiting')
})

test('why a container could not start is shown, unless it will not start again or its pod is being deleted', () => {
  const failure = { reason: 'CrashLoopBackOff', message: 'm' }
  const ended = record({ state: { kind: 'terminated', id: 'c1', exitCode: 1, startedAtMs: AT, finishedAtMs: AT } })
  const shown = observe([ended], { main: failure })
  assert.deepEqual([shown?.state, shown?.last?.exitCode], [{ kind: 'waiting', ...failure }, 1])
  const never: Pod = { ...base, spec: { ...base.spec, restartPolicy: 'Never' } }
  assert.equal(observe([ended], { main: failure }, never)?.state.kind, 'terminated')
  const deleted: Pod = { ...base, metadata: { ...base.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
  assert.equal(observe([ended], { main: failure }, deleted)?.state.kind, 'terminated')
})

test('a pod is Pending while a sidecar runs in a new sandbox, until a main container was created there', () => {
  const inSandbox = (sandboxId: string): Partial<ContainerRecord> => ({
    current: {
      id: 'c1',
      sandboxId,
      pod: podRef(base),
      name: 'main',
      attempt: 0,
      state: 'running',
      createdAtMs: AT,
      image: { name: 'app', id: 'app' },
      annotations: {},
      resources: {},
    },
  })
  const sidecar = record({ container: { name: 'side', image: 'app', restartPolicy: 'Always' }, role: 'sidecar', ...inSandbox('new') })
  const state = { kind: 'terminated', id: 'c1', exitCode: 137, reason: 'Error', message: '', startedAtMs: AT, finishedAtMs: AT } as const
  const phase = (main: ContainerRecord) => status(base, [sidecar, main]).phase
  assert.equal(phase(record({ state, ...inSandbox('old') })), 'Pending')
  assert.equal(phase(record({ state, ...inSandbox('new') })), 'Running')
})

test('the back-off of a sidecar is shown, unless it ended with 0', () => {
  const failure = { reason: 'CrashLoopBackOff', message: 'm' }
  const sidecar = { name: 'side', image: 'app', restartPolicy: 'Always' }
  const pod: Pod = { ...base, spec: { ...base.spec, initContainers: [sidecar] } }
  const shown = (exitCode: number) => {
    const state = { kind: 'terminated', id: 'c1', exitCode, startedAtMs: AT, finishedAtMs: AT } as const
    return observe([record({ container: sidecar, role: 'sidecar', state })], { side: failure }, pod)?.state.kind
  }
  assert.deepEqual([shown(0), shown(1)], ['terminated', 'waiting'])
})

test('the container statuses can be restored from the status', () => {
  const last = { kind: 'terminated', id: 'c0', exitCode: 1, reason: 'Error', startedAtMs: AT, finishedAtMs: AT } as const
  const reported = status(base, [record({ last, restartCount: 1, image: { name: 'app', id: 'app@1' } })])
  const [restored] = restoreRecords({ ...base, status: reported as Pod['status'] })
  assert.deepEqual([restored?.state, restored?.last, restored?.restartCount, restored?.ready], [record().state, last, 1, true])
})
