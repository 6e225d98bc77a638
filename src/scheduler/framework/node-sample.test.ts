import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../../base/random.ts'
import { NodeTable } from '../cache/node-table.ts'
import { podInfo } from '../cache/pod-info.ts'
import { profilesOf, type SchedulerConfiguration } from '../config/configuration.ts'
import { decideNow } from './decide-now.ts'
import { NO_OBJECTS } from './listers.double.ts'
import { NodeSample, nodesToFind } from './node-sample.ts'
import { Profile } from './profile.ts'

const sizes: readonly (readonly [percentage: number, nodes: number, found: number])[] = [
  [0, 5000, 5000],
  [100, 5000, 5000],
  [30, 5000, 1500],
  [1, 5000, 100],
  [30, 99, 99],
  [50, 150, 100],
]

for (const [percentage, nodes, found] of sizes)
  test(`${percentage} per cent of ${nodes} nodes: ${found} fitting ones end the search`, () =>
    assert.equal(nodesToFind(percentage, nodes), found))

const info = podInfo({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'd', uid: 'p' }, spec: { containers: [] } })

function cluster(config: SchedulerConfiguration, cordoned: (i: number) => boolean = () => false) {
  const table = new NodeTable()
  for (let i = 0; i < 400; i++) {
    table.setNode({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `n${i}`, labels: { 'topology.kubernetes.io/zone': i < 300 ? 'a' : 'b' } },
      spec: { unschedulable: cordoned(i) },
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
    })
  }
  const sample = new NodeSample()
  const options = { random: seededRandom(1), hasNominations: () => false, nominatedOn: () => [], keepScores: false, sample }
  const listers = NO_OBJECTS
  const profiles = profilesOf(config, { random: seededRandom(1) }).map((plugins) => new Profile(plugins, { table, listers }))
  const place = (profile = profiles[0]) => {
    assert.ok(profile)
    const decision = decideNow(profile, info, options)
    assert.equal(decision.kind, 'placed')
    const seen = [...decision.explain.column].flatMap((verdict, row) => (verdict === 0 ? [table.names[row] ?? ''] : []))
    assert.ok(seen.includes(decision.kind === 'placed' ? decision.node : ''))
    return seen
  }
  return { place, profiles }
}

test('by default all nodes are looked at', () => {
  assert.equal(cluster({}).place().length, 400)
})

test('a search goes on from where the one before ended, a node of each zone in turn, until all had their turn', () => {
  const { place } = cluster({ percentageOfNodesToScore: 25 })
  const [first, second, third, fourth, fifth] = [place(), place(), place(), place(), place()]
  assert.deepEqual(
    [first, second].map((names) => names.filter((n) => Number(n.slice(1)) >= 300).length),
    [50, 50],
  )
  assert.equal(new Set([...first, ...second, ...third, ...fourth]).size, 400)
  assert.deepEqual(fifth, first)
})

test('nodes that do not fit are passed over, and count for where the next search begins', () => {
  const { place } = cluster({ percentageOfNodesToScore: 25 }, (i) => i % 2 === 0)
  const [first, second] = [place(), place()]
  assert.equal(new Set([...first, ...second]).size, 200)
})

test("a profile's own percentage goes before that of all, 0 among them", () => {
  const { place, profiles } = cluster({
    percentageOfNodesToScore: 25,
    profiles: [
      { schedulerName: 'a' },
      { schedulerName: 'b', percentageOfNodesToScore: 50 },
      { schedulerName: 'c', percentageOfNodesToScore: 0 },
    ],
  })
  assert.deepEqual(
    profiles.map((profile) => place(profile).length),
    [100, 200, 400],
  )
})
