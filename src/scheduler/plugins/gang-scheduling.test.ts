import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import type { PodGroup } from '../../resources/types/scheduling-v1alpha2.ts'
import { PodGroups } from '../cache/pod-groups.ts'
import { podInfo } from '../cache/pod-info.ts'
import { listersOver } from '../framework/listers.double.ts'
import { WaitingPods } from '../framework/waiting-pods.ts'
import { gangScheduling } from './gang-scheduling.ts'
import { clusterOf, pluginOf, pod } from './plugin-table.double.ts'

const group = (name: string, minCount?: number): PodGroup => ({
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'PodGroup',
  metadata: { name, namespace: 'default' },
  spec: { schedulingPolicy: minCount === undefined ? { basic: {} } : { gang: { minCount } } },
})

const member = (name: string, of: string) => pod(name, { spec: { schedulingGroup: { podGroupName: of } } })
const plugin = pluginOf(gangScheduling)

/** `a:placed b:unplaced` are pods of the group `g`. */
function contextOf(groups: readonly PodGroup[], members: string) {
  const index = new PodGroups()
  for (const word of members.split(' ').filter(Boolean)) {
    const [name = '', where] = word.split(':')
    index.note(`default/${name}`, member(name, 'g'), where === 'placed' ? 'placed' : 'unplaced')
  }
  const listers = listersOver((resource) => (resource === 'podgroups' ? groups : []), { podGroup: (ns, name) => index.of(ns, name) })
  return { ...clusterOf({ nodes: [] }), listers }
}

const TOO_FEW = 'waiting for minCount pods from a gang to appear in scheduling queue'
for (const [rule, groups, members, message] of [
  ['the pod waits for its PodGroup', [], 'a:unplaced', 'waiting for pods\'s pod group "g" to appear in scheduling queue'],
  ['a group with the policy basic is no gang', [group('g')], 'a:unplaced', undefined],
  ['a gang waits until enough of its pods exist', [group('g', 2)], 'a:unplaced', TOO_FEW],
  ['pods with and without a node count', [group('g', 2)], 'a:unplaced b:placed', undefined],
  ['more pods than needed do not matter', [group('g', 2)], 'a:unplaced b:unplaced c:unplaced', undefined],
] as const)
  test(`PreEnqueue: ${rule}`, () => {
    assert.equal(plugin.preEnqueue?.(podInfo(member('a', 'g')), contextOf(groups, members)), message)
  })

test('a pod without a group is left alone', () => {
  assert.equal(plugin.preEnqueue?.(podInfo(pod('a')), contextOf([], '')), undefined)
})

/** Permit for the pod `a`; `waiting` are pods that wait there already. */
async function permit(groups: readonly PodGroup[], members: string, waiting: readonly string[] = []) {
  const waitingPods = new WaitingPods(new VirtualClock(0))
  const verdicts = waiting.map((name) => waitingPods.wait(podInfo(member(name, 'g')), 'n1', new Map([['GangScheduling', 300_000]])))
  const activated: string[] = []
  const deps = { context: contextOf(groups, members), waitingPods, activate: (keys: Iterable<string>) => void activated.push(...keys) }
  const permission = await plugin.permit?.(podInfo(member('a', 'g')), 'n1', deps)
  return { permission, activated, left: waitingPods.size, verdicts: waitingPods.size === 0 ? await Promise.all(verdicts) : undefined }
}

test('Permit: a pod waits until minCount pods have a node, and pods without one try again', async () => {
  const { permission, activated } = await permit([group('g', 3)], 'a:placed b:placed c:unplaced')
  assert.deepEqual(permission, { waitMs: 300_000 })
  assert.deepEqual(activated, ['default/c'])
})

test('Permit: the pod that completes the gang lets the others go', async () => {
  const { permission, left, verdicts } = await permit([group('g', 2)], 'a:placed b:placed', ['b'])
  assert.deepEqual([permission, left, verdicts], [undefined, 0, [undefined]])
})

test('Permit: pods of other groups keep waiting', async () => {
  assert.equal((await permit([group('g', 1)], 'a:placed', ['other'])).left, 1)
})

test('Permit: a group that was deleted meanwhile refuses the pod', async () => {
  const { permission } = await permit([], 'a:placed')
  assert.ok(permission !== undefined && 'refuse' in permission)
  assert.deepEqual(permission.refuse.reasons, ['failed to get podGroup default/g: not found'])
})

for (const [rule, key, event, wakes] of [
  ['another pod of its group', 'pod-added', { kind: 'pod-added', pod: member('b', 'g') }, true],
  ['a pod of another group', 'pod-added', { kind: 'pod-added', pod: member('b', 'h') }, false],
  ['its group', 'changed/podgroups', { kind: 'object-changed', object: group('g', 2) }, true],
  ['another group', 'changed/podgroups', { kind: 'object-changed', object: group('h', 2) }, false],
] as const)
  test(`a pod that waits is ${wakes ? '' : 'not '}woken by ${rule}`, () => {
    assert.equal(plugin.hints?.[key]?.(podInfo(member('a', 'g')), event, contextOf([], '')), wakes)
  })
