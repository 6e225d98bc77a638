import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { silentLogger } from '../base/logger.ts'
import { seededRandom } from '../base/random.ts'
import type { JsonObject } from '../machinery/object.ts'
import { NODES, PODS } from '../resources/refs.ts'
import type { Pod } from '../resources/types/core.ts'
import { createInformerFactory } from '../sdk/informer/informer-factory.ts'
import { startCluster } from '../testing/start-cluster.ts'
import { NodeAgent } from './agent.ts'
import { createSharedFeed } from './feed.ts'
import { createSimulatedNetwork } from './runtime/simulated/simulated-network.ts'
import { createSimulatedRuntime } from './runtime/simulated/simulated-runtime.ts'
import { DEFAULT_MACHINE } from './status/node-object.ts'

/** An agent with a simulated runtime; `writes` counts its status writes. */
async function openAgent() {
  const clock = new VirtualClock()
  const random = seededRandom(7)
  const cluster = await startCluster({ parts: ['server', 'nodes'], nodes: 0 }, { clock, random })
  const client = cluster.client()
  await client.create(
    { group: '', version: 'v1', resource: 'serviceaccounts', namespace: 'default' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } },
  )
  const runtime = createSimulatedRuntime({ clock, random, podSubnets: ['10.9.8.'] })
  const feed = createSharedFeed(createInformerFactory({ client, clock, random, log: silentLogger }))
  const counted = { writes: 0 }
  const own: typeof client = {
    ...client,
    patch(target, ...rest) {
      if (target.resource === 'pods') counted.writes++
      return client.patch(target, ...rest)
    },
  }
  const identity = { name: 'node-1', ip: '192.0.2.1', machine: DEFAULT_MACHINE, runtime, ids: { machineId: 'm', bootId: 'b' } }
  const agent = new NodeAgent(identity, { client: own, feed, clock, log: silentLogger, runtime, network: createSimulatedNetwork(runtime) })
  const stop = new AbortController()
  await agent.register()
  const done = Promise.all([feed.run(stop.signal), agent.run(stop.signal)])
  await clock.advance(100)
  const target = (name: string) => ({ ...PODS, namespace: 'default', name })
  return {
    agent,
    clock,
    client,
    runtime,
    counted,
    target,
    async create(name: string, spec: JsonObject = {}) {
      const whole = { nodeName: 'node-1', automountServiceAccountToken: false, containers: [{ name: 'main', image: 'app' }], ...spec }
      await client.create(target(''), { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec: whole })
      await clock.advance(10_000)
    },
    pod: (name: string) => client.get(target(name)),
    end: async (name: string, code: number) => {
      const all = await runtime.containers({}, stop.signal)
      runtime.end(all.find((c) => c.pod.name === name && c.state === 'running')?.id ?? '', code)
      await clock.advance(2000)
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await clock.advance(1000)
      await done
      await cluster[Symbol.asyncDispose]()
    },
  }
}

const statusOf = (pod: Pod) => pod.status?.containerStatuses?.[0]

test('pods that run as they should have no worker, but count on the node and in its metrics', async () => {
  await using node = await openAgent()
  for (let i = 0; i < 20; i++) await node.create(`p${i}`)
  await node.create('init', {
    initContainers: [
      { name: 'i', image: 'app', command: ['true'] },
      { name: 's', image: 'app', restartPolicy: 'Always' },
    ],
  })
  assert.equal((await node.pod('p7')).status?.phase, 'Running')
  assert.equal((await node.pod('init')).status?.phase, 'Running')
  assert.equal(node.agent.working, 0)
  assert.equal(node.agent.pods().length, 21)
  assert.deepEqual(
    node.agent.pods().filter((pod) => node.agent.ending(pod)),
    [],
  )
})

test('a pod keeps its worker while there is work: probes, a back-off, a restart to remember', async () => {
  await using node = await openAgent()
  await node.create('probed', { containers: [{ name: 'main', image: 'app', livenessProbe: { exec: { command: ['true'] } } }] })
  await node.create('limited', { activeDeadlineSeconds: 600 })
  await node.create('failed')
  await node.end('failed', 3)
  await node.clock.advance(60_000)
  assert.equal(statusOf(await node.pod('failed'))?.restartCount, 1)
  assert.equal(node.agent.working, 3)
  await node.clock.advance(600_000)
  assert.equal((await node.pod('limited')).status?.reason, 'DeadlineExceeded')
})

test('an idle pod continues where it was: its ended container is restarted, and earlier times are reported', async () => {
  await using node = await openAgent()
  await node.create('p')
  const before = await node.pod('p')
  assert.equal(node.agent.working, 0)
  await node.clock.advance(3_600_000)
  await node.end('p', 3)
  const after = await node.pod('p')
  const [was, is] = [statusOf(before), statusOf(after)]
  assert.equal(is?.restartCount, 1)
  assert.equal(is?.lastState?.terminated?.exitCode, 3)
  assert.equal(is.lastState.terminated.containerID, was?.containerID)
  assert.equal(after.status?.startTime, before.status?.startTime)
  const initialised = (pod: Pod) => pod.status?.conditions?.find((c: { type: string }) => c.type === 'Initialized')?.lastTransitionTime
  assert.equal(initialised(after), initialised(before))
})

test('a sandbox that dies while its pod rests leaves the pod its address until the next one has another', async () => {
  await using node = await openAgent()
  await node.create('p', { terminationGracePeriodSeconds: 0 })
  const before = await node.pod('p')
  const seen: unknown[] = []
  const stop = new AbortController()
  const watching = (async () => {
    const since = { resourceVersion: before.metadata.resourceVersion ?? '', signal: stop.signal }
    for await (const events of node.client.watch({ ...PODS, namespace: 'default' }, since))
      for (const { type, object } of events) if (type !== 'BOOKMARK') seen.push(object.status?.podIP)
  })().catch(() => {})
  const [sandbox] = await node.runtime.sandboxes({}, stop.signal)
  await node.runtime.stopSandbox(sandbox?.id ?? '', stop.signal)
  await node.clock.advance(30_000)
  stop.abort()
  await watching
  const after = await node.pod('p')
  assert.equal(statusOf(after)?.restartCount, 1)
  assert.ok(seen.length > 1)
  assert.deepEqual([...new Set(seen)], [...new Set([before.status?.podIP, after.status?.podIP])])
})

test('what others change of a status while its pod rests is put right, with the time at which it had become so', async () => {
  await using node = await openAgent()
  await node.create('p')
  const before = await node.pod('p')
  await node.clock.advance(60_000)
  const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: '2000-01-01T00:00:00Z' }]
  await node.client.patch({ ...node.target('p'), subresource: 'status' }, 'strategic', { status: { conditions } })
  await node.clock.advance(1000)
  assert.deepEqual((await node.pod('p')).status, before.status)
  assert.equal(node.agent.working, 0)
})

test('a label on an idle pod costs no write; a new image, its deletion and its end start a worker', async () => {
  await using node = await openAgent()
  for (const name of ['labelled', 'changed', 'deleted', 'forced', 'evicted']) await node.create(name)
  const writes = node.counted.writes
  await node.client.patch(node.target('labelled'), 'merge', { metadata: { labels: { a: 'b' } } })
  await node.clock.advance(1000)
  assert.equal(node.counted.writes, writes)
  assert.equal(node.agent.working, 0)
  await node.client.patch(node.target('changed'), 'strategic', { spec: { containers: [{ name: 'main', image: 'other' }] } })
  await node.client.delete(node.target('deleted'))
  await node.client.delete(node.target('forced'), { gracePeriodSeconds: 0 })
  const evicted = node.agent.pods().find((pod) => pod.metadata.name === 'evicted')
  assert.ok(evicted)
  const over = node.agent.end(evicted, { reason: 'Evicted', message: 'because' })
  await node.clock.advance(40_000)
  await over
  assert.equal(statusOf(await node.pod('changed'))?.image, 'other:latest')
  assert.equal((await node.pod('evicted')).status?.reason, 'Evicted')
  await assert.rejects(node.pod('deleted'), /not found/)
  const left = await node.runtime.containers({}, new AbortController().signal)
  assert.deepEqual(new Set(left.filter((c) => c.state === 'running').map((c) => c.pod.name)), new Set(['labelled', 'changed']))
  assert.equal((await node.client.get({ ...NODES, name: 'node-1' })).metadata.name, 'node-1')
})
