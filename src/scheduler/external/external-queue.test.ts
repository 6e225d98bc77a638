import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { NodeTable } from '../cache/node-table.ts'
import { podInfo } from '../cache/pod-info.ts'
import type { EventKey } from '../framework/cluster-event.ts'
import { NO_OBJECTS } from '../framework/listers.double.ts'
import type { Plugin } from '../framework/plugin.ts'
import { runPreEnqueue } from '../framework/pre-enqueue.ts'
import type { PluginContext } from '../framework/prepared.ts'
import { type QueuedPod, SchedulingQueue } from '../queue/scheduling-queue.ts'
import { externalQueue, type QueueThread } from './external-queue.ts'

const info = (name: string, labels: Record<string, string> = {}) =>
  podInfo({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'd', uid: name, labels }, spec: { containers: [] } })

/** A queue whose one plugin lives elsewhere; what it is asked is counted, and answered when the test says so. */
function setUp() {
  const requested: string[] = []
  const closed = new Set<string>()
  let fails = false
  const parts = new Set(['preEnqueue', 'sortKey'])
  const thread: QueueThread = {
    known: parts,
    hints: { 'node-added': true, 'assigned-pod-deleted': 'ask' },
    parts: () => Promise.resolve(parts),
    async ask(pod, call) {
      requested.push(call.point)
      if (call.point === 'sortKey') return Number(pod.metadata.labels?.order ?? 0)
      if (call.point === 'hints') return call.pods.map((p) => p.metadata.labels?.wakes === 'yes')
      if (fails) throw new Error('plugin "x" failed')
      return closed.has(pod.metadata.name ?? '') ? 'closed' : undefined
    },
  }
  const plugin: Plugin = { name: 'x', scope: 'cluster', ...externalQueue(thread) }
  const context: PluginContext = {
    table: new NodeTable(),
    listers: NO_OBJECTS,
  }
  const clock = new VirtualClock()
  const queue = new SchedulingQueue({
    clock,
    initialBackoffMs: 1000,
    maxBackoffMs: 10_000,
    before: plugin.queueSort ?? (() => false),
    gate: (pod) => (plugin.prepareSort?.(pod) ?? Promise.resolve()).then(() => runPreEnqueue([plugin], pod, context)),
    wokenBy: () => Object.keys(plugin.hints ?? {}) as EventKey[],
    worthTrying: (pod, event) => plugin.hints?.[event.kind as EventKey]?.(pod.info, event, context) ?? false,
  })
  const stop = queue.start()
  const untilIdle = () => clock.advance(0)
  const take = (): QueuedPod => {
    const next = queue.pop()
    assert.ok(next)
    return next
  }
  const failing = (value: boolean) => {
    fails = value
  }
  return { queue, clock, untilIdle, take, requested, closed, failing, stop }
}

test('pods are tried in the order of their keys', async () => {
  const { queue, untilIdle, take, stop } = setUp()
  for (const order of ['3', '10', '1', '2']) queue.add(info(`p${order}`, { order }))
  await untilIdle()
  assert.deepEqual(
    [take(), take(), take(), take()].map((p) => p.info.key),
    ['d/p1', 'd/p2', 'd/p3', 'd/p10'],
  )
  stop()
})

test('a pod whose gate is closed stays out, and is checked again at a relevant event', async () => {
  const { queue, untilIdle, take, closed, stop } = setUp()
  closed.add('a')
  queue.add(info('a'))
  await untilIdle()
  assert.equal(queue.pop(), undefined)
  assert.deepEqual(queue.get('d/a')?.gate, { plugin: 'x', message: 'closed' })
  closed.delete('a')
  queue.event({ kind: 'node-updated' })
  await untilIdle()
  assert.equal(queue.pop(), undefined)
  queue.event({ kind: 'node-added' })
  await untilIdle()
  assert.equal(take().info.key, 'd/a')
  stop()
})

test("events during a gate's check are compared with its result", async () => {
  const { queue, untilIdle, take, closed, stop } = setUp()
  closed.add('a')
  queue.add(info('a'))
  queue.event({ kind: 'node-added' })
  await untilIdle()
  closed.delete('a')
  queue.event({ kind: 'node-added' })
  await untilIdle()
  assert.equal(take().info.key, 'd/a')
  stop()
})

test('a pod that changes or is deleted during a check is checked again in its new state', async () => {
  const { queue, untilIdle, closed, requested, stop } = setUp()
  closed.add('a')
  const old = info('a')
  queue.add(old)
  queue.update(info('a', { new: 'yes' }), old)
  queue.add(info('b'))
  queue.remove('d/b')
  await untilIdle()
  assert.equal(queue.get('d/a')?.info.labels.new, 'yes')
  assert.equal(queue.get('d/b'), undefined)
  assert.equal(requested.filter((point) => point === 'preEnqueue').length, 3)
  stop()
})

test('a gate whose check fails is checked again after half a minute', async () => {
  const { queue, clock, untilIdle, take, failing, stop } = setUp()
  failing(true)
  queue.add(info('a'))
  await untilIdle()
  assert.equal(queue.get('d/a')?.gate?.message, 'plugin "x" failed')
  failing(false)
  await clock.advance(30_000)
  assert.equal(take().info.key, 'd/a')
  stop()
})

test('one hint call serves all pods that an event concerns, and wakes those it selects', async () => {
  const { queue, untilIdle, take, requested, stop } = setUp()
  for (let i = 0; i < 200; i++) queue.add(info(`p${i}`, { wakes: i % 50 === 0 ? 'yes' : 'no' }))
  await untilIdle()
  for (let i = 0; i < 200; i++) queue.failed(take(), { plugins: new Set(['x']), error: false })
  queue.event({ kind: 'assigned-pod-deleted' })
  await untilIdle()
  assert.equal(requested.filter((point) => point === 'hints').length, 1)
  assert.equal(queue.sizes.unschedulable, 196)
  stop()
})
