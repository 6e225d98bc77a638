import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../base/clock.ts'
import { seededRandom } from '../base/random.ts'
import type { KubeObject } from '../machinery/object.ts'
import {
  DEVICE_CLASSES,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  RESOURCE_CLAIMS,
  RESOURCE_SLICES,
} from '../resources/refs.ts'
import type { Node, Pod } from '../resources/types/core.ts'
import type { ResourceClaim } from '../resources/types/resource.ts'
import type { Client, ResourceRef } from '../sdk/client/client.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { type MemoryTransport, memoryTransport } from '../sdk/client/memory/memory-transport.ts'
import { NodeTable } from './cache/node-table.ts'
import { podInfo } from './cache/pod-info.ts'
import { profilesOf } from './config/configuration.ts'
import { decideNow } from './framework/decide-now.ts'
import { listersOver } from './framework/listers.double.ts'
import type { Listers } from './framework/listers.ts'
import { Profile } from './framework/profile.ts'
import { createScheduler } from './scheduler.ts'

/** What may happen, each with what distinguishes it in a counterexample. */
const node = fc.record({
  name: fc.constantFrom('n1', 'n2', 'n3'),
  cpu: fc.constantFrom('1', '2', '4'),
  zone: fc.constantFrom('a', 'b'),
  tainted: fc.boolean(),
  cordoned: fc.boolean(),
  dongle: fc.boolean(),
})
const wish = fc.record({
  cpu: fc.constantFrom('500m', '1', '2'),
  priority: fc.constantFrom(0, 0, 5),
  zone: fc.constantFrom(undefined, 'a', 'b'),
  tolerates: fc.boolean(),
  dongle: fc.boolean(),
  port: fc.boolean(),
  app: fc.constantFrom('x', 'y'),
  rule: fc.constantFrom('none', 'near x', 'away from x', 'spread', 'gate', 'near x in namespaces of team a'),
  volume: fc.constantFrom(undefined, undefined, 'v1', 'v2'),
  device: fc.constantFrom(false, false, true),
})
const step = fc.oneof(
  fc.record({ kind: fc.constant('node' as const), node }),
  fc.record({ kind: fc.constant('no node' as const), name: fc.constantFrom('n1', 'n2', 'n3') }),
  fc.record({ kind: fc.constant('pod' as const), wish }),
  fc.record({ kind: fc.constant('pod' as const), wish }),
  fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('relabel' as const), which: fc.nat(), app: fc.constantFrom('x', 'y') }),
  fc.record({ kind: fc.constant('lift gate' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('namespace' as const), team: fc.constantFrom('a', 'b') }),
  fc.record({ kind: fc.constant('volume' as const), name: fc.constantFrom('v1', 'v2'), zone: fc.constantFrom('a', 'b', 'nowhere') }),
  fc.record({ kind: fc.constant('bind' as const), name: fc.constantFrom('v1', 'v2') }),
  fc.record({ kind: fc.constant('no volume' as const), name: fc.constantFrom('v1', 'v2') }),
  fc.record({ kind: fc.constant('devices' as const), node: fc.constantFrom('n1', 'n2', 'n3'), count: fc.nat(2) }),
  fc.record({ kind: fc.constant('free a device' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('class' as const), there: fc.boolean() }),
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function nodeOf(n: Extract<Step, { kind: 'node' }>['node']): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: n.name, labels: { zone: n.zone, 'kubernetes.io/hostname': n.name } },
    spec: { unschedulable: n.cordoned, ...(n.tainted ? { taints: [{ key: 'k', effect: 'NoSchedule' }] } : {}) },
    status: { allocatable: { cpu: n.cpu, memory: '8Gi', pods: '3', ...(n.dongle ? { 'example.com/dongle': '1' } : {}) } },
  }
}

const term = [{ topologyKey: 'zone', labelSelector: { matchLabels: { app: 'x' } } }]

function podOf(name: string, wanted: Extract<Step, { kind: 'pod' }>['wish']): Pod {
  const { cpu, priority, zone, tolerates, dongle, port, app, rule, volume, device } = wanted
  const requests = { cpu, ...(dongle ? { 'example.com/dongle': '1' } : {}) }
  const ports = port ? [{ containerPort: 80, hostPort: 80 }] : []
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app } },
    spec: {
      priority,
      // Victims of preemption are other decisions than "fits now".
      preemptionPolicy: 'Never',
      containers: [{ name: 'c', image: 'app', resources: { requests }, ports }],
      ...(zone === undefined ? {} : { nodeSelector: { zone } }),
      ...(tolerates ? { tolerations: [{ operator: 'Exists' }] } : {}),
      ...(rule === 'gate' ? { schedulingGates: [{ name: 'g' }] } : {}),
      ...(rule === 'near x' ? { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term } } } : {}),
      ...(rule === 'away from x' ? { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term } } } : {}),
      ...(rule === 'near x in namespaces of team a'
        ? { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: elsewhere } } }
        : {}),
      ...(volume === undefined ? {} : { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: volume } }] }),
      ...(device ? { resourceClaims: [{ name: 'c', resourceClaimName: `of-${name}` }] } : {}),
      ...(rule === 'spread'
        ? {
            topologySpreadConstraints: [
              { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'x' } } },
            ],
          }
        : {}),
    },
  }
}

const elsewhere = term.map((t) => ({ ...t, namespaceSelector: { matchLabels: { team: 'a' } } }))

const inDefault = { ...PODS, namespace: 'default' }

const listersOf = (transport: MemoryTransport): Listers =>
  listersOver((resource) => transport.objects(resource), {
    namespaceLabels: (name) => transport.objects('namespaces').find((o) => o.metadata.name === name)?.metadata.labels ?? {},
  })

/** A volume of a zone, bound to a claim; the claim says so only when it is `bind`. */
const volumeOf = (name: string, zone: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: `pv-${name}`, labels: { 'topology.kubernetes.io/zone': zone } },
  spec: {
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] } },
  },
})

const deviceClaim = (name: string): KubeObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name, namespace: 'default' },
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'card', count: 1 } }] } },
})

const sliceOf = (node: string, count: number): KubeObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: node },
  spec: {
    driver: 'card.example.com',
    pool: { name: node, generation: 1, resourceSliceCount: 1 },
    nodeName: node,
    devices: Array.from({ length: count }, (_, i) => ({ name: `card-${i}` })),
  },
})

/** Creates it, or puts it in place of what is there. */
async function put(client: Client, transport: MemoryTransport, ref: ResourceRef, object: KubeObject): Promise<void> {
  const { namespace, name = '' } = object.metadata
  const target = { ...ref, ...(namespace === undefined ? {} : { namespace }) }
  const there = transport.objects(ref.resource).find((o) => o.metadata.name === name)
  if (there === undefined) await client.create(target, object)
  else await client.update({ ...target, name }, { ...object, metadata: { ...there.metadata, ...object.metadata } })
}

/** What happens to objects that are neither nodes nor pods. */
async function change(one: Step, client: Client, transport: MemoryTransport): Promise<void> {
  switch (one.kind) {
    case 'namespace':
      return put(client, transport, NAMESPACES, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'default', labels: { team: one.team } },
      })
    case 'volume': {
      await put(client, transport, PERSISTENT_VOLUMES, volumeOf(one.name, one.zone))
      const metadata = { name: one.name, namespace: 'default' }
      return put(client, transport, PERSISTENT_VOLUME_CLAIMS, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: {} })
    }
    case 'bind': {
      if (!transport.objects('persistentvolumeclaims').some((o) => o.metadata.name === one.name)) return
      const metadata = { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }
      const target = { ...PERSISTENT_VOLUME_CLAIMS, namespace: 'default', name: one.name }
      return void (await client.patch(target, 'merge', { metadata, spec: { volumeName: `pv-${one.name}` } }))
    }
    case 'no volume':
      return void (await client.delete({ ...PERSISTENT_VOLUMES, name: `pv-${one.name}` }).catch(() => {}))
    case 'devices':
      return put(client, transport, RESOURCE_SLICES, sliceOf(one.node, one.count))
    case 'class':
      if (!one.there) return void (await client.delete({ ...DEVICE_CLASSES, name: 'card' }).catch(() => {}))
      return put(client, transport, DEVICE_CLASSES, {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'DeviceClass',
        metadata: { name: 'card' },
        spec: {},
      })
    case 'free a device': {
      // What the controller does when the pods that used a claim have gone.
      const names = new Set(transport.objects('pods').map((p) => `of-${p.metadata.name}`))
      const idle = transport
        .objects<ResourceClaim>('resourceclaims')
        .filter((c) => !names.has(c.metadata.name ?? '') && c.status?.allocation !== undefined)
      const chosen = idle[one.which % Math.max(1, idle.length)]
      if (chosen === undefined) return
      const target = { ...RESOURCE_CLAIMS, namespace: 'default', name: chosen.metadata.name ?? '' }
      if (one.which % 2 === 0) await client.delete(target)
      else await client.patch({ ...target, subresource: 'status' }, 'merge', { status: { allocation: null, reservedFor: null } })
    }
  }
}

/** The pods that wait although a decision from scratch would place them. */
function overslept(transport: MemoryTransport): readonly string[] {
  const nodes = transport.objects('nodes') as readonly Node[]
  const pods = transport.objects('pods') as readonly Pod[]
  const listers = listersOf(transport)
  const table = new NodeTable()
  for (const n of nodes) table.setNode(n)
  for (const p of pods) if (p.spec.nodeName) table.addPod(podInfo(p), p.spec.nodeName)
  const [plugins] = profilesOf({}, { random: seededRandom(1) })
  assert.ok(plugins)
  const profile = new Profile(plugins, { table, listers })
  const isGated = (p: Pod) => plugins.preEnqueue.some((plugin) => plugin.preEnqueue?.(podInfo(p), { table, listers }) !== undefined)
  const options = { random: { int: () => 0 }, hasNominations: () => false, nominatedOn: () => [], keepScores: false }
  return pods
    .filter((p) => !p.spec.nodeName && !isGated(p))
    .filter((p) => decideNow(profile, podInfo(p), options).kind === 'placed')
    .map((p) => p.metadata.name ?? '')
}

const LONELY = {
  cpu: '500m',
  priority: 0,
  zone: undefined,
  tolerates: false,
  dongle: false,
  port: false,
  app: 'x',
  rule: 'near x in namespaces of team a',
  volume: undefined,
  device: false,
} as const
const LONE_NODE = { name: 'n1', cpu: '1', zone: 'a', tainted: false, cordoned: false, dongle: false } as const

test('property: queueing hints wake every pod that an event makes schedulable', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 15 }), async (steps) => {
      const clock = new VirtualClock()
      const transport = memoryTransport({ clock, random: seededRandom(2) })
      const client = createClient(transport)
      const scheduler = createScheduler({ client, clock, random: seededRandom(3) })
      const stop = new AbortController()
      const running = scheduler.run(stop.signal)
      await scheduler.synced
      let made = 0
      for (const one of steps) {
        const pods = transport.objects('pods') as readonly Pod[]
        const chosen = 'which' in one && pods.length > 0 ? pods[one.which % pods.length] : undefined
        const target = { ...inDefault, name: chosen?.metadata.name ?? '' }
        if (one.kind === 'node') {
          const there = transport.objects('nodes').find((n) => n.metadata.name === one.node.name)
          if (there === undefined) await client.create(NODES, nodeOf(one.node))
          else {
            const fresh = nodeOf(one.node)
            await client.update(
              { ...NODES, name: one.node.name },
              { ...fresh, metadata: { ...there.metadata, labels: fresh.metadata.labels ?? {} } },
            )
          }
        } else if (one.kind === 'no node') await client.delete({ ...NODES, name: one.name }).catch(() => {})
        else if (one.kind === 'pod') {
          const name = `p${made++}`
          const claim = () => client.create({ ...RESOURCE_CLAIMS, namespace: 'default' }, deviceClaim(`of-${name}`))
          if (one.wish.device && made % 2 === 0) await claim()
          await client.create(inDefault, podOf(name, one.wish))
          if (one.wish.device && made % 2 === 1) await claim()
        } else if (chosen !== undefined && one.kind === 'delete') await client.delete(target)
        else if (chosen !== undefined && one.kind === 'relabel')
          await client.patch(target, 'merge', { metadata: { labels: { app: one.app } } })
        else if (chosen !== undefined && one.kind === 'lift gate') await client.patch(target, 'merge', { spec: { schedulingGates: null } })
        else await change(one, client, transport)
        for (let i = 0; i < 3; i++) await clock.advance(4000)
        assert.deepEqual(overslept(transport), [])
      }
      stop.abort()
      await running
    }),
    {
      numRuns: 150,
      // A namespace that comes with its label is what a pod waits for that wants to be near its own kind there.
      examples: [
        [
          [
            { kind: 'pod', wish: LONELY },
            { kind: 'node', node: LONE_NODE },
            { kind: 'namespace', team: 'a' },
          ],
        ],
      ],
    },
  )
})

test("allocating other claims wakes no pod; releasing devices does, and so does the pod's own claim", async () => {
  const clock = new VirtualClock()
  const transport = memoryTransport({ clock, random: seededRandom(2) })
  const client = createClient(transport)
  const scheduler = createScheduler({ client, clock, random: seededRandom(3) })
  const stop = new AbortController()
  const running = scheduler.run(stop.signal)
  await scheduler.synced
  const untilIdle = async () => {
    for (let i = 0; i < 5; i++) await clock.advance(4000)
  }
  const claims = { ...RESOURCE_CLAIMS, namespace: 'default' }
  const node = { name: 'n1', cpu: '4', zone: 'a', tainted: false, cordoned: false, dongle: true } as const
  const wanted = { cpu: '500m', priority: 0, zone: undefined, tolerates: false, dongle: false, port: false, app: 'x' } as const
  const pod = (name: string, device: boolean) => podOf(name, { ...wanted, rule: 'none', volume: undefined, device })
  await change({ kind: 'class', there: true }, client, transport)
  await client.create(NODES, nodeOf(node))
  await client.create(claims, deviceClaim('of-waits'))
  await client.create(inDefault, pod('waits', true))
  await untilIdle()
  const tries = () => scheduler.explain('default/waits')?.number
  assert.equal(tries(), 1)
  const device = { request: 'r', driver: 'card.example.com', pool: 'elsewhere', device: 'card-0' }
  for (let i = 0; i < 4; i++) {
    await client.create(claims, deviceClaim(`other-${i}`))
    const target = { ...claims, name: `other-${i}`, subresource: 'status' }
    await client.patch(target, 'merge', { status: { allocation: { devices: { results: [{ ...device, device: `card-${i}` }] } } } })
    await client.patch(target, 'merge', { status: { reservedFor: [{ resource: 'pods', name: 'other', uid: `u${i}` }] } })
    await client.create(inDefault, pod(`plain-${i}`, false))
    await untilIdle()
    await client.delete({ ...inDefault, name: `plain-${i}` })
    await untilIdle()
  }
  assert.equal(tries(), 1, 'none of this gives a device to anybody')
  await client.patch({ ...claims, name: 'other-0', subresource: 'status' }, 'merge', { status: { allocation: null } })
  await untilIdle()
  assert.equal(tries(), 2, 'a claim gave its device back')
  await client.delete({ ...claims, name: 'other-1' })
  await untilIdle()
  assert.equal(tries(), 3, 'a claim went with its device')
  await client.patch({ ...claims, name: 'of-waits' }, 'merge', { metadata: { annotations: { a: 'b' } } })
  await untilIdle()
  assert.equal(tries(), 4, 'its own claim changed')
  stop.abort()
  await running
})
