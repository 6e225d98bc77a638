import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Node, Service } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { isOverloaded, planZoneHints, wantsZoneHints, type ZonedEndpoint, zoneShares } from './zone-hints.ts'

const node = (zone: string | undefined, cpu: string, more: { ready?: string; labels?: Record<string, string> } = {}): Node =>
  sketch({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels: { ...(zone !== undefined && { 'topology.kubernetes.io/zone': zone }), ...more.labels } },
    status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: more.ready ?? 'True' }] },
  })
const service = (annotations: Record<string, string>): Service => sketch({ apiVersion: 'v1', kind: 'Service', metadata: { annotations } })
const at = (...zones: (string | undefined)[]): ZonedEndpoint[] => zones.map((zone, i) => ({ id: String(i).padStart(3, '0'), zone }))
const counts = (endpoints: readonly ZonedEndpoint[], shares: Record<string, number>) => {
  const plan = planZoneHints(endpoints, new Map(Object.entries(shares)))
  if (plan.kind === 'none') return plan.why
  return Object.keys(shares).map((zone) => [...plan.zones.values()].filter((z) => z === zone).length)
}

test('the annotation, by either name', () => {
  const mode = 'service.kubernetes.io/topology-mode'
  const older = 'service.kubernetes.io/topology-aware-hints'
  for (const [annotations, wants] of [
    [{}, false],
    [{ [mode]: 'Auto' }, true],
    [{ [mode]: 'auto' }, true],
    [{ [mode]: 'Disabled' }, false],
    [{ [older]: 'Auto' }, true],
    [{ [mode]: 'Auto', [older]: 'disabled' }, false],
  ] as const)
    assert.equal(wantsZoneHints(service(annotations)), wants)
})

test('zones get endpoints by the CPUs of their ready nodes; without enough data there are no hints', () => {
  const shares = (...nodes: Node[]) => zoneShares(nodes) && Object.fromEntries(zoneShares(nodes) ?? [])
  assert.deepEqual(shares(node('a', '1'), node('b', '1500m'), node('b', '1500m')), { a: 0.25, b: 0.75 })
  assert.equal(shares(node('a', '1'), node('a', '1')), undefined)
  assert.equal(shares(node('a', '1'), node('b', '1'), node(undefined, '1')), undefined)
  assert.equal(shares(node('a', '1'), node('b', '0')), undefined)
  const skipped = [
    node(undefined, '1', { ready: 'False' }),
    node(undefined, '1', { labels: { 'node-role.kubernetes.io/control-plane': '' } }),
  ]
  assert.deepEqual(shares(node('a', '1'), node('b', '1'), ...skipped), { a: 0.5, b: 0.5 })
})

test('each zone gets endpoints by its share', () => {
  const half = { a: 0.5, b: 0.5 }
  assert.deepEqual(counts(at('a', 'b'), half), [1, 1])
  assert.deepEqual(counts(at('a', 'a', 'a', 'a'), half), [2, 2])
  assert.deepEqual(
    counts(at('a', 'a', 'b'), half),
    'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones)',
  )
  assert.deepEqual(counts(at('a'), half), 'Insufficient number of endpoints (1 endpoints, 2 zones)')
  assert.deepEqual(counts(at('a', undefined), half), 'One or more endpoints do not have a zone specified')
  assert.match(String(planZoneHints(at('a'), undefined).kind), /none/)
})

for (const [name, counts, shares, overloaded] of [
  ['without hints', {}, undefined, false],
  ['the shares are unknown', { a: 2 }, undefined, true],
  ['a zone is new', { a: 2 }, { a: 0.5, b: 0.5 }, true],
  ['a zone has too few', { a: 5, b: 1 }, { a: 0.5, b: 0.5 }, true],
  ['each has its least', { a: 4, b: 3 }, { a: 0.6, b: 0.4 }, false],
] as const)
  test(`whether a zone has too much work: ${name}`, () => {
    const known = shares === undefined ? undefined : new Map(Object.entries<number>(shares))
    assert.equal(isOverloaded(new Map(Object.entries<number>(counts)), known), overloaded)
  })

test('no zone gets less than its least, and every endpoint is meant for some zone', () => {
  const share = fc.integer({ min: 1, max: 9 })
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 60 }),
      fc.tuple(share, share, share),
      (zones, [a, b, c]) => {
        const total = a + b + c
        const shares = new Map([
          ['a', a / total],
          ['b', b / total],
          ['c', c / total],
        ])
        const plan = planZoneHints(at(...zones), shares)
        if (plan.kind === 'none') return
        assert.equal(plan.zones.size, zones.length)
        const served = [...plan.zones.values()]
        for (const [zone, part] of shares) {
          const got = served.filter((z) => z === zone).length
          assert.ok(got >= Math.floor((part * zones.length) / 1.2) - 1, `${zone}: ${got} of ${zones.length} at ${part}`)
        }
      },
    ),
  )
})
