import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { upstream } from '../../test/upstream.ts'
import { VirtualClock } from '../base/clock.ts'
import { exposition } from '../base/exposition.ts'
import { seededRandom } from '../base/random.ts'
import type { JsonObject, KubeObject } from '../machinery/object.ts'
import { StatusError } from '../machinery/status-error.ts'
import { NODES, PODS } from '../resources/refs.ts'
import type { Node, Pod } from '../resources/types/core.ts'
import type { Event } from '../resources/types/events.ts'
import type { PriorityClass } from '../resources/types/scheduling.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { memoryTransport } from '../sdk/client/memory/memory-transport.ts'
import type { SchedulerConfiguration } from './config/configuration.ts'
import { NOTHING_SEEN, verdictsByNode } from './framework/explanation.ts'
import { createScheduler } from './scheduler.ts'

const node = (name: string, allocatable: Record<string, string> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...allocatable } },
})

const pod = (name: string, requests: Record<string, string> = {}, spec: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'app', resources: { requests } }], ...spec },
})

const inDefault = { ...PODS, namespace: 'default' }

async function start(config: SchedulerConfiguration = {}) {
  const clock = new VirtualClock()
  const random = seededRandom(1)
  const transport = memoryTransport({ clock, random })
  const client = createClient(transport)
  const scheduler = createScheduler({ client, clock, random, config })
  const stop = new AbortController()
  const running = scheduler.run(stop.signal)
  await scheduler.synced
  const untilIdle = async () => {
    for (let i = 0; i < 12; i++) await clock.advance(0)
  }
  const end = async () => {
    stop.abort()
    await running
  }
  const get = (name: string): Promise<Readonly<Pod>> => client.get<Pod>({ ...inDefault, name })
  const events = (reason: string) => transport.objects<Event>('events').filter((e) => e.reason === reason)
  return { clock, transport, client, scheduler, untilIdle, end, get, events }
}

test('a pod that does not fit gets its condition, and is placed as soon as another one is deleted', async () => {
  const { client, untilIdle, end, get, events, scheduler } = await start()
  await client.create(NODES, node('n1', { 'example.com/dongle': '4' }))
  await client.create(inDefault, pod('a', { 'example.com/dongle': '3' }))
  await untilIdle()
  await client.create(inDefault, pod('b', { 'example.com/dongle': '2' }))
  await untilIdle()
  const text =
    '0/1 nodes are available: 1 Insufficient example.com/dongle. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.'
  assert.equal((await get('a')).spec.nodeName, 'n1')
  assert.equal(events('Scheduled')[0]?.note, 'Successfully assigned default/a to n1')
  const condition = (await get('b')).status?.conditions?.find((c) => c.type === 'PodScheduled')
  assert.deepEqual([condition?.status, condition?.reason, condition?.message], ['False', 'Unschedulable', text])
  assert.equal(events('FailedScheduling')[0]?.note, text)
  const seen = verdictsByNode(scheduler.explain('default/b')?.decision.explain ?? NOTHING_SEEN)
  assert.deepEqual(seen.get('n1')?.reasons, ['Insufficient example.com/dongle'])
  await client.delete({ ...inDefault, name: 'a' })
  await untilIdle()
  assert.equal((await get('b')).spec.nodeName, 'n1')
  await end()
})

test('what becomes of pods is counted under the names of kube-scheduler', async () => {
  const { client, untilIdle, end, scheduler } = await start()
  await client.create(NODES, node('n1', { 'example.com/dongle': '4' }))
  await client.create(inDefault, pod('a', { 'example.com/dongle': '3' }))
  await client.create(inDefault, pod('b', { 'example.com/dongle': '2' }))
  await client.create(inDefault, pod('gated', {}, { schedulingGates: [{ name: 'example.com/later' }] }))
  await untilIdle()
  const lines = () => exposition(scheduler.metrics()).split('\n')
  const has = (...wanted: readonly string[]) => {
    const shown = lines()
    for (const line of wanted) assert.ok(shown.includes(line), line)
  }
  has(
    'scheduler_queue_incoming_pods_total{event="UnschedulablePodAdd",queue="active"} 2',
    'scheduler_queue_incoming_pods_total{event="UnschedulablePodAdd",queue="unschedulable"} 1',
    'scheduler_queue_incoming_pods_total{event="ScheduleAttemptFailure",queue="unschedulable"} 1',
    'scheduler_pending_pods{queue="gated"} 1',
    'scheduler_pending_pods{queue="unschedulable"} 1',
    'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"} 1',
    'scheduler_preemption_attempts_total 1',
    'scheduler_cache_size{type="nodes"} 1',
    'scheduler_cache_size{type="pods"} 1',
    'scheduler_scheduling_algorithm_duration_seconds_count 2',
    'scheduler_pod_scheduling_sli_duration_seconds_count{attempts="1"} 1',
    'scheduler_framework_extension_point_duration_seconds_count{extension_point="Filter",profile="default-scheduler",status="Success"} 2',
    'scheduler_framework_extension_point_duration_seconds_count{extension_point="PostFilter",profile="default-scheduler",status="Unschedulable"} 1',
    'scheduler_framework_extension_point_duration_seconds_count{extension_point="Bind",profile="default-scheduler",status="Success"} 1',
  )
  await client.patch({ ...inDefault, name: 'gated' }, 'merge', { spec: { schedulingGates: null } })
  await client.delete({ ...inDefault, name: 'a' })
  await untilIdle()
  has(
    'scheduler_queue_incoming_pods_total{event="UnschedulablePodUpdatePodSchedulingGatesEliminated",queue="active"} 1',
    'scheduler_queue_incoming_pods_total{event="PopFromBackoffQ",queue="active"} 1',
  )
  has('scheduler_queue_incoming_pods_total{event="AssignedPodDelete",queue="backoff"} 1', 'scheduler_pod_scheduling_attempts_count 3')
  await end()
})

test('a pod whose own status changes is not tried again for that', async () => {
  const { client, untilIdle, end, scheduler } = await start()
  await client.create(inDefault, pod('a'))
  await untilIdle()
  assert.equal(scheduler.explain('default/a')?.number, 1)
  await client.create(NODES, node('n1'))
  await untilIdle()
  assert.equal(scheduler.explain('default/a')?.decision.kind, 'placed')
  await end()
})

test('the more important pod goes first', async () => {
  const { client, untilIdle, end, get } = await start()
  for (const [name, priority] of [
    ['low', 1],
    ['high', 9],
  ] as const)
    await client.create(inDefault, pod(name, { cpu: '3' }, { priority }))
  await client.create(NODES, node('n1'))
  await untilIdle()
  assert.equal((await get('high')).spec.nodeName, 'n1')
  assert.equal((await get('low')).spec.nodeName, undefined)
  await end()
})

test('a binding that fails gives the node back, is reported, and is tried again later', async () => {
  const { clock, transport, client, untilIdle, end, get, events } = await start()
  let fail = true
  transport.intercept = (call) => {
    if (fail && call.target.subresource === 'binding') throw new StatusError({ code: 500, reason: 'InternalError', message: 'no' })
  }
  await client.create(NODES, node('n1'))
  await client.create(inDefault, pod('a', { cpu: '4' }))
  await untilIdle()
  assert.equal((await get('a')).status?.conditions?.[0]?.reason, 'SchedulerError')
  assert.match(events('FailedScheduling')[0]?.note ?? '', /^binding rejected: .*no$/)
  fail = false
  await clock.advance(1000)
  await untilIdle()
  assert.equal((await get('a')).spec.nodeName, 'n1')
  await end()
})

test('victims give way; the pod keeps its promise against lesser ones', async () => {
  const { transport, client, untilIdle, end, get, events } = await start()
  await client.create(NODES, node('n1'))
  await client.create(inDefault, pod('victim', { cpu: '4' }, { priority: 1 }))
  await untilIdle()
  // The victim takes its time: its deletion is only begun.
  let held = 0
  const original = transport.call.bind(transport)
  transport.call = async (call) => {
    if (call.verb !== 'delete') return original(call)
    held++
    return get('victim')
  }
  await client.create(inDefault, pod('high', { cpu: '3' }, { priority: 100 }))
  await untilIdle()
  assert.equal(held, 1)
  const condition = (await get('victim')).status?.conditions?.find((c) => c.type === 'DisruptionTarget')
  assert.equal(condition?.message, 'default-scheduler: preempting to accommodate a higher priority pod')
  assert.match(events('Preempted')[0]?.note ?? '', /^Preempted by pod \S+ on node n1$/)
  assert.equal((await get('high')).status?.nominatedNodeName, 'n1')
  transport.call = original
  await client.create(inDefault, pod('late', { cpu: '2' }, { priority: 50 }))
  await untilIdle()
  await client.delete({ ...inDefault, name: 'victim' })
  await untilIdle()
  assert.equal((await get('high')).spec.nodeName, 'n1')
  assert.equal((await get('late')).spec.nodeName, undefined)
  await end()
})

test('pods of other schedulers are left alone but count', async () => {
  const { client, untilIdle, end, get } = await start()
  await client.create(NODES, node('n1'))
  await client.create(inDefault, pod('other', {}, { schedulerName: 'mine' }))
  await client.create(inDefault, pod('placed', { cpu: '3' }, { schedulerName: 'mine', nodeName: 'n1' }))
  await client.create(inDefault, pod('a', { cpu: '2' }))
  await untilIdle()
  assert.equal((await get('other')).spec.nodeName, undefined)
  assert.equal((await get('a')).spec.nodeName, undefined)
  await end()
})

test('a gated pod waits until its last gate is removed', async () => {
  const { client, untilIdle, end, get } = await start()
  await client.create(NODES, node('n1'))
  const made = await client.create(inDefault, pod('a', {}, { schedulingGates: [{ name: 'x' }] }))
  await untilIdle()
  assert.equal((await get('a')).spec.nodeName, undefined)
  await client.update({ ...inDefault, name: 'a' }, { ...made, spec: { ...made.spec, schedulingGates: [] } })
  await untilIdle()
  assert.equal((await get('a')).spec.nodeName, 'n1')
  await end()
})

const FILE = path.join(upstream, 'scheduler', 'scenarios.json')

interface Scenario {
  id: string
  nodes: Node[]
  pods: Pod[]
  existing?: Pod[]
  extra?: { path: string; body: KubeObject }[]
  config?: SchedulerConfiguration
  then?: { method: string; path: string; body?: JsonObject }[]
  watchPod?: string
  expect: { pod: string; node: string | null; message?: string; event?: string; victims?: string[]; preempted?: string; after?: string[] }[]
}

/** The scenarios in which something happens after the decision, on the whole scheduler over a client. */
const scenarios: Scenario[] = JSON.parse(readFileSync(FILE, 'utf8'))
for (const scenario of scenarios.filter((s) => s.then !== undefined || s.id.includes('preempt') || s.id.includes('victim'))) {
  test(`as recorded, with what follows: ${scenario.id}`, async () => {
    const { client, untilIdle, end, get, events } = await start(scenario.config)
    const classes = new Map((scenario.extra ?? []).map(({ body }) => [body.metadata.name, body]))
    const admit = (p: Pod): Pod => {
      const { value: priority = 0, preemptionPolicy } = (classes.get(p.spec.priorityClassName ?? '') ?? {}) as Partial<PriorityClass>
      return { ...p, spec: { ...p.spec, priority, ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }) } }
    }
    for (const n of scenario.nodes) await client.create(NODES, n)
    for (const p of scenario.existing ?? []) await client.create(inDefault, admit(p))
    await untilIdle()
    for (const p of scenario.pods) {
      await client.create(inDefault, admit(p))
      await untilIdle()
    }
    for (const expected of scenario.expect) {
      if (expected.after !== undefined) {
        for (const { method, path, body } of scenario.then ?? []) {
          const name = /[^/]+$/.exec(path.split('?')[0] ?? '')?.[0] ?? ''
          const pods = path.includes('/pods')
          const target = pods ? { ...inDefault, name } : { ...NODES, name }
          if (method === 'DELETE') await client.delete(target)
          else if (method === 'POST') await client.create(pods ? inDefault : NODES, body as unknown as KubeObject)
          else await client.patch(target, 'merge', body ?? {})
        }
        await untilIdle()
      }
      const found = await get(expected.pod)
      if (expected.after === undefined && scenario.watchPod === expected.pod) continue
      assert.equal(found.spec.nodeName ?? null, expected.node)
      if (expected.event) assert.equal(events('FailedScheduling').find((e) => e.regarding?.name === expected.pod)?.note, expected.event)
      if (expected.preempted) assert.equal(String(events('Preempted')[0]?.note).replace(/pod \S+/, 'pod <uid>'), expected.preempted)
    }
    await end()
  })
}
