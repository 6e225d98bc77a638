import assert from 'node:assert/strict'
import { test } from 'node:test'
import { containerOf, sandboxOf } from './simulated.double.ts'
import { SimulatedPods } from './simulated-pods.ts'

const add = (pods: SimulatedPods, id: string, uid: string, more = {}) =>
  pods.addContainer({ id, sandboxId: `s-${uid}`, spec: containerOf(uid, more), imageUser: 7, createdAtMs: 0 })

test('containers and sandboxes are listed newest first, of one pod or of all', () => {
  const pods = new SimulatedPods()
  pods.addSandbox('s-a', sandboxOf('a'), [], 0)
  pods.addSandbox('s-b', sandboxOf('b'), [], 0)
  pods.addSandbox('s-a2', sandboxOf('a'), [], 1)
  for (const id of ['1', '2']) add(pods, id, 'a')
  add(pods, '3', 'b')
  assert.deepEqual(
    [pods.sandboxes('a'), pods.sandboxes()].map((list) => list.map((s) => s.status.id)),
    [
      ['s-a2', 's-a'],
      ['s-a2', 's-a', 's-b'],
    ],
  )
  assert.deepEqual(
    [pods.containers('a'), pods.containers(), pods.containers('none')].map((list) => list.map((c) => c.status.id)),
    [['2', '1'], ['2', '1', '3'], []],
  )
})

test('a pod is forgotten with the last thing of it, and that is reported once', () => {
  const pods = new SimulatedPods()
  pods.addSandbox('s-a', sandboxOf('a'), ['10.0.0.2'], 0)
  const container = add(pods, '1', 'a')
  assert.deepEqual([pods.removeContainer(container), pods.has('a')], [false, true])
  assert.deepEqual([pods.removeSandbox('s-a'), pods.has('a'), pods.removeSandbox('s-a')], [true, false, false])
})

test('an address is found until its sandbox is disconnected', () => {
  const pods = new SimulatedPods()
  pods.addSandbox('s-a', sandboxOf('a'), ['10.0.0.2'], 0)
  const sandbox = pods.sandboxAt('10.0.0.2')
  assert.equal(sandbox?.status.id, 's-a')
  if (sandbox !== undefined) pods.disconnect(sandbox)
  assert.equal(pods.sandboxAt('10.0.0.2'), undefined)
  assert.throws(() => pods.readySandbox('s-a'), { code: 'not-found' })
})

for (const [text, user, wanted] of [
  ["the image's user, where the pod names none", { supplementalGroups: [] }, { uid: 7, gid: 0, supplementalGroups: [0] }],
  ["the pod's user", { uid: 5, gid: 6, supplementalGroups: [6, 8] }, { uid: 5, gid: 6, supplementalGroups: [6, 8] }],
] as const)
  test(`a container runs as ${text}`, () => {
    const pods = new SimulatedPods()
    pods.addSandbox('s-a', sandboxOf('a'), [], 0)
    assert.deepEqual(add(pods, '1', 'a', { user }).status.user, wanted)
  })
