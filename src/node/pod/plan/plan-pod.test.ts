import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProbeResult } from '../../probes/probe-results.ts'
import type { ContainerStatus } from '../../runtime/runtime.ts'
import type { ContainerRecord } from '../../types/container-record.ts'
import { type Container, containersOf, type Pod, podRef } from '../../types/pod.ts'
import { phaseOf } from '../report/pod-status.ts'
import { DEFINITION_ANNOTATION, definitionOf } from './container-record.ts'
import { type PodPlan, planPod } from './plan-pod.ts'

type Policy = 'Always' | 'OnFailure' | 'Never'
type Results = Readonly<Record<string, ProbeResult>>

/**
 * `main:run init:0 side:run`: containers and their states (`wait`, `run`, `slow`: runs but has not passed its startup probe, `old`: runs an
 * old image, an exit code).
 */
function podOf(policy: Policy, text: string): { pod: Pod; records: ContainerRecord[] } {
  const parts = text.split(' ').map((p) => p.split(':') as [string, string])
  const probes = { livenessProbe: {}, startupProbe: {} }
  const main = (n: string) => n.startsWith('main')
  const debug = (n: string) => n.startsWith('debug')
  const named = (pick: (n: string) => boolean) => parts.map(([n]) => n).filter(pick)
  const containers = named(main).map((name): Container => ({ name, image: 'app', ...probes, ...rulesOf(name) }))
  const ephemeralContainers = named(debug).map((name): Container => ({ name, image: 'app' }))
  const initContainers = named((n) => !main(n) && !debug(n)).map(
    (name): Container => ({ name, image: 'app', ...probes, ...(name.startsWith('side') ? { restartPolicy: 'Always' } : {}) }),
  )
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', uid: 'u', namespace: 'default' },
    spec: { restartPolicy: policy, containers, initContainers, ephemeralContainers },
    status: {},
  }
  const records = containersOf(pod).map(({ container, role }): ContainerRecord => {
    const state = parts.find(([n]) => n === container.name)?.[1] ?? 'wait'
    const fresh = { container, role, restartCount: 0, started: false, ready: false }
    if (state === 'wait') return { ...fresh, state: { kind: 'waiting', reason: 'ContainerCreating' } }
    const current = statusOf(pod, state === 'old' ? { ...container, image: 'older' } : container)
    if (!/^\d+$/.test(state)) {
      return { ...fresh, current, state: { kind: 'running', id: container.name, startedAtMs: 0 }, started: state !== 'slow', ready: true }
    }
    const ended = { ...current, state: 'exited', exitCode: Number(state), finishedAtMs: 0 } as const
    const terminated = { kind: 'terminated', id: container.name, exitCode: Number(state), startedAtMs: 0, finishedAtMs: 0 } as const
    return { ...fresh, current: ended, state: terminated }
  })
  return { pod, records }
}

const rulesOf = (name: string): Partial<Container> =>
  name === 'mainAll'
    ? { restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [88] } }] }
    : name === 'mainRule'
      ? { restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'NotIn', values: [0] } }] }
      : {}

const statusOf = (pod: Pod, container: Container): ContainerStatus => ({
  id: container.name,
  sandboxId: 's0',
  pod: podRef(pod),
  name: container.name,
  attempt: 0,
  state: 'running',
  createdAtMs: 0,
  startedAtMs: 0,
  image: { name: container.image, id: container.image },
  annotations: { [DEFINITION_ANNOTATION]: definitionOf(container) },
  resources: {},
})

function plan(policy: Policy, text: string, more: { sandbox?: 'ready' | 'not-ready' | 'none'; results?: Results } = {}) {
  const { pod, records } = podOf(policy, text)
  const { sandbox = 'ready', results = {} } = more
  const status = { id: 's0', pod: podRef(pod), attempt: 0, createdAtMs: 0, ips: [] }
  const sandboxes = sandbox === 'none' ? [] : [{ ...status, state: sandbox }]
  const probes = {
    liveness: (id: string) => results[`live ${id}`] ?? 'unknown',
    startup: (id: string) => results[`start ${id}`] ?? 'unknown',
  } as const
  return { pod, records, plan: planPod({ pod, records, sandboxes, probes }) }
}

const say = (p: PodPlan) =>
  [
    ...(p.killPod ? ['kill-pod'] : []),
    ...(p.restartAll ? ['restart-all'] : []),
    ...(p.sandboxAttempt === undefined ? [] : [`sandbox-${p.sandboxAttempt}`]),
    ...(p.kill.length > 0 ? ['kill', ...p.kill.map((k) => k.record.container.name)] : []),
    ...(p.start.length > 0 ? ['start', ...p.start.map((r) => r.container.name)] : []),
  ].join(' ')

const cases: readonly (readonly [string, Policy, string, string, string])[] = [
  ['all main containers start together', 'Always', 'main1:wait main2:wait', 'start main1 main2', 'Pending'],
  ['init containers go one after the other', 'Always', 'a:wait b:wait main:wait', 'start a', 'Pending'],
  ['the next starts when the one before has ended well', 'Always', 'a:0 b:wait main:wait', 'start b', 'Pending'],
  ['nothing starts while an init container runs', 'Always', 'a:run b:wait main:wait', '', 'Pending'],
  ['main containers start when the last init container has ended', 'Always', 'a:0 b:0 main:wait', 'start main', 'Pending'],
  ['a failed init container is tried again', 'Always', 'a:1 main:wait', 'start a', 'Pending'],
  ['a failed init container ends a pod that never restarts', 'Never', 'a:1 main:wait', 'kill-pod', 'Failed'],
  ['init containers do not run again beside the main ones', 'Always', 'a:1 main:run', '', 'Running'],
  ['a sidecar that has started lets the next start', 'Always', 'side:run main:wait', 'start main', 'Pending'],
  ['a sidecar that is starting does not', 'Always', 'side:slow main:wait', '', 'Pending'],
  ['a sidecar that ended before the main ones began starts again', 'Always', 'side1:1 side2:wait main:wait', 'start side1', 'Pending'],
  ['a main container that ended well starts again', 'Always', 'main:0', 'start main', 'Running'],
  ['unless the pod restarts on failure only', 'OnFailure', 'main:0', 'kill-pod', 'Succeeded'],
  ['a failure is restarted then', 'OnFailure', 'main:2', 'start main', 'Running'],
  ['a pod that never restarts has failed when one has', 'Never', 'main1:0 main2:1', 'kill-pod', 'Failed'],
  ['and runs on while one runs', 'Never', 'main1:1 main2:run', '', 'Running'],
  ['sidecars are no reason to go on, but the pod has not ended before them', 'Never', 'side:run main:0', 'kill-pod', 'Running'],
  ['a pod whose sidecars have ended too has ended', 'Never', 'side:143 main:0', 'kill-pod', 'Succeeded'],
  ['a sidecar that ended later is restarted, and its pod runs on', 'Never', 'side:1 main:run', 'start side', 'Running'],
  ['a sidecar that waits later does not hold a crashed main container', 'Always', 'side:1 main:1', 'start side main', 'Running'],
  ['a rule of the container restarts it in a pod that never restarts', 'Never', 'mainRule:3 main2:run', 'start mainRule', 'Running'],
  ['unless its rule does not name the code', 'Never', 'mainRule:0 main2:run', '', 'Running'],
  ['a rule restarts all containers', 'Never', 'a:0 mainAll:88 main2:run', 'restart-all', 'Running'],
  ['an ephemeral container starts beside the others', 'Always', 'main:run debug:wait', 'start debug', 'Running'],
  ['and never again', 'Always', 'main:run debug:0', '', 'Running'],
  ['a container from another image is replaced', 'Always', 'main1:old main2:run', 'kill main1 start main1', 'Running'],
  ['so is a sidecar', 'Always', 'side:old main:run', 'kill side start side', 'Running'],
  ['but not an init container', 'Always', 'a:old main:wait', '', 'Pending'],
]

for (const [rule, policy, text, wanted, phase] of cases) {
  test(rule, () => {
    const { pod, records, plan: planned } = plan(policy, text)
    assert.equal(say(planned), wanted)
    assert.equal(phaseOf(pod, records), phase)
  })
}

test('a pod without a sandbox gets one, and begins with its first init container', () => {
  assert.equal(say(plan('Always', 'a:wait b:wait main:wait', { sandbox: 'none' }).plan), 'kill-pod sandbox-0 start a')
  assert.equal(say(plan('Always', 'main1:wait main2:wait', { sandbox: 'none' }).plan), 'kill-pod sandbox-0 start main1 main2')
})

test('a sandbox that died is replaced by the next, unless nothing would run in it', () => {
  assert.equal(say(plan('Always', 'a:0 main:137', { sandbox: 'not-ready' }).plan), 'kill-pod sandbox-1 start a')
  assert.equal(say(plan('OnFailure', 'main1:0 main2:137', { sandbox: 'not-ready' }).plan), 'kill-pod sandbox-1 start main2')
  assert.equal(say(plan('Never', 'main:137', { sandbox: 'not-ready' }).plan), 'kill-pod')
})

test('a pod that never restarts gets no second sandbox once it had a container, also in its initialization, whatever its rules say', () => {
  for (const text of ['a:run main:wait', 'a:0 main:wait', 'mainRule:3 main2:run'])
    assert.equal(say(plan('Never', text, { sandbox: 'not-ready' }).plan), 'kill-pod')
  assert.equal(say(plan('Never', 'a:wait main:wait', { sandbox: 'not-ready' }).plan), 'kill-pod sandbox-1 start a')
})

test('a rule that restarts all containers also gives a new sandbox', () => {
  assert.equal(say(plan('Never', 'mainAll:88 main2:137', { sandbox: 'not-ready' }).plan), 'kill-pod restart-all sandbox-1')
})

const probeCases: readonly (readonly [string, Policy, string, Results, string])[] = [
  ['a container that fails its liveness probe is replaced', 'Always', 'main:run', { 'live main': 'failure' }, 'kill main start main'],
  ['or stopped for good', 'Never', 'main:run main2:run', { 'live main': 'failure' }, 'kill main'],
  ['a startup probe that fails kills too', 'Always', 'main:slow', { 'start main': 'failure' }, 'kill main start main'],
  ['a sidecar is replaced whatever the policy', 'Never', 'side:run main:run', { 'live side': 'failure' }, 'kill side start side'],
  ['success and silence change nothing', 'Always', 'main1:run main2:run', { 'live main1': 'success' }, ''],
]

for (const [rule, policy, text, results, wanted] of probeCases) {
  test(rule, () => assert.equal(say(plan(policy, text, { results }).plan), wanted))
}

test('the event has whether the container will be restarted', () => {
  const message = (policy: Policy) => plan(policy, 'main:run main2:run', { results: { 'live main': 'failure' } }).plan.kill[0]?.message
  assert.equal(message('Always'), 'Container main failed liveness probe, will be restarted')
  assert.equal(message('Never'), 'Container main failed liveness probe')
})
