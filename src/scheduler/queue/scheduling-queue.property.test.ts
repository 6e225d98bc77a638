import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../../base/clock.ts'
import { podInfo } from '../cache/pod-info.ts'
import type { ClusterEvent } from '../framework/cluster-event.ts'
import { pod } from '../plugins/plugin-table.double.ts'
import { type QueuedPod, SchedulingQueue } from './scheduling-queue.ts'

const NAMES = ['a', 'b', 'c', 'd']
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constant('remove' as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constant('pop' as const) }),
  fc.record({ kind: fc.constant('fail' as const), error: fc.boolean(), by: fc.constantFrom('things', 'others') }),
  fc.record({ kind: fc.constant('event' as const), resource: fc.constantFrom('things', 'others') }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(100, 5000, 400_000) }),
)

function open() {
  const clock = new VirtualClock()
  const queue = new SchedulingQueue({
    clock,
    initialBackoffMs: 1000,
    maxBackoffMs: 10_000,
    before: (a, b) => a.serial < b.serial,
    gate: () => undefined,
    wokenBy: (queued) => [...queued.plugins].map((resource) => `changed/${resource}` as const),
    worthTrying: (queued, event) => queued.plugins.has(event.resource ?? ''),
  })
  return { clock, queue, stop: queue.start() }
}

test('whatever happens, every pod is in one place, none is lost, and none is popped twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { clock, queue, stop } = open()
      const known = new Set<string>()
      const inFlight: QueuedPod[] = []
      for (const next of steps) {
        if (next.kind === 'add' && !known.has(next.name)) {
          known.add(next.name)
          queue.add(podInfo(pod(next.name)))
        } else if (next.kind === 'remove') {
          known.delete(next.name)
          queue.remove(`default/${next.name}`)
        } else if (next.kind === 'pop') {
          const popped = queue.pop()
          if (popped === undefined) continue
          assert.ok(!inFlight.includes(popped), 'a pod in flight is not popped again')
          inFlight.push(popped)
        } else if (next.kind === 'fail') {
          const failed = inFlight.shift()
          if (failed !== undefined) queue.failed(failed, { plugins: new Set([next.by]), error: next.error })
        } else if (next.kind === 'event') queue.event({ kind: 'object-changed', resource: next.resource })
        else if (next.kind === 'wait') await clock.advance(next.ms)
        const places = NAMES.flatMap((name) => queue.get(`default/${name}`)?.place ?? [])
        assert.equal(places.length, known.size, 'all known pods are there, and no others')
        const { active, backoff, unschedulable } = queue.sizes
        assert.equal(active, places.filter((p) => p === 'active').length)
        assert.equal(backoff, places.filter((p) => p === 'back-off').length)
        assert.equal(unschedulable, places.filter((p) => p === 'unschedulable').length)
      }
      stop()
    }),
  )
})

test('an event that comes while a pod is in flight is never missed', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('things', 'others'), { maxLength: 8 }), fc.constantFrom('things', 'others'), (events, by) => {
      const { queue, stop } = open()
      queue.add(podInfo(pod('a')))
      const popped = queue.pop()
      assert.ok(popped)
      for (const resource of events) queue.event({ kind: 'object-changed', resource } satisfies ClusterEvent)
      queue.failed(popped, { plugins: new Set([by]), error: false })
      assert.equal(popped.place === 'unschedulable', !events.includes(by))
      stop()
    }),
  )
})
