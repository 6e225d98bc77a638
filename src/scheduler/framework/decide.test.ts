import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Random, seededRandom } from '../../base/random.ts'
import type { Node, Pod } from '../../resources/types/core.ts'
import { NodeTable } from '../cache/node-table.ts'
import { type PodInfo, podInfo } from '../cache/pod-info.ts'
import { profilesOf } from '../config/configuration.ts'
import { decideNow } from './decide-now.ts'
import { NO_OBJECTS } from './listers.double.ts'
import { Profile } from './profile.ts'

const listers = NO_OBJECTS

function profileOver(table: NodeTable): Profile {
  const [plugins] = profilesOf({}, { random: seededRandom(1) })
  assert.ok(plugins)
  return new Profile(plugins, { table, listers })
}

const options = { random: { int: () => 0 }, hasNominations: () => false, nominatedOn: () => [], keepScores: true }

const pick = <T>(random: Random, ...from: T[]): T => from[random.int(from.length)] as T

function randomNode(random: Random, name: string): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { zone: pick(random, 'a', 'b'), 'kubernetes.io/hostname': name } },
    spec: {
      unschedulable: random.int(8) === 0,
      taints: random.int(4) === 0 ? [{ key: 'k', value: 'v', effect: pick(random, 'NoSchedule', 'PreferNoSchedule') }] : [],
    },
    status: {
      allocatable: {
        cpu: pick(random, '2', '4'),
        memory: pick(random, '4Gi', '8Gi'),
        pods: pick(random, '3', '9'),
        ...(random.int(2) ? { 'a.b/c': '2' } : {}),
      },
      ...(random.int(3) === 0 ? { images: [{ names: ['app:latest'], sizeBytes: 500_000_000 }] } : {}),
    },
  }
}

function randomPod(random: Random, i: number): PodInfo {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${i}`, namespace: 'default', uid: `u${i}`, labels: { app: pick(random, 'x', 'y') } },
    spec: {
      priority: random.int(3),
      containers: [
        {
          name: 'c',
          image: 'app',
          resources: { requests: { cpu: pick(random, '100m', '1'), ...(random.int(3) ? {} : { 'a.b/c': '1' }) } },
        },
      ],
      ...(random.int(3) === 0 ? { nodeSelector: { zone: 'a' } } : {}),
      ...(random.int(3) === 0 ? { tolerations: [{ key: 'k', operator: 'Exists' }] } : {}),
      ...(random.int(5) === 0
        ? {
            affinity: {
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: { matchLabels: { app: 'y' } } }],
              },
            },
          }
        : {}),
      ...(random.int(5) === 0
        ? {
            topologySpreadConstraints: [
              {
                maxSkew: 2,
                topologyKey: 'zone',
                whenUnsatisfiable: pick(random, 'DoNotSchedule', 'ScheduleAnyway'),
                labelSelector: { matchLabels: { app: 'x' } },
              },
            ],
          }
        : {}),
    },
  }
  return podInfo(pod)
}

/** What a decision says, without what chance decides. */
function facts(profile: Profile, pod: PodInfo) {
  const decision = decideNow(profile, pod, options)
  const scores = Object.fromEntries([...decision.explain.scores].sort(([a], [b]) => (a < b ? -1 : 1)))
  if (decision.kind === 'placed') return { feasible: decision.feasible, ties: decision.ties, scores }
  const victims = decision.nominated?.victims.map((v) => v.key).sort()
  return { message: decision.message, nominated: decision.nominated === undefined ? undefined : victims?.length, scores }
}

test('what is kept by shape never differs from a decision made from scratch, whatever happened in between', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seededRandom(seed)
    const table = new NodeTable()
    const profile = profileOver(table)
    const nodes = new Map<string, Node>()
    const placed = new Map<PodInfo, string>()
    for (let step = 0; step < 150; step++) {
      const what = random.int(10)
      const name = `n${random.int(80)}`
      if (what < 3) {
        const node = randomNode(random, name)
        nodes.set(name, node)
        table.setNode(node)
      } else if (what === 3) {
        nodes.delete(name)
        table.removeNode(name)
      } else if (what === 4) {
        const [gone] = [...placed.keys()].slice(random.int(placed.size + 1))
        if (gone !== undefined) {
          table.removePod(gone, placed.get(gone) ?? '')
          placed.delete(gone)
        }
      } else {
        const pod = randomPod(random, step)
        const fresh = new NodeTable()
        for (const node of nodes.values()) fresh.setNode(node)
        for (const [other, on] of placed) fresh.addPod(other, on)
        assert.deepEqual(facts(profile, pod), facts(profileOver(fresh), pod), `seed ${seed}, step ${step}`)
        const decision = decideNow(profile, pod, options)
        if (decision.kind === 'placed') {
          table.addPod(pod, decision.node)
          placed.set(pod, decision.node)
        }
      }
    }
  }
})

test('ties are drawn evenly', () => {
  const table = new NodeTable()
  for (let i = 0; i < 130; i++) {
    table.setNode({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `n${i}` },
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
    })
  }
  const profile = profileOver(table)
  const random = seededRandom(7)
  const hits = new Map<string, number>()
  const pod = randomPod(seededRandom(3), 1)
  const plain = podInfo({ ...pod.pod, spec: { containers: pod.pod.spec.containers.map((c) => ({ ...c, resources: {} })) } })
  for (let i = 0; i < 13_000; i++) {
    const decision = decideNow(profile, plain, { ...options, random, keepScores: false })
    assert.ok(decision.kind === 'placed' && decision.ties === 130)
    hits.set(decision.node, (hits.get(decision.node) ?? 0) + 1)
  }
  assert.equal(hits.size, 130)
  assert.ok(Math.max(...hits.values()) < 160 && Math.min(...hits.values()) > 50)
})

test('a less important pod that keeps others away is a victim: it is not put back for having been away when the filters were made ready', () => {
  const table = new NodeTable()
  const labels = { 'kubernetes.io/hostname': 'n' }
  table.setNode({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels }, status: { allocatable: { cpu: '4', pods: '9' } } })
  const apart = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } }]
  const foe = podInfo({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'foe', namespace: 'default', uid: 'foe' },
    spec: { containers: [], affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart } } },
  })
  table.addPod(foe, 'n')
  const metadata = { name: 'new', namespace: 'default', uid: 'new', labels: { app: 'x' } }
  const decision = decideNow(
    profileOver(table),
    podInfo({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { priority: 5, containers: [] } }),
    options,
  )
  assert.equal(decision.kind, 'unschedulable')
  assert.deepEqual(decision.kind === 'unschedulable' && decision.nominated, { node: 'n', victims: [foe] })
})

test('the scores of an attempt are those of its moment, even when read later', () => {
  const random = seededRandom(4)
  const table = new NodeTable()
  const profile = profileOver(table)
  for (const name of ['a', 'b', 'c']) table.setNode({ ...randomNode(random, name), spec: {} })
  const pod = randomPod(random, 1)
  const requested = decideNow(profile, pod, options).explain.scores
  const later = decideNow(profile, pod, options).explain
  for (let i = 2; i < 20; i++) {
    const other = randomPod(random, i)
    const decision = decideNow(profile, other, options)
    if (decision.kind === 'placed') table.addPod(other, decision.node)
  }
  for (const name of ['a', 'b']) table.removeNode(name)
  table.setNode(randomNode(random, 'd'))
  decideNow(profile, randomPod(random, 30), options)
  assert.ok(requested.size > 1)
  assert.deepEqual(later.scores, requested)
})
