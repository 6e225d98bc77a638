import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { seededRandom } from '../base/random.ts'
import { NODES, PODS } from '../resources/refs.ts'
import type { Node, Pod } from '../resources/types/core.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { memoryTransport } from '../sdk/client/memory/memory-transport.ts'
import type { Plugin } from './framework/plugin.ts'
import { unschedulable } from './framework/verdict.ts'
import { createScheduler } from './scheduler.ts'

/** The queue is held to 50,000 in `queue/scheduling-queue.test.ts`; here is all that is around it. */
const PODS_WAITING = 2000

/** Turns every pod down until a node has the dongle; counts what it is asked. */
function countingPlugin() {
  const requested = { gates: 0, filters: 0, hints: 0 }
  const verdict = unschedulable('Counting', 'no dongle')
  const plugin: Plugin = {
    name: 'Counting',
    scope: 'cluster',
    preEnqueue() {
      requested.gates++
      return undefined
    },
    filter(_pod, { table }) {
      requested.filters++
      return { check: (row) => (table.labels[row]?.dongle === 'yes' ? undefined : verdict) }
    },
    hints: {
      'node-updated'(_pod, { node }) {
        requested.hints++
        return node?.metadata.labels?.dongle === 'yes'
      },
    },
  }
  return { plugin, requested }
}

test('an unschedulable backlog costs nothing while nothing changes, and irrelevant events next to nothing', async () => {
  const clock = new VirtualClock()
  const random = seededRandom(1)
  const transport = memoryTransport({ clock, random })
  const client = createClient(transport)
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels: {} },
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
  }
  await client.create(NODES, node)
  // Twenty shapes of pods, that ask for more than there is in several ways.
  for (let i = 0; i < PODS_WAITING; i++) {
    await client.create(
      { ...PODS, namespace: 'd' },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `p${i}` },
        spec: { preemptionPolicy: 'Never', containers: [{ name: 'c', image: `i${i % 20}` }] },
      },
    )
  }
  const { plugin, requested } = countingPlugin()
  const config = { profiles: [{ plugins: { multiPoint: { enabled: [{ name: 'Counting' }] } } }] }
  const scheduler = createScheduler({ client, clock, random, config, plugins: { Counting: () => plugin } })
  const stop = new AbortController()
  const running = scheduler.run(stop.signal)
  await scheduler.synced
  while (scheduler.waiting.unschedulable < PODS_WAITING) await clock.advance(10)
  await clock.advance(60_000)
  const work = () => ({ ...requested, calls: transport.calls.length })

  const before = work()
  await clock.advance(60 * 60_000)
  const quiet = work()
  assert.deepEqual(quiet, { ...before, calls: quiet.calls })
  // Watches are asked for anew now and then; nothing is written.
  assert.deepEqual(
    transport.calls.slice(before.calls).filter((call) => !['list', 'watch'].includes(call.verb)),
    [],
  )

  // A heartbeat of the node is no event; a label that no hint waits for asks the hint of each pod and no filter.
  const status = { ...node.status, conditions: [{ type: 'Ready', status: 'True' as const, lastHeartbeatTime: '2026-01-01T00:00:00Z' }] }
  await client.update({ ...NODES, name: 'n' }, { ...(await client.get({ ...NODES, name: 'n' })), status })
  await clock.advance(1000)
  assert.equal(requested.hints, before.hints)
  await client.patch({ ...NODES, name: 'n' }, 'merge', { metadata: { labels: { other: 'yes' } } })
  await clock.advance(1000)
  assert.deepEqual({ ...requested }, { gates: before.gates, filters: before.filters, hints: before.hints + PODS_WAITING })

  await client.patch({ ...NODES, name: 'n' }, 'merge', { metadata: { labels: { dongle: 'yes' } } })
  const placed = () => transport.objects<Pod>('pods').filter((p) => p.spec.nodeName === 'n').length
  for (let i = 0; i < 300 && placed() < 110; i++) await clock.advance(100)
  assert.equal(placed(), 110)
  stop.abort()
  await running
})
