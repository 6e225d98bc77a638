import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { seededRandom } from '../../src/base/random.ts'
import { createCatalogue } from '../../src/controllers/frame/catalogue.ts'
import type { ControllerDeps } from '../../src/controllers/frame/controller.ts'
import { ControllerMetrics } from '../../src/controllers/frame/controller-metrics.ts'
import { InformerSet } from '../../src/controllers/frame/informer-set.ts'
import { objectEvents } from '../../src/controllers/frame/object-events.ts'
import { RecorderSet } from '../../src/controllers/frame/recorder-set.ts'
import { createController as createResourceClaimController } from '../../src/controllers/resource-claim/controller.ts'
import { StatusError } from '../../src/machinery/status-error.ts'
import { DEVICE_CLASSES, NODES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from '../../src/resources/refs.ts'
import type { Node, Pod } from '../../src/resources/types/core.ts'
import type { ResourceClaim, ResourceSlice } from '../../src/resources/types/resource.ts'
import { NodeTable } from '../../src/scheduler/cache/node-table.ts'
import { podInfo } from '../../src/scheduler/cache/pod-info.ts'
import { profilesOf } from '../../src/scheduler/config/configuration.ts'
import { decideNow } from '../../src/scheduler/framework/decide-now.ts'
import { listersOver } from '../../src/scheduler/framework/listers.double.ts'
import { Profile } from '../../src/scheduler/framework/profile.ts'
import { isFinished } from '../../src/scheduler/pod-facts.ts'
import { createScheduler } from '../../src/scheduler/scheduler.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import { type MemoryTransport, memoryTransport } from '../../src/sdk/client/memory/memory-transport.ts'
import { createInformerFactory } from '../../src/sdk/informer/informer-factory.ts'

/** The resources of nodes by name. They never change, so that the scheduler is responsible for any over-commitment. */
const NODE_KINDS = {
  n1: { cpu: '2', dongles: '1', devices: 2 },
  n2: { cpu: '1', dongles: '2', devices: 0 },
  n3: { cpu: '4', dongles: '0', devices: 3 },
} as const
type NodeName = keyof typeof NODE_KINDS
const nodeName = fc.constantFrom<NodeName>('n1', 'n2', 'n3')

const wish = fc.record({
  cpu: fc.constantFrom('500m', '1', '2'),
  priority: fc.constantFrom(0, 0, 5),
  preempts: fc.boolean(),
  needs: fc.constantFrom('cpu', 'dongle', 'own claim', 'own claim', 'shared claim', 'two devices', 'device as a resource'),
})
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('node' as const), name: nodeName }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('no node' as const), name: nodeName }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('devices' as const), name: nodeName }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('no devices' as const), name: nodeName }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pod' as const), wish }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('done' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'crash' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fault' as const), of: fc.constantFrom('binding', 'status', 'resourceclaims') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('watches break' as const), forgets: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(0, 1, 1500, 20_000) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Wish = Extract<Step, { kind: 'pod' }>['wish']

const full = () => new StatusError({ code: 500, reason: 'InternalError', message: 'the disk is full' })

const inDefault = { ...PODS, namespace: 'default' }
const DONGLE = 'example.com/dongle'
const CARD = 'example.com/card'

const nodeOf = (name: NodeName): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { allocatable: { cpu: NODE_KINDS[name].cpu, memory: '8Gi', pods: '4', [DONGLE]: NODE_KINDS[name].dongles } },
})

const sliceOf = (name: NodeName): ResourceSlice => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name },
  spec: {
    driver: 'card.example.com',
    pool: { name, generation: 1, resourceSliceCount: 1 },
    nodeName: name,
    devices: Array.from({ length: NODE_KINDS[name].devices }, (_, i) => ({ name: `card-${i}` })),
  },
})

const claimOf = (name: string, count: number): ResourceClaim => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name, namespace: 'default' },
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'card', count } }] } },
})

/** The claim of a pod, if it has one. */
function claimFor(pod: string, { needs }: Wish): ResourceClaim | undefined {
  if (needs === 'own claim') return claimOf(`of-${pod}`, 1)
  if (needs === 'two devices') return claimOf(`of-${pod}`, 2)
  return needs === 'shared claim' ? claimOf('shared', 1) : undefined
}

function podOf(name: string, one: Wish): Pod {
  const extra = one.needs === 'dongle' ? { [DONGLE]: '1' } : one.needs === 'device as a resource' ? { [CARD]: '1' } : {}
  const claim = claimFor(name, one)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      priority: one.priority,
      ...(one.preempts ? {} : { preemptionPolicy: 'Never' }),
      containers: [{ name: 'c', image: 'app', resources: { requests: { cpu: one.cpu, ...extra } } }],
      ...(claim === undefined ? {} : { resourceClaims: [{ name: 'c', resourceClaimName: claim.metadata.name ?? '' }] }),
    },
  }
}

const podsOf = (transport: MemoryTransport) => transport.objects('pods') as readonly Pod[]
const claimsIn = (transport: MemoryTransport) => transport.objects('resourceclaims') as readonly ResourceClaim[]
const milli = (cpu: unknown) => (String(cpu).endsWith('m') ? Number.parseInt(String(cpu), 10) : Number(cpu) * 1000)

/** The invariants that hold at every moment. */
function assertSafe(transport: MemoryTransport): void {
  const placed = podsOf(transport).filter((p) => p.spec.nodeName && !isFinished(p))
  for (const [name, has] of Object.entries(NODE_KINDS)) {
    const here = placed.filter((p) => p.spec.nodeName === name)
    const sum = (of: string, read: (v: unknown) => number) =>
      here.reduce((total, p) => total + read(p.spec.containers?.[0]?.resources?.requests?.[of] ?? 0), 0)
    assert.ok(sum('cpu', milli) <= milli(has.cpu), `the processors of ${name} are given once`)
    assert.ok(sum(DONGLE, Number) <= Number(has.dongles), `the dongles of ${name} are given once`)
    assert.ok(here.length <= 4, `${name} has room for four pods`)
  }
  const given = claimsIn(transport).flatMap((c) => c.status?.allocation?.devices?.results?.map((r) => `${r.pool}/${r.device}`) ?? [])
  assert.deepEqual(given, [...new Set(given)], 'no device is given twice')
  for (const pod of placed) {
    const { uid = '', name = '' } = pod.metadata
    const own = claimsIn(transport).filter(
      (c) =>
        pod.spec.resourceClaims?.some((r) => r.resourceClaimName === c.metadata.name) ||
        c.metadata.ownerReferences?.some((o) => o.uid === uid),
    )
    for (const { metadata, status } of own) {
      assert.ok(
        status?.reservedFor?.some((r) => r.uid === uid),
        `claim ${metadata.name} is kept for ${name}, which is placed`,
      )
      const pools = status?.allocation?.devices?.results?.map((r) => r.pool) ?? []
      assert.deepEqual(new Set(pools), new Set([pod.spec.nodeName]), `the devices of ${name} are where it is`)
    }
    if (pod.spec.containers?.[0]?.resources?.requests?.[CARD] !== undefined) assert.equal(own.length, 1, `${name} has its claim`)
  }
}

/** The pods that are pending although a new scheduler would place them at once. */
function placeable(transport: MemoryTransport): readonly string[] {
  const table = new NodeTable()
  for (const n of transport.objects('nodes') as readonly Node[]) table.setNode(n)
  const pods = podsOf(transport)
  for (const p of pods) if (p.spec.nodeName && !isFinished(p)) table.addPod(podInfo(p), p.spec.nodeName)
  const listers = listersOver((resource) => transport.objects(resource))
  return pods
    .filter((p) => !p.spec.nodeName)
    .filter((p) => {
      const [plugins] = profilesOf({}, { random: seededRandom(1) })
      assert.ok(plugins)
      const promised = pods.filter((o) => !o.spec.nodeName && o !== p && o.status?.nominatedNodeName)
      const options = {
        random: { int: () => 0 },
        hasNominations: () => promised.length > 0,
        nominatedOn: (row: number, info: { readonly priority: number }) =>
          promised
            .filter((o) => o.status?.nominatedNodeName === table.names[row])
            .map(podInfo)
            .filter((o) => o.priority >= info.priority),
        keepScores: false,
      }
      return decideNow(new Profile(plugins, { table, listers }), podInfo(p), options).kind === 'placed'
    })
    .map((p) => p.metadata.name ?? '')
}

/** A cluster without node agents: server double, the claim controller, and a scheduler that can be restarted. */
function openCluster() {
  const clock = new VirtualClock()
  const random = seededRandom(2)
  const transport = memoryTransport({ clock, random })
  const client = createClient(transport)
  const end = new AbortController()
  const deps = { client, clock, random, log: silentLogger }
  const informers = new InformerSet(createInformerFactory(deps))
  const recorders = new RecorderSet(deps)
  const catalogue = createCatalogue({ ...deps, informers })
  const own: ControllerDeps = {
    metrics: new ControllerMetrics(),
    ...deps,
    informers,
    catalogue,
    authority: undefined,
    ca: '',
    events: (c) => objectEvents(recorders.of(c)),
    clientOf: () => client,
  }
  const others: Promise<unknown>[] = [
    informers.run(end.signal),
    recorders.run(end.signal),
    createResourceClaimController(own).run(end.signal),
  ]
  const faults = new Set<string>()
  transport.intercept = ({ verb, target }) => {
    assertSafe(transport)
    const what = target.subresource === 'binding' || target.subresource === 'status' ? target.subresource : target.resource
    if (verb === 'get' || verb === 'list' || verb === 'watch') return
    if (target.resource === 'resourceclaims' && faults.delete('resourceclaims')) throw full()
    if (target.resource === 'pods' && faults.delete(what)) throw full()
  }
  let running: { readonly stop: AbortController; readonly done: Promise<void>; readonly crash: () => void } | undefined
  const stop = async () => {
    running?.stop.abort()
    let ended = false
    const done = running?.done.then(() => {
      ended = true
    })
    while (running !== undefined && !ended) await clock.advance(100)
    await done
    running = undefined
  }
  const start = () => {
    const stop = new AbortController()
    let dead = false
    const call: MemoryTransport['call'] = (one) => (dead ? Promise.reject(full()) : transport.call(one))
    const scheduler = createScheduler({
      client: createClient({ ...transport, call }),
      clock,
      random: seededRandom(3),
      log: silentLogger,
    })
    const crash = () => {
      dead = true
      stop.abort()
    }
    running = { stop, crash, done: scheduler.run(stop.signal) }
  }
  /** Simulates a crash: pending writes are dropped. */
  const crash = () => {
    running?.crash()
    if (running !== undefined) others.push(running.done)
    running = undefined
  }
  return {
    clock,
    transport,
    client,
    faults,
    start,
    stop,
    crash,
    async close() {
      await stop()
      end.abort()
      for (let i = 0; i < 5; i++) await clock.advance(1000)
      await Promise.all(others)
    },
  }
}
type Cluster = ReturnType<typeof openCluster>

async function take(one: Step, cluster: Cluster, made: () => string): Promise<void> {
  const { client, transport, clock, faults } = cluster
  const pods = podsOf(transport).filter((p) => one.kind !== 'done' || (p.spec.nodeName && !isFinished(p)))
  const chosen = 'which' in one && pods.length > 0 ? pods[one.which % pods.length] : undefined
  const target = { ...inDefault, name: chosen?.metadata.name ?? '' }
  const quiet = (work: Promise<unknown>) => work.catch(() => {})
  switch (one.kind) {
    case 'node':
      return void (await quiet(client.create(NODES, nodeOf(one.name))))
    case 'no node':
      return void (await quiet(client.delete({ ...NODES, name: one.name })))
    case 'devices':
      return void (await quiet(client.create(RESOURCE_SLICES, sliceOf(one.name))))
    case 'no devices':
      return void (await quiet(client.delete({ ...RESOURCE_SLICES, name: one.name })))
    case 'pod': {
      const name = made()
      const claim = claimFor(name, one.wish)
      if (claim !== undefined) await quiet(client.create({ ...RESOURCE_CLAIMS, namespace: 'default' }, claim))
      return void (await quiet(client.create(inDefault, podOf(name, one.wish))))
    }
    case 'delete':
      return void (chosen && (await quiet(client.delete(target))))
    case 'done':
      return void (chosen && (await quiet(client.patch({ ...target, subresource: 'status' }, 'merge', { status: { phase: 'Succeeded' } }))))
    case 'restart':
      await cluster.stop()
      return cluster.start()
    case 'crash':
      cluster.crash()
      return cluster.start()
    case 'fault':
      return void faults.add(one.of)
    case 'watches break':
      if (one.forgets) transport.compact()
      return transport.breakWatches()
    case 'time':
      return clock.advance(one.ms)
  }
}

const on = (needs: Wish['needs'], cpu: Wish['cpu'], more: Partial<Wish> = {}): Step => ({
  kind: 'pod',
  wish: { cpu, priority: 0, preempts: false, needs, ...more },
})

/** Regressions that this test has found. */
const FOUND: readonly (readonly Step[])[] = [
  // The list of claims arrives after the pods that use them.
  [{ kind: 'devices', name: 'n1' }, { kind: 'node', name: 'n1' }, on('shared claim', '500m'), { kind: 'restart' }],
  // Two pods were assigned the same resources before the crash: one has to give them up.
  [
    on('cpu', '2'),
    on('own claim', '1'),
    on('own claim', '1', { preempts: true }),
    { kind: 'node', name: 'n3' },
    on('cpu', '500m', { priority: 5 }),
    { kind: 'crash' },
  ],
  // The nomination cannot be written while the allocation is being written.
  [
    on('cpu', '500m'),
    on('own claim', '500m'),
    { kind: 'time', ms: 0 },
    { kind: 'fault', of: 'status' },
    { kind: 'node', name: 'n1' },
    on('own claim', '500m'),
    { kind: 'done', which: 0 },
    on('cpu', '500m'),
    on('cpu', '500m'),
    { kind: 'fault', of: 'binding' },
  ],
  // Two pods share a claim, and only one of them fits on the device's node.
  [
    on('own claim', '500m'),
    on('shared claim', '1'),
    on('shared claim', '1'),
    { kind: 'time', ms: 0 },
    { kind: 'node', name: 'n2' },
    { kind: 'node', name: 'n1' },
  ],
  // The pod is deleted while its devices are being written.
  [
    on('device as a resource', '500m'),
    { kind: 'no devices', name: 'n3' },
    { kind: 'node', name: 'n3' },
    { kind: 'devices', name: 'n3' },
    on('two devices', '500m'),
    { kind: 'delete', which: 0 },
    on('own claim', '500m'),
  ],
]

test('nothing is allocated twice and no schedulable pod waits, for any sequence of changes and faults', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const cluster = openCluster()
      const { client, transport, clock, faults } = cluster
      await client.create(DEVICE_CLASSES, {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'DeviceClass',
        metadata: { name: 'card' },
        spec: { extendedResourceName: CARD },
      })
      for (const name of ['n1', 'n3'] as const) await client.create(RESOURCE_SLICES, sliceOf(name))
      cluster.start()
      let pods = 0
      for (const one of steps) await take(one, cluster, () => `p${pods++}`)
      faults.clear()
      for (let i = 0; i < 40; i++) await clock.advance(5000)
      assertSafe(transport)
      assert.deepEqual(placeable(transport), [])
      await cluster.close()
    }),
    { numRuns: 150, examples: FOUND.map((steps) => [steps]) },
  )
})
