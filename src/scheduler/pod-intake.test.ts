import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { podInfo } from './cache/pod-info.ts'
import { WaitingPods } from './framework/waiting-pods.ts'
import { Nominations } from './nominations.ts'
import { type PodParts, pod } from './plugins/plugin-table.double.ts'
import { PodIntake } from './pod-intake.ts'
import { SchedulingQueue } from './queue/scheduling-queue.ts'

function open() {
  const clock = new VirtualClock()
  const queue = new SchedulingQueue({
    clock,
    initialBackoffMs: 1000,
    maxBackoffMs: 10_000,
    before: (a, b) => a.serial < b.serial,
    gate: () => undefined,
    wokenBy: () => ['pod-updated'],
    worthTrying: (_, event) => event.kind === 'pod-updated',
  })
  const [nominations, waitingPods] = [new Nominations(), new WaitingPods(clock)]
  const intake = new PodIntake({ queue, nominations, waitingPods, serves: ({ pod: p }) => p.spec.schedulerName !== 'other' })
  return { queue, nominations, waitingPods, intake }
}
const info = (parts: PodParts = {}) => podInfo(pod('p', parts))
const KEY = 'default/p'

test('a new pod enters the queue, one of another scheduler does not', () => {
  const { queue, intake } = open()
  intake.waiting(info({ spec: { schedulerName: 'other' } }), undefined)
  assert.equal(queue.get(KEY), undefined)
  intake.waiting(info(), undefined)
  assert.equal(queue.get(KEY)?.place, 'active')
})

test('a pod that is being deleted leaves the queue', () => {
  const { queue, intake } = open()
  intake.waiting(info(), undefined)
  intake.waiting(info({ metadata: { deletionTimestamp: 'now' } }), info())
  assert.equal(queue.get(KEY), undefined)
})

for (const [change, next, place] of [
  ['status', { status: { phase: 'Pending' } }, 'unschedulable'],
  ['labels', { labels: 'app=web' }, 'active'],
  ['spec', { spec: { priority: 5 } }, 'active'],
] as readonly (readonly [string, PodParts, string])[])
  test(`a rejected pod whose ${change} changes is ${place}`, () => {
    const { queue, intake } = open()
    intake.waiting(info(), undefined)
    const queued = queue.pop()
    assert.ok(queued)
    queue.failed(queued, { plugins: new Set(['A']), error: false })
    intake.waiting(info(next), info())
    assert.equal(queue.get(KEY)?.place === 'back-off' ? 'active' : queue.get(KEY)?.place, place)
  })

test('another pod of the same name takes the place of the first', () => {
  const { queue, nominations, intake } = open()
  const first = info()
  intake.waiting(first, undefined)
  nominations.set(first, 'n')
  intake.waiting(info({ metadata: { uid: 'another' } }), first)
  assert.equal(queue.get(KEY)?.info.uid, 'another')
  assert.equal(nominations.nodeOf(KEY), undefined)
})

test('a nomination in the status counts, and ends when it leaves the status', () => {
  const { nominations, intake } = open()
  const nominated = info({ status: { nominatedNodeName: 'n' } })
  intake.waiting(nominated, undefined)
  assert.equal(nominations.nodeOf(KEY), 'n')
  intake.waiting(info(), nominated)
  assert.equal(nominations.nodeOf(KEY), undefined)
})

test('a pod that goes while it waits for permission is rejected', async () => {
  const { waitingPods, intake } = open()
  const one = info()
  const verdict = waitingPods.wait(one, 'n', new Map([['Gang', 60_000]]))
  intake.gone(one)
  assert.deepEqual((await verdict)?.reasons, ['the pod was deleted'])
  assert.equal(waitingPods.size, 0)
})
