import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Pod } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import type { PodMetrics } from './metrics-source.ts'
import { replicasByAverage, replicasByShare, replicasByUtilization, replicasByValue, type Scene } from './replica-count.ts'

const NOW = Date.parse('2026-01-01T12:00:00Z')
const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString()

interface PodFacts {
  readonly phase?: string
  readonly ready?: boolean
  readonly startedAgo?: number
  readonly turnedAgo?: number
  readonly ending?: boolean
  readonly request?: string
}

const pod = (name: string, facts: PodFacts = {}): Pod =>
  sketch({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...(facts.ending && { deletionTimestamp: at(1) }) },
    spec: { containers: [{ name: 'm', resources: { requests: { cpu: facts.request ?? '100m' } } }] },
    status: {
      phase: facts.phase ?? 'Running',
      startTime: at(facts.startedAgo ?? 3600),
      conditions: [{ type: 'Ready', status: facts.ready === false ? 'False' : 'True', lastTransitionTime: at(facts.turnedAgo ?? 3500) }],
    },
  })

const metricsOf = (values: Readonly<Record<string, number>>): PodMetrics =>
  new Map(Object.entries(values).map(([name, milli]) => [name, { milli, atMs: NOW, windowMs: 30_000 }]))

const scene = (pods: readonly Pod[], replicas = pods.length): Scene => ({
  pods,
  replicas,
  tolerance: { up: 0.1, down: 0.1 },
  nowMs: NOW,
})

test('utilization as a share of requests gives a replica count', () => {
  const unready: PodFacts = { ready: false, startedAgo: 60, turnedAgo: 60 }
  const tables: readonly (readonly [string, readonly PodFacts[], readonly (number | undefined)[], number, number])[] = [
    ['above', [{}, {}], [200, 200], 50, 8],
    ['below', [{}, {}, {}, {}], [10, 10, 10, 10], 50, 1],
    ['within tolerance', [{}, {}], [52, 52], 50, 2],
    ['without a figure a pod counts as one at its request, when others ask for less', [{}, {}, {}], [10, undefined, undefined], 50, 3],
    ['without a figure a pod counts as idle, when others ask for more', [{}, {}], [200, undefined], 50, 4],
    ['a pod that starts counts as idle', [{}, unready], [200, 500], 50, 4],
    ['a pod that starts does not keep others from going', [{}, {}, unready], [10, 10, 500], 50, 1],
    ['a pod that waits counts as idle', [{}, { phase: 'Pending' }], [200, undefined], 50, 4],
    ['a pod that ends does not count', [{}, { ending: true }], [100, 900], 50, 2],
    ['a pod that failed does not count', [{}, { phase: 'Failed' }], [100, 900], 50, 2],
    ['a change of direction is none', [{}, {}, {}, {}], [70, undefined, undefined, undefined], 50, 4],
  ]
  for (const [why, facts, values, percent, expected] of tables) {
    const pods = facts.map((f, i) => pod(`p${i}`, f))
    const metrics = metricsOf(Object.fromEntries(values.flatMap((v, i) => (v === undefined ? [] : [[`p${i}`, v]]))))
    assert.equal(replicasByUtilization(scene(pods), metrics, { resource: 'cpu', percent }).replicas, expected, why)
  }
})

test('a metric that cannot be computed gives its reason', () => {
  const wanted = { resource: 'cpu', percent: 50 }
  const fails = (message: string, work: () => unknown) => assert.throws(work, { message })
  fails('no pods returned by selector while calculating replica count', () => replicasByUtilization(scene([]), metricsOf({}), wanted))
  fails('did not receive metrics for targeted pods (pods might be unready)', () =>
    replicasByUtilization(scene([pod('a', { phase: 'Pending' })]), metricsOf({}), wanted),
  )
  fails('missing request for memory in container m of Pod a', () =>
    replicasByUtilization(scene([pod('a')]), metricsOf({ a: 1 }), { resource: 'memory', percent: 50 }),
  )
  fails('container x not found in Pod a', () =>
    replicasByUtilization(scene([pod('a')]), metricsOf({ a: 1 }), { ...wanted, container: 'x' }),
  )
  fails('no metrics returned matched known pods', () => replicasByUtilization(scene([pod('a')]), metricsOf({ b: 1 }), wanted))
})

test('averages, values and shares', () => {
  const two = scene([pod('a'), pod('b')])
  assert.deepEqual(replicasByAverage(two, metricsOf({ a: 3000, b: 5000 }), 1000), { replicas: 8, averageMilli: 4000 })
  assert.equal(replicasByValue(two, 30_000, 10_000), 6)
  assert.equal(replicasByValue(two, 10_500, 10_000), 2)
  assert.equal(replicasByValue(scene([], 0), 25_000, 10_000), 3)
  assert.equal(replicasByValue(two, Number.MAX_SAFE_INTEGER, 1), 2 ** 31 - 1)
  const shared = { tolerance: two.tolerance, statusReplicas: 2 }
  assert.deepEqual(replicasByShare(shared, 50_000, 10_000), { replicas: 5, averageMilli: 25_000 })
  assert.deepEqual(replicasByShare(shared, 21_000, 10_000), { replicas: 2, averageMilli: 10_500 })
})

test('pods without figures never turn a rise into a fall or the reverse', () => {
  const facts = fc.record({ value: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }), ready: fc.boolean() })
  fc.assert(
    fc.property(fc.array(facts, { minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 200 }), (all, percent) => {
      const pods = all.map((f, i) => pod(`p${i}`, f.ready ? {} : { ready: false, startedAgo: 60, turnedAgo: 60 }))
      const known = all.map((f, i) => ({ ...f, name: `p${i}` })).filter((f) => f.ready && f.value !== undefined)
      if (known.length === 0) return
      const metrics = metricsOf(Object.fromEntries(all.flatMap((f, i) => (f.value === undefined ? [] : [[`p${i}`, f.value]]))))
      const { replicas, percent: seen } = replicasByUtilization(scene(pods), metrics, { resource: 'cpu', percent })
      if (seen > percent) assert.ok(replicas >= pods.length || known.length < pods.length)
      if (seen < percent) assert.ok(replicas <= pods.length)
    }),
  )
})
