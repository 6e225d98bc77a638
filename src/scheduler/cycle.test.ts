import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../base/clock.ts'
import { seededRandom } from '../base/random.ts'
import type { Steps } from '../base/steps.ts'
import { NODES, PODS } from '../resources/refs.ts'
import type { Node, Pod } from '../resources/types/core.ts'
import type { Client } from '../sdk/client/client.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { memoryTransport } from '../sdk/client/memory/memory-transport.ts'
import { verdictsByNode } from './framework/explanation.ts'
import { ExternalPluginError } from './framework/external-plugin.ts'
import type { Plugin, PluginFactory } from './framework/plugin.ts'
import { READS_ANEW } from './framework/prepared.ts'
import { unschedulable } from './framework/verdict.ts'
import { createScheduler } from './scheduler.ts'

const node = (name: string, cpu = '4'): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { allocatable: { cpu, memory: '8Gi', pods: '110' } },
})

const pod = (name: string, cpu = '1', labels: Record<string, string> = {}, spec: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels },
  spec: { containers: [{ name: 'c', image: 'app', resources: { requests: { cpu } } }], ...spec },
})

const inDefault = { ...PODS, namespace: 'default' }

interface Made {
  readonly clock: VirtualClock
  readonly client: Client
}

/** A scheduler with one more plugin, on a double of the API. */
async function start(plugin: (deps: Made) => Omit<Plugin, 'name' | 'scope'>, seed = 1) {
  const clock = new VirtualClock()
  const random = seededRandom(seed)
  const transport = memoryTransport({ clock, random })
  const client = createClient(transport)
  const factory: PluginFactory = () => ({ name: 'Remote', scope: 'cluster', ...plugin({ clock, client }) })
  const config = { profiles: [{ plugins: { multiPoint: { enabled: [{ name: 'Remote' }] } } }] }
  const scheduler = createScheduler({ client, clock, random, config, plugins: { Remote: factory } })
  const stop = new AbortController()
  const running = scheduler.run(stop.signal)
  await scheduler.synced
  const untilIdle = async (ms = 0) => {
    for (let i = 0; i < 12; i++) await clock.advance(i === 0 ? ms : 0)
  }
  const end = async () => {
    stop.abort()
    await untilIdle(60_000)
    await running
  }
  const nodeOf = async (name: string) => (await client.get<Pod>({ ...inDefault, name })).spec.nodeName
  const condition = async (name: string) => (await client.get<Pod>({ ...inDefault, name })).status?.conditions?.[0]
  return { clock, transport, client, scheduler, untilIdle, end, nodeOf, condition }
}

test('a slow filter sees only the nodes that passed the others, and does not block pods it skips', async () => {
  const requested: string[][] = []
  const { client, untilIdle, end, nodeOf, scheduler } = await start(({ clock }) => ({
    external: {
      name: 'Remote',
      interestedIn: (p) => p.labels.slow === 'yes',
      async filter(_pod, nodes) {
        requested.push(nodes.map((n) => n.name))
        await clock.sleep(1000)
        return { kept: new Set(['n3']), verdicts: new Map([['n2', unschedulable('Remote', 'not to my taste')]]) }
      },
    },
  }))
  await client.create(NODES, node('n1', '500m'))
  for (const name of ['n2', 'n3']) await client.create(NODES, node(name))
  await client.create(inDefault, pod('slow', '1', { slow: 'yes' }))
  await client.create(inDefault, pod('fast'))
  await untilIdle()
  assert.deepEqual(requested, [['n2', 'n3']])
  assert.notEqual(await nodeOf('fast'), undefined)
  assert.equal(await nodeOf('slow'), undefined)
  await untilIdle(1000)
  assert.equal(await nodeOf('slow'), 'n3')
  const decision = scheduler.explain('default/slow')?.decision
  assert.ok(decision)
  assert.deepEqual(
    [...verdictsByNode(decision.explain)].map(([n, v]) => [n, v.reasons]),
    [
      ['n1', ['Insufficient cpu']],
      ['n2', ['not to my taste']],
    ],
  )
  await end()
})

test('a filter that fails on trial ends the preemption, and the condition says why', async () => {
  const { client, untilIdle, end, condition } = await start(() => ({
    filter: () => ({
      ...READS_ANEW,
      check() {
        throw new Error('broken')
      },
    }),
  }))
  await client.create(NODES, node('n1', '1'))
  await client.create(inDefault, pod('low', '1', {}, { nodeName: 'n1' }))
  await untilIdle()
  await client.create(inDefault, pod('high', '1', {}, { priority: 10 }))
  await untilIdle()
  const { reason, message } = (await condition('high')) ?? {}
  assert.deepEqual([reason, message], ['Unschedulable', '0/1 nodes are available: 1 Insufficient cpu. preemption: broken'])
  await end()
})

test('a score that takes time is added to the totals', async () => {
  const { client, untilIdle, end, nodeOf, scheduler } = await start(({ clock }) => ({
    external: {
      name: 'Remote',
      interestedIn: () => true,
      async score(_pod, nodes) {
        await clock.sleep(10)
        return { byNode: new Map(nodes.map((n) => [n.name, n.name === 'n2' ? 1000 : 0])) }
      },
    },
  }))
  for (const name of ['n1', 'n2', 'n3']) await client.create(NODES, node(name))
  await client.create(inDefault, pod('a'))
  await untilIdle(10)
  assert.equal(await nodeOf('a'), 'n2')
  assert.equal(scheduler.explain('default/a')?.decision.explain.scores.get('n2')?.Remote, 1000)
  await end()
})

test('what an external plugin kept and others took meanwhile is not given twice', async () => {
  const { client, untilIdle, end, nodeOf } = await start(({ clock }) => ({
    external: {
      name: 'Remote',
      interestedIn: (p) => p.labels.slow === 'yes',
      async filter(_pod, nodes) {
        await clock.sleep(100)
        return { kept: new Set(nodes.map((n) => n.name)), verdicts: new Map() }
      },
    },
  }))
  await client.create(NODES, node('n1', '4'))
  await client.create(inDefault, pod('slow', '3', { slow: 'yes' }))
  await untilIdle(50)
  await client.create(inDefault, pod('fast', '3'))
  await untilIdle(50)
  await untilIdle(100)
  assert.equal(await nodeOf('fast'), 'n1')
  assert.equal(await nodeOf('slow'), undefined)
  await client.delete({ ...inDefault, name: 'fast' })
  await untilIdle(2000)
  assert.equal(await nodeOf('slow'), 'n1')
  await end()
})

test('an external plugin that fails fails the attempt by its message; the pod is tried again', async () => {
  let calls = 0
  const { client, untilIdle, end, nodeOf, condition } = await start(() => ({
    external: {
      name: 'Remote',
      interestedIn: () => true,
      async filter(_pod, nodes) {
        if (++calls === 1) throw new ExternalPluginError('Remote', 'no time today')
        return { kept: new Set(nodes.map((n) => n.name)), verdicts: new Map() }
      },
    },
  }))
  await client.create(NODES, node('n1'))
  await client.create(inDefault, pod('a'))
  await untilIdle()
  assert.deepEqual([(await condition('a'))?.reason, (await condition('a'))?.message], ['SchedulerError', 'no time today'])
  await untilIdle(1000)
  assert.equal(await nodeOf('a'), 'n1')
  await end()
})

test('Permit makes a pod wait with its node kept for it, until the gang is there', async () => {
  const undone: string[] = []
  const { client, untilIdle, end, nodeOf, scheduler } = await start(() => ({
    reserve: (p) => ({ undo: () => undone.push(p.key) }),
    permit(p, _node, { waitingPods }) {
      if (p.labels.gang === undefined) return undefined
      if (waitingPods.size === 0) return { waitMs: 5000 }
      for (const { info } of waitingPods.list()) waitingPods.allow(info.uid, 'Remote')
      return undefined
    },
  }))
  await client.create(NODES, node('n1', '4'))
  await client.create(inDefault, pod('a', '2', { gang: 'g' }))
  await untilIdle()
  assert.equal(await nodeOf('a'), undefined)
  assert.equal(scheduler.waitingPods.size, 1)
  assert.equal((await client.get<Pod>({ ...inDefault, name: 'a' })).status?.nominatedNodeName, 'n1')
  await client.create(inDefault, pod('b', '2', { gang: 'g' }))
  await untilIdle()
  assert.deepEqual([await nodeOf('a'), await nodeOf('b'), undone.length], ['n1', 'n1', 0])
  await end()
})

test('a pod whose permit times out is unreserved with a message, and its node is free for others', async () => {
  const undone: string[] = []
  const { client, untilIdle, end, nodeOf, condition } = await start(() => ({
    reserve: (p) => ({ undo: () => undone.push(p.key) }),
    permit: (p) => (p.labels.gang === undefined ? undefined : { waitMs: 5000 }),
    // Nothing wakes what it turned down.
    hints: {},
  }))
  await client.create(NODES, node('n1', '4'))
  await client.create(inDefault, pod('a', '4', { gang: 'g' }))
  await untilIdle()
  await client.create(inDefault, pod('b', '4'))
  await untilIdle()
  assert.equal(await nodeOf('b'), undefined)
  await untilIdle(5000)
  assert.equal((await condition('a'))?.message, '0/1 nodes are available: 1 rejected due to timeout after waiting 5s at plugin Remote.')
  assert.deepEqual(undone, ['default/a'])
  assert.equal(await nodeOf('b'), 'n1')
  await end()
})

test('reserve, permit, pre-bind, bind and post-bind are met in this order; a failure gives back what was reserved, the last first', async () => {
  const met: string[] = []
  let fail = true
  const { client, untilIdle, end, nodeOf, condition } = await start(() => ({
    reserve() {
      met.push('reserve')
      return { undo: () => met.push('undo') }
    },
    permit() {
      met.push('permit')
      return undefined
    },
    async preBind() {
      met.push('preBind')
      if (fail) throw new Error('not yet')
    },
    bind() {
      met.push('bind')
      return undefined
    },
    postBind: () => met.push('postBind'),
  }))
  await client.create(NODES, node('n1'))
  await client.create(inDefault, pod('a'))
  await untilIdle()
  assert.deepEqual(met, ['reserve', 'permit', 'preBind', 'undo'])
  assert.equal((await condition('a'))?.message, 'running PreBind plugin "Remote": not yet')
  fail = false
  met.length = 0
  await untilIdle(1000)
  assert.equal(await nodeOf('a'), 'n1')
  // The default binder comes first in the order of the profile, so that this one is not asked.
  assert.deepEqual(met, ['reserve', 'permit', 'preBind', 'postBind'])
  await end()
})

test('a pod recreated under its name in a gap of the watch is placed, and its forerunner holds nothing', async () => {
  const { transport, client, untilIdle, end, nodeOf } = await start(() => ({}))
  await client.create(NODES, node('n1', '4'))
  await client.create(inDefault, pod('a', '3'))
  await untilIdle()
  assert.equal(await nodeOf('a'), 'n1')
  // The deletion is in no event: the list after the gap has another pod of that name.
  transport.breakWatches()
  await client.delete({ ...inDefault, name: 'a' })
  await client.create(inDefault, pod('a', '3'))
  transport.compact()
  await untilIdle(60_000)
  assert.equal(await nodeOf('a'), 'n1')
  await end()
})

test('never over-committed, whatever the interleaving of decisions, external plugins, failed bindings and departures', async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('pod' as const),
      cpu: fc.integer({ min: 1, max: 3 }),
      slow: fc.boolean(),
      priority: fc.integer({ min: 0, max: 2 }),
    }),
    fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ kind: fc.constant('fail' as const), next: fc.boolean() }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 1000 }), async (steps, seed) => {
      const random = seededRandom(seed)
      const { transport, client, untilIdle, end } = await start(
        ({ clock }) => ({
          external: {
            name: 'Remote',
            interestedIn: (p) => p.labels.slow === 'yes',
            async filter(_pod, nodes) {
              await clock.sleep(1 + random.int(30))
              return { kept: new Set(nodes.map((n) => n.name)), verdicts: new Map() }
            },
            async score(_pod, nodes) {
              await clock.sleep(1 + random.int(10))
              return { byNode: new Map(nodes.map((n) => [n.name, random.int(200)])) }
            },
          },
          permit: () => (random.int(3) === 0 ? { waitMs: 5 } : undefined),
        }),
        seed,
      )
      let fails = false
      transport.intercept = (call) => {
        if (fails && call.target.subresource === 'binding') throw new Error('no binding now')
      }
      for (const name of ['n1', 'n2']) await client.create(NODES, node(name, '4'))
      let made = 0
      const check = () => {
        const used = new Map<string, number>()
        for (const object of transport.objects('pods')) {
          const { spec } = object as Pod
          if (spec.nodeName) used.set(spec.nodeName, (used.get(spec.nodeName) ?? 0) + Number(spec.containers[0]?.resources?.requests?.cpu))
        }
        for (const [name, cpu] of used) assert.ok(cpu <= 4, `${name} holds ${cpu} cpus`)
      }
      for (const one of steps) {
        if (one.kind === 'pod') {
          const labels: Record<string, string> = one.slow ? { slow: 'yes' } : {}
          await client.create(inDefault, pod(`p${made++}`, String(one.cpu), labels, { priority: one.priority }))
        } else if (one.kind === 'delete') {
          const pods = transport.objects('pods')
          const gone = pods[one.which % Math.max(1, pods.length)]
          if (gone !== undefined) await client.delete({ ...inDefault, name: gone.metadata.name ?? '' }).catch(() => {})
        } else if (one.kind === 'fail') fails = one.next
        else await untilIdle(one.ms)
        check()
      }
      await untilIdle(100)
      check()
      await end()
    }),
    { numRuns: 60 },
  )
})

function* waitFor(promise: Promise<void>): Steps<void> {
  yield promise
}

test('a slow PreFilter blocks no other pod, and its pod is decided when it is done', async () => {
  const ready = Promise.withResolvers<void>()
  const { client, untilIdle, end, nodeOf } = await start(() => ({
    prepare: (p) => (p.labels.slow === 'yes' ? waitFor(ready.promise) : undefined),
    filter: () => ({}),
  }))
  await client.create(NODES, node('n1'))
  await client.create(inDefault, pod('slow', '1', { slow: 'yes' }))
  await client.create(inDefault, pod('fast'))
  await untilIdle()
  assert.equal(await nodeOf('fast'), 'n1')
  assert.equal(await nodeOf('slow'), undefined)
  ready.resolve()
  await untilIdle()
  assert.equal(await nodeOf('slow'), 'n1')
  await end()
})

test('pods prepare one after the other, each when the one before has its node', async () => {
  const reported: string[] = []
  const { client, untilIdle, end } = await start(() => ({
    *prepare(p) {
      reported.push(`${p.pod.metadata.name} begins`)
      yield
      reported.push(`${p.pod.metadata.name} is ready`)
    },
    filter: () => ({}),
    reserve(p) {
      reported.push(`${p.pod.metadata.name} is placed`)
      return undefined
    },
  }))
  await client.create(NODES, node('n1'))
  for (const name of ['a', 'b']) await client.create(inDefault, pod(name))
  await untilIdle()
  assert.deepEqual(reported, ['a begins', 'a is ready', 'a is placed', 'b begins', 'b is ready', 'b is placed'])
  await end()
})

test('a preparation is shown the nodes that the pod may fit on at that moment; one that fails fails the attempt', async () => {
  const seen: string[][] = []
  const { client, untilIdle, end, condition } = await start(({ client: api }) => ({
    *prepare(_pod, { table }, rows) {
      for (const name of ['n3', 'n4']) {
        seen.push([...rows()].map((row) => table.names[row] ?? ''))
        api.create(NODES, node(name)).catch(() => {})
        yield
      }
      throw new Error('no luck')
    },
    filter: () => ({}),
  }))
  await client.create(NODES, node('n1', '500m'))
  await client.create(NODES, node('n2'))
  await client.create(inDefault, pod('a'))
  await untilIdle()
  assert.deepEqual(seen.slice(0, 2), [['n2'], ['n2', 'n3']])
  assert.equal((await condition('a'))?.message, 'no luck')
  await end()
})

test('a pod that goes while it is prepared is not placed', async () => {
  const ready = Promise.withResolvers<void>()
  const reserved: string[] = []
  const { client, untilIdle, end } = await start(() => ({
    prepare: () => waitFor(ready.promise),
    filter: () => ({}),
    reserve(p) {
      reserved.push(p.key)
      return undefined
    },
  }))
  await client.create(NODES, node('n1'))
  await client.create(inDefault, pod('a'))
  await untilIdle()
  await client.delete({ ...inDefault, name: 'a' })
  await untilIdle()
  ready.resolve()
  await untilIdle()
  assert.deepEqual(reserved, [])
  await end()
})
