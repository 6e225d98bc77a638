import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContainerRestartRule } from '../../../resources/types/core.ts'
import { podDouble } from '../../types/pod.double.ts'
import type { ContainerRole } from '../../types/pod.ts'
import { mayRestart, shouldRestart, startsAllAnew } from './restart-policy.ts'

type Policy = 'Always' | 'OnFailure' | 'Never'

for (const [role, policy, exitCode, restarts] of [
  ['main', 'Always', 0, true],
  ['main', 'Always', 1, true],
  ['main', 'OnFailure', 0, false],
  ['main', 'OnFailure', 1, true],
  ['main', 'Never', 1, false],
  ['init', 'Always', 0, false],
  ['init', 'Always', 1, true],
  ['init', 'OnFailure', 1, true],
  ['init', 'Never', 1, false],
  ['sidecar', 'Never', 0, true],
  ['sidecar', 'Never', 1, true],
  ['ephemeral', 'Always', 1, false],
] as const satisfies readonly (readonly [ContainerRole, Policy, number, boolean])[])
  test(`${role} of a pod with ${policy} that ends with ${exitCode}: ${restarts ? 'restarts' : 'stays ended'}`, () => {
    const pod = podDouble({ spec: { restartPolicy: policy } })
    assert.equal(mayRestart(pod, { container: { name: 'c', image: 'app' }, role }, exitCode), restarts)
  })

const rule = (operator: 'In' | 'NotIn', values: readonly number[], action: ContainerRestartRule['action'] = 'Restart') => ({
  action,
  exitCodes: { operator, values },
})

for (const [text, own, exitCode, restarts] of [
  ['its own policy comes before its pod', { restartPolicy: 'Always' }, 0, true],
  ['a rule that names the code restarts it', { restartPolicyRules: [rule('In', [42])] }, 42, true],
  ['a rule for other codes does not', { restartPolicyRules: [rule('In', [42])] }, 43, false],
  ['a rule for all but some restarts the others', { restartPolicyRules: [rule('NotIn', [42])] }, 43, true],
  ['and leaves those', { restartPolicyRules: [rule('NotIn', [42])] }, 42, false],
  ['a rule without exit codes is no rule', { restartPolicyRules: [{ action: 'Restart' }] }, 42, false],
] as const)
  test(`KEP-5307, in a pod with Never: ${text}`, () => {
    const pod = podDouble({ spec: { restartPolicy: 'Never' } })
    assert.equal(mayRestart(pod, { container: { name: 'c', image: 'app', ...own }, role: 'main' }, exitCode), restarts)
  })

test('nothing restarts in a pod that is being deleted', () => {
  const metadata = { name: 'p', resourceVersion: '1', deletionTimestamp: '2026-01-01T00:00:00Z' }
  assert.equal(shouldRestart(podDouble({ metadata }), { container: { name: 'c', image: 'app' }, role: 'main' }, 1), false)
})

for (const [text, action, state, current, anew] of [
  ['has ended so', 'RestartAllContainers', { kind: 'terminated', exitCode: 42 }, {}, true],
  ['has ended otherwise', 'RestartAllContainers', { kind: 'terminated', exitCode: 1 }, {}, false],
  ['runs', 'RestartAllContainers', { kind: 'running' }, {}, false],
  ['has a rule for itself alone', 'Restart', { kind: 'terminated', exitCode: 42 }, {}, false],
  ['failed at its start', 'RestartAllContainers', { kind: 'waiting', reason: 'PostStartHookError' }, { exitCode: 42 }, true],
  ['is being removed for that', 'RestartAllContainers', { kind: 'waiting', reason: 'RestartingAllContainers' }, { exitCode: 42 }, false],
  ['was removed already', 'RestartAllContainers', { kind: 'terminated', exitCode: 42 }, undefined, false],
] as const)
  test(`KEP-5532: all containers begin anew for one that ${text}: ${anew}`, () => {
    const container = { name: 'c', image: 'app', restartPolicyRules: [rule('In', [42], action)] }
    assert.equal(startsAllAnew({ container, state, current }), anew)
  })
