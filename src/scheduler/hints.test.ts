import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../base/clock.ts'
import { seededRandom } from '../base/random.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { memoryTransport } from '../sdk/client/memory-transport.ts'
import { NODES, PODS } from '../sdk/client/refs.ts'
import { NodeTable } from './cache/node-table.ts'
import { podInfo } from './cache/pod-info.ts'
import { profilesOf } from './config/configuration.ts'
import { decideNow } from './framework/decide-now.ts'
import type { Listers } from './framework/prepared.ts'
import { Profile } from './framework/profile.ts'
import type { Node, Pod } from './objects.ts'
import { createScheduler } from './scheduler.ts'

/** What may happen, each with what it needs to be told apart in a counterexample. */
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
  rule: fc.constantFrom('none', 'near x', 'away from x', 'spread', 'gate'),
})
const step = fc.oneof(
  fc.record({ kind: fc.constant('node' as const), node }),
  fc.record({ kind: fc.constant('no node' as const), name: fc.constantFrom('n1', 'n2', 'n3') }),
  fc.record({ kind: fc.constant('pod' as const), wish }),
  fc.record({ kind: fc.constant('pod' as const), wish }),
  fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('relabel' as const), which: fc.nat(), app: fc.constantFrom('x', 'y') }),
  fc.record({ kind: fc.constant('lift gate' as const), which: fc.nat() }),
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

function podOf(name: string, { cpu, priority, zone, tolerates, dongle, port, app, rule }: Extract<Step, { kind: 'pod' }>['wish']): Pod {
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

const inDefault = { ...PODS, namespace: 'default' }
const listers: Listers = { list: () => [], get: () => undefined, namespaceLabels: () => ({}), version: () => 0 }

/** The pods that wait although a decision from scratch would place them. */
function overslept(nodes: readonly Node[], pods: readonly Pod[]): readonly string[] {
  const table = new NodeTable()
  for (const n of nodes) table.setNode(n)
  for (const p of pods) if (p.spec.nodeName) table.addPod(podInfo(p), p.spec.nodeName)
  const [plugins] = profilesOf({}, { random: seededRandom(1) })
  assert.ok(plugins)
  const profile = new Profile(plugins, { table, listers })
  const options = { random: { int: () => 0 }, hasNominations: () => false, nominatedOn: () => [], keepScores: false }
  return pods
    .filter((p) => !p.spec.nodeName && (p.spec.schedulingGates?.length ?? 0) === 0)
    .filter((p) => decideNow(profile, podInfo(p), options).kind === 'placed')
    .map((p) => p.metadata.name ?? '')
}

test('no pod sleeps on while it could be placed: the hints wake whoever an event helps', async () => {
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
        else if (one.kind === 'pod') await client.create(inDefault, podOf(`p${made++}`, one.wish))
        else if (chosen !== undefined && one.kind === 'delete') await client.delete(target)
        else if (chosen !== undefined && one.kind === 'relabel')
          await client.patch(target, 'merge', { metadata: { labels: { app: one.app } } })
        else if (chosen !== undefined && one.kind === 'lift gate') await client.patch(target, 'merge', { spec: { schedulingGates: null } })
        for (let i = 0; i < 3; i++) await clock.advance(4000)
        assert.deepEqual(overslept(transport.objects('nodes') as readonly Node[], transport.objects('pods') as readonly Pod[]), [])
      }
      stop.abort()
      await running
    }),
    { numRuns: 150 },
  )
})
