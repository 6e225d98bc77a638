import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { SchedulingReport } from '../../resources/bowsprit/scheduling-report.ts'
import type { Node, Pod } from '../../resources/types/core.ts'
import { NodeTable } from '../cache/node-table.ts'
import { podInfo } from '../cache/pod-info.ts'
import { profilesOf } from '../config/configuration.ts'
import { decideNow } from '../framework/decide-now.ts'
import { listersOver } from '../framework/listers.double.ts'
import { Profile } from '../framework/profile.ts'
import { reportOn } from './report.ts'
import { Scratch } from './scratch.ts'
import { smallestChanges } from './smallest-change.ts'
import { smallestSet } from './smallest-set.ts'

const node = (
  name: string,
  more: { labels?: Record<string, string>; spec?: Node['spec']; allocatable?: Record<string, string> } = {},
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...more.labels } },
  ...(more.spec === undefined ? {} : { spec: more.spec }),
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10', ...more.allocatable } },
})

const pod = (name: string, spec: Partial<Pod['spec']> & { cpu?: string } = {}, labels: Record<string, string> = {}): Pod => {
  const { cpu, ...rest } = spec
  const resources = cpu === undefined ? {} : { resources: { requests: { cpu } } }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'd', uid: name, labels },
    spec: { containers: [{ name: 'c', image: 'i', ...resources }], ...rest },
  }
}

const on = (nodeName: string, of: Pod): Pod => ({ ...of, spec: { ...of.spec, nodeName } })

interface World {
  readonly nodes: readonly Node[]
  readonly placed?: readonly Pod[]
  readonly objects?: Readonly<Record<string, readonly KubeObject[]>>
}

function worldOf({ nodes, placed = [], objects = {} }: World) {
  const table = new NodeTable()
  for (const n of nodes) table.setNode(n)
  for (const p of placed) table.addPod(podInfo(p), p.spec.nodeName ?? '')
  const listers = listersOver((resource) => objects[resource] ?? [])
  const [plugins] = profilesOf({}, { random: seededRandom(1) })
  assert.ok(plugins)
  return { table, listers, plugins }
}

function report(world: World, of: Pod): Promise<SchedulingReport> {
  return reportOn({ ...worldOf(world), pod: of, ahead: () => [], attempt: undefined, gate: undefined })
}

for (const [schedulerName, summary] of [
  [
    'mine',
    'no scheduler "mine" has been seen in this cluster: start one, or create the pod without spec.schedulerName; it would fit on 1 of 1 nodes',
  ],
  ['default-scheduler', 'no scheduler "default-scheduler" has been seen in this cluster: start one; it would fit on 1 of 1 nodes'],
] as const)
  test(`a pod for ${schedulerName}, of which there is no trace`, async () => {
    const init = { ahead: () => [], attempt: undefined, gate: undefined, isSchedulerUnseen: true }
    const found = await reportOn({ ...worldOf({ nodes: [node('a')] }), ...init, pod: pod('new', { schedulerName }) })
    assert.equal(found.summary, summary)
  })

const X = { matchLabels: { app: 'x' } }

const changes: readonly (readonly [rule: string, world: World, pod: Pod, smallest: string])[] = [
  [
    'frees what is short, where it is least',
    { nodes: [node('a'), node('b')], placed: [on('a', pod('p', { cpu: '3' })), on('b', pod('q', { cpu: '2500m' }))] },
    pod('new', { cpu: '2' }),
    'free 500m of cpu on node b',
  ],
  ['names a resource that no node has enough of', { nodes: [node('a')] }, pod('new', { cpu: '6' }), 'enlarge node a: it lacks 2 of cpu'],
  [
    'counts pods as well',
    { nodes: [node('a', { allocatable: { pods: '1' } })], placed: [on('a', pod('p'))] },
    pod('new'),
    'free room for one more pod on node a',
  ],
  ['uncordons', { nodes: [node('a', { spec: { unschedulable: true } })] }, pod('new'), 'uncordon node a'],
  [
    'uncordons, and with it goes the taint that says the same',
    { nodes: [node('a', { spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] } })] },
    pod('new'),
    'uncordon node a',
  ],
  [
    'removes the one taint, and passes over a node with two',
    {
      nodes: [
        node('a', {
          spec: {
            taints: [
              { key: 'k', value: 'v', effect: 'NoSchedule' },
              { key: 'l', effect: 'NoExecute' },
            ],
          },
        }),
        node('b', { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } }),
      ],
    },
    pod('new'),
    'remove taint k=v:NoSchedule from node b, or let the pod tolerate it',
  ],
  [
    'labels the node that lacks fewest',
    { nodes: [node('a'), node('b', { labels: { disk: 'ssd' } })] },
    pod('new', { nodeSelector: { disk: 'ssd', zone: 'z' } }),
    'label node b zone=z',
  ],
  [
    'labels for an alternative of the affinity',
    { nodes: [node('a')] },
    pod('new', {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'gpu', operator: 'Exists' },
                  { key: 'old', operator: 'DoesNotExist' },
                ],
              },
            ],
          },
        },
      },
    }),
    'label node a gpu=',
  ],
  [
    'removes the pod that has the port',
    {
      nodes: [node('a')],
      placed: [
        on('a', pod('p')),
        on('a', { ...pod('q'), spec: { containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 80 }] }] } }),
      ],
    },
    { ...pod('new'), spec: { containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 80 }] }] } },
    'remove pod d/q from node a',
  ],
  [
    'removes a pod of another node that shares the zone',
    { nodes: [node('a', { labels: { zone: 'z' } })], placed: [on('a', pod('foe', {}, { app: 'x' }))] },
    pod('new', {
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: X }] } },
    }),
    'remove pod d/foe from node a',
  ],
  [
    'runs the pod that it wants to be near',
    { nodes: [node('a')] },
    pod('new', {
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname', labelSelector: X }] },
      },
    }),
    'run a pod with app=x in namespace d on node a',
  ],
  [
    'rather uncordons a node than labels another one',
    { nodes: [node('a'), node('b', { labels: { zone: 'z' }, spec: { unschedulable: true } })] },
    pod(
      'new',
      { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: X }] },
      { app: 'x' },
    ),
    'uncordon node b',
  ],
  [
    'adds a device like those that are taken',
    {
      nodes: [node('a')],
      objects: {
        deviceclasses: [{ apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} }],
        resourceslices: [
          {
            apiVersion: 'resource.k8s.io/v1',
            kind: 'ResourceSlice',
            metadata: { name: 's' },
            spec: { driver: 'gpu.io', pool: { name: 'a', generation: 1, resourceSliceCount: 1 }, nodeName: 'a', devices: [{ name: 'g0' }] },
          },
        ],
        resourceclaims: [
          {
            apiVersion: 'resource.k8s.io/v1',
            kind: 'ResourceClaim',
            metadata: { name: 'taken', namespace: 'd', uid: 'taken' },
            spec: {},
            status: { allocation: { devices: { results: [{ request: 'r', driver: 'gpu.io', pool: 'a', device: 'g0' }] } } },
          },
          {
            apiVersion: 'resource.k8s.io/v1',
            kind: 'ResourceClaim',
            metadata: { name: 'mine', namespace: 'd', uid: 'mine' },
            spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } }] } },
          },
        ],
      },
    },
    pod('new', { resourceClaims: [{ name: 'c', resourceClaimName: 'mine' }] }),
    'one more device of class gpu on node a, such as g0 of gpu.io',
  ],
]

for (const [rule, world, of, smallest] of changes) {
  test(`the smallest change ${rule}`, async () => {
    const { changes: found, summary } = await report(world, of)
    assert.equal(found?.[0]?.message, smallest, summary)
  })
}

test('with two obstacles no single change is suggested, and both are reported', async () => {
  const {
    changes: found,
    now,
    summary,
  } = await report(
    { nodes: [node('a', { spec: { unschedulable: true } })], placed: [on('a', pod('p', { cpu: '4' }))] },
    pod('new', { cpu: '1', nodeSelector: { disk: 'ssd' } }),
  )
  assert.deepEqual(found, [])
  assert.deepEqual(
    now?.list[0]?.verdicts?.map((v) => v.plugin),
    ['NodeUnschedulable', 'NodeAffinity', 'NodeResourcesFit'],
  )
  assert.match(summary, /no single change would do, these 3 together would/)
})

const taint = (key: string) => ({ key, effect: 'NoSchedule' as const })
const SETS: readonly (readonly [rule: string, world: World, pod: Pod, together: readonly string[]])[] = [
  [
    'three obstacles of one node',
    { nodes: [node('a', { spec: { unschedulable: true } })], placed: [on('a', pod('p', { cpu: '4' }))] },
    pod('new', { cpu: '1', nodeSelector: { disk: 'ssd' } }),
    ['free 1 of cpu on node a', 'uncordon node a', 'label node a disk=ssd'],
  ],
  [
    'two taints of one node',
    { nodes: [node('a', { spec: { taints: [taint('x'), taint('y')] } })] },
    pod('new'),
    [
      'remove taint x:NoSchedule from node a, or let the pod tolerate it',
      'remove taint y:NoSchedule from node a, or let the pod tolerate it',
    ],
  ],
  [
    'the node that needs the fewest',
    {
      nodes: [
        node('a', { spec: { taints: [taint('x'), taint('y'), taint('z')] } }),
        node('b', { spec: { taints: [taint('x')] }, allocatable: { cpu: '1' } }),
      ],
    },
    pod('new', { cpu: '2' }),
    ['remove taint x:NoSchedule from node b, or let the pod tolerate it', 'enlarge node b: it lacks 1 of cpu'],
  ],
  [
    'none where a change does not help',
    { nodes: [node('a', { spec: { taints: [taint('x')] } })] },
    pod('new', {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
          },
        },
      },
    }),
    [],
  ],
]
for (const [rule, world, of, together] of SETS)
  test(`changes that help together: ${rule}`, async () => {
    const found = await report(world, of)
    assert.deepEqual(found.changes, [])
    assert.deepEqual(found.together?.map(({ message }) => message) ?? [], together)
  })

test('a gated pod reports its gate, and how many nodes would take it', async () => {
  const { summary, changes: found } = await report({ nodes: [node('a')] }, pod('new', { schedulingGates: [{ name: 'g' }] }))
  assert.match(summary, /kept out of the queue.*1 of 1 nodes would take it/)
  assert.equal(found?.[0]?.kind, 'LiftGates')
})

test('a placed pod is shown with the scores of its node and of the others, itself not counted', async () => {
  const placed = [on('a', pod('mine', { cpu: '1' })), on('b', pod('other', { cpu: '3' }))]
  const { now, changes: found } = await report({ nodes: [node('a'), node('b')], placed }, placed[0] ?? pod('mine'))
  assert.equal(found, undefined)
  assert.equal(now?.chosen, 'a')
  const [first, second] = now?.list ?? []
  assert.deepEqual([first?.name, second?.name], ['a', 'b'])
  const fit = (n: typeof first) => n?.scores?.find((s) => s.plugin === 'NodeResourcesFit')?.score ?? 0
  assert.ok(fit(first) > fit(second))
  assert.equal(
    first?.total,
    first?.scores?.reduce((sum, s) => sum + s.score, 0),
  )
})

test('a report lists a hundred nodes and counts all', async () => {
  const nodes = Array.from({ length: 250 }, (_, i) => node(`n${i}`, i < 10 ? {} : { spec: { unschedulable: true } }))
  const { now } = await report({ nodes }, pod('new'))
  assert.deepEqual([now?.nodes, now?.fitting, now?.list.length, now?.unlisted], [250, 10, 100, 150])
  assert.equal(now?.verdicts[0]?.nodes, 240)
  assert.ok(now?.list.slice(0, 10).every((n) => n.fits))
})

/** Whole clusters of little things. */
const nodes = fc.array(
  fc.record({ cpu: fc.constantFrom('1', '2', '4'), zone: fc.constantFrom('a', 'b'), cordoned: fc.boolean(), tainted: fc.boolean() }),
  { minLength: 1, maxLength: 5 },
)
const pods = fc.array(fc.record({ on: fc.nat(4), cpu: fc.constantFrom('500m', '1', '2'), app: fc.constantFrom('x', 'y') }), {
  maxLength: 8,
})
const wish = fc.record({
  cpu: fc.constantFrom('500m', '1', '3', '8'),
  zone: fc.constantFrom(undefined, 'a', 'c'),
  rule: fc.constantFrom('none', 'near', 'away', 'spread'),
})

test('each suggested change lets the pod in, the obstacles are those of the filters, and the copy is unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(nodes, pods, wish, async (some, others, { cpu, zone, rule }) => {
      const made = some.map((n, i) =>
        node(`n${i}`, {
          labels: { zone: n.zone },
          allocatable: { cpu: n.cpu },
          spec: { unschedulable: n.cordoned, ...(n.tainted ? { taints: [{ key: 'k', effect: 'NoSchedule' }] } : {}) },
        }),
      )
      const placed = others.filter((p) => p.on < made.length).map((p, i) => on(`n${p.on}`, pod(`p${i}`, { cpu: p.cpu }, { app: p.app })))
      const terms = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: X }] }
      const of = pod(
        'new',
        {
          cpu,
          ...(zone === undefined ? {} : { nodeSelector: { zone } }),
          ...(rule === 'near' ? { affinity: { podAffinity: terms } } : rule === 'away' ? { affinity: { podAntiAffinity: terms } } : {}),
          ...(rule === 'spread'
            ? { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: X }] }
            : {}),
        },
        { app: 'z' },
      )
      const { table, listers, plugins } = worldOf({ nodes: made, placed })
      const info = podInfo(of)
      const scratch = new Scratch({ pod: info, plugins, table, listers, ahead: () => [] })
      const all = () => scratch.rows().map((row) => [row, scratch.obstacles(row)] as const)
      const before = all()
      const options = { random: { int: () => 0 }, hasNominations: () => false, nominatedOn: () => [], keepScores: false }
      const fits = () => decideNow(new Profile(plugins, scratch.context), info, options).kind === 'placed'
      assert.equal(
        before.some(([, found]) => found.length === 0),
        fits(),
      )
      if (fits()) return
      for (const change of await smallestChanges(scratch, new Map(before))) {
        const undo = change.make(scratch)
        assert.ok(fits(), change.message)
        undo()
      }
      const set = await smallestSet(scratch, new Map(before))
      const row = table.rowOf(set[0]?.fitsOn ?? set[0]?.node ?? '')
      for (const missing of row === undefined ? [] : [undefined, ...set]) {
        const undo = set.filter((change) => change !== missing).map((change) => change.make(scratch))
        assert.equal(scratch.obstacles(row ?? 0).length === 0, missing === undefined, missing?.message ?? 'all')
        for (const back of undo.reverse()) back()
      }
      assert.deepEqual(all(), before)
    }),
    { numRuns: 300 },
  )
})
