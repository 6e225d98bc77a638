import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { Heap } from '../../base/collections/heap.ts'
import { seededRandom } from '../../base/random.ts'
import { podInfo } from '../cache/pod-info.ts'
import { prioritySort } from '../plugins/priority-sort.ts'
import { SchedulingQueue } from './scheduling-queue.ts'

const info = (name: string, priority = 0) =>
  podInfo({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'd', uid: name }, spec: { priority, containers: [] } })

function setUp() {
  const clock = new VirtualClock()
  const gates = new Set<string>()
  const queue = new SchedulingQueue({
    clock,
    initialBackoffMs: 1000,
    maxBackoffMs: 10_000,
    before: prioritySort({}, { random: { int: () => 0, uuid: () => '' } }).queueSort ?? (() => false),
    gate: (pod) => (gates.has(pod.key) ? { plugin: 'gate', message: 'closed' } : undefined),
    wokenBy: (pod) => [...pod.plugins].map((resource) => `changed/${resource}` as const),
    worthTrying: (pod, event) => pod.plugins.has(event.resource ?? ''),
  })
  const stop = queue.start()
  const take = () => {
    const next = queue.pop()
    assert.ok(next)
    return next
  }
  return { clock, queue, take, stop, gates }
}

test('the more important pod comes first, then the older one', () => {
  const { queue, take, stop } = setUp()
  queue.add(info('a'))
  queue.add(info('b'))
  queue.add(info('c', 5))
  assert.deepEqual(
    [take(), take(), take()].map((p) => p.info.key),
    ['d/c', 'd/a', 'd/b'],
  )
  stop()
})

test('a pod that does not fit sleeps until an event that one of its plugins cares for', () => {
  const { queue, take, stop } = setUp()
  queue.add(info('a'))
  queue.failed(take(), { plugins: new Set(['x']), error: false })
  queue.event({ kind: 'object-changed', resource: 'y' })
  assert.equal(queue.pop(), undefined)
  queue.event({ kind: 'object-changed', resource: 'x' })
  assert.equal(take().info.key, 'd/a')
  stop()
})

test('back-off only makes a pod wait while others want their turn', () => {
  const { queue, take, stop } = setUp()
  queue.add(info('a'))
  queue.failed(take(), { plugins: new Set(['x']), error: false })
  queue.event({ kind: 'object-changed', resource: 'x' })
  queue.add(info('b'))
  assert.deepEqual(
    [take(), take()].map((p) => p.info.key),
    ['d/b', 'd/a'],
  )
  stop()
})

test('a pod that met an error waits its time, longer each time', async () => {
  const { clock, queue, take, stop } = setUp()
  queue.add(info('a'))
  for (const wait of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
    queue.failed(take(), { plugins: new Set(), error: true })
    await clock.advance(wait - 1)
    assert.equal(queue.pop(), undefined)
    await clock.advance(1)
  }
  stop()
})

test('a pod for which nothing has happened sleeps on; one that its hints may have passed over is tried again after five minutes', async () => {
  const { clock, queue, take, stop } = setUp()
  queue.add(info('a'))
  queue.failed(take(), { plugins: new Set(['x']), error: false })
  await clock.advance(60 * 60_000)
  assert.equal(queue.pop(), undefined)
  queue.event({ kind: 'node-added' })
  await clock.advance(30_000)
  queue.failed(take(), { plugins: new Set(['x']), error: false })
  queue.event({ kind: 'node-added' })
  await clock.advance(5 * 60_000)
  assert.equal(queue.pop(), undefined)
  await clock.advance(30_000)
  assert.equal(take().info.key, 'd/a')
  stop()
})

test('a pod removed while it is tried does not come back', () => {
  const { queue, take, stop } = setUp()
  queue.add(info('a'))
  const taken = take()
  queue.remove('d/a')
  queue.failed(taken, { plugins: new Set(), error: true })
  assert.deepEqual(queue.sizes, { active: 0, backoff: 0, unschedulable: 0 })
  stop()
})

test('an event costs the pods that it may wake, not the pods that wait', () => {
  let requested = 0
  const queue = new SchedulingQueue({
    clock: new VirtualClock(),
    initialBackoffMs: 1000,
    maxBackoffMs: 10_000,
    before: (a, b) => a.serial < b.serial,
    gate: () => undefined,
    wokenBy: (pod) => [...pod.plugins].map((resource) => `changed/${resource}` as const),
    worthTrying: () => {
      requested++
      return false
    },
  })
  for (let i = 0; i < 5000; i++) {
    queue.add(info(`p${i}`))
    const next = queue.pop()
    assert.ok(next)
    queue.failed(next, { plugins: new Set([i % 1000 === 0 ? 'x' : 'y']), error: false })
  }
  queue.event({ kind: 'object-changed', resource: 'x' })
  assert.equal(requested, 5)
  queue.event({ kind: 'node-added' })
  assert.equal(requested, 5)
})

test('50,000 waiting pods cost nothing while nothing changes: no calls, no comparisons', async () => {
  const clock = new VirtualClock()
  let work = 0
  const counted = <T>(value: T): T => {
    work++
    return value
  }
  const queue = new SchedulingQueue({
    clock,
    initialBackoffMs: 1000,
    maxBackoffMs: 10_000,
    before: (a, b) => counted(a.serial < b.serial),
    gate: () => counted(undefined),
    wokenBy: (pod) => counted([...pod.plugins].map((resource) => `changed/${resource}` as const)),
    worthTrying: () => counted(false),
  })
  const stop = queue.start()
  // What the slow clock looks at is a time of day of the pods that it visits.
  let looked = 0
  for (let i = 0; i < 50_000; i++) {
    queue.add(info(`p${i}`))
    const next = queue.pop()
    assert.ok(next)
    queue.failed(next, { plugins: new Set([`x${i % 100}`]), error: false })
    let { since } = next
    Object.defineProperty(next, 'since', {
      get() {
        looked++
        return since
      },
      set(value: number) {
        since = value
      },
    })
  }
  work = 0
  await clock.advance(4 * 60 * 60_000)
  assert.equal(work, 0)
  // One look at the first sleeper every half minute.
  assert.ok(looked <= 4 * 60 * 2, String(looked))
  // An event that may wake one in a hundred costs these.
  queue.event({ kind: 'object-changed', resource: 'x7' })
  assert.equal(work, 500)
  stop()
})

test('what happened while a pod was looked at wakes it when it turns out not to fit', () => {
  const { queue, take, stop } = setUp()
  queue.add(info('a'))
  const taken = take()
  queue.event({ kind: 'object-changed', resource: 'x' })
  queue.failed(taken, { plugins: new Set(['x']), error: false })
  assert.equal(take().info.key, 'd/a')
  stop()
})

test("a gated pod waits for its gate, and is checked again at an event that the gate's plugin registered", () => {
  const { queue, take, stop, gates } = setUp()
  gates.add('d/a')
  queue.add(info('a'))
  assert.equal(queue.pop(), undefined)
  queue.event({ kind: 'object-changed', resource: 'gate' })
  assert.equal(queue.pop(), undefined)
  gates.delete('d/a')
  queue.event({ kind: 'object-changed', resource: 'other' })
  assert.equal(queue.pop(), undefined)
  queue.event({ kind: 'object-changed', resource: 'gate' })
  assert.equal(take().info.key, 'd/a')
  stop()
})

test('a heap gives its entries in order, whatever was pushed and removed', () => {
  const random = seededRandom(5)
  for (let round = 0; round < 200; round++) {
    const heap = new Heap<{ n: number }>((a, b) => a.n < b.n)
    const items = Array.from({ length: random.int(40) }, () => ({ n: random.int(20) }))
    for (const item of items) heap.push(item)
    const left = items.filter((item) => random.int(3) > 0 || !heap.delete(item))
    const seen: number[] = []
    for (let next = heap.pop(); next !== undefined; next = heap.pop()) seen.push(next.n)
    assert.deepEqual(
      seen,
      left.map((i) => i.n).sort((a, b) => a - b),
    )
  }
})
