import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EndpointSubset, Endpoints } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import { planEndpoints, planSlice } from './plan-endpoints.ts'

const MARKED = { 'endpointslice.kubernetes.io/skip-mirror': 'true' }
const endpoints = (subsets: Endpoints['subsets'], labels: Record<string, string> = MARKED): Endpoints => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { name: 'kubernetes', namespace: 'default', labels },
  ...(subsets && { subsets }),
})
const subset = (ips: string[], port = 6443, name = 'https'): EndpointSubset => ({
  addresses: ips.map((ip) => ({ ip })),
  ports: [{ name, port, protocol: 'TCP' }],
})
const A = { addresses: ['192.0.2.7'], port: 6443 }
const keep = { resetPorts: false }

for (const [name, present, at, resetPorts, expected] of [
  ['are made where there are none', undefined, A, false, [subset(['192.0.2.7'])]],
  ['are left alone when they are right', endpoints([subset(['192.0.2.7'])]), A, false, 'right'],
  [
    'are right in any order',
    endpoints([subset(['192.0.2.8', '192.0.2.7'])]),
    { ...A, addresses: ['192.0.2.7', '192.0.2.8'] },
    false,
    'right',
  ],
  ['lose strangers', endpoints([subset(['1.2.3.4', '192.0.2.7'])]), A, false, [subset(['192.0.2.7'])]],
  ['keep the ports that somebody gave them', endpoints([subset(['1.2.3.4'], 1, 'x')]), A, false, [subset(['192.0.2.7'], 1, 'x')]],
  ['with those ports they are right', endpoints([subset(['192.0.2.7'], 1, 'x')]), A, false, 'right'],
  ['get the ports back when a server leaves', endpoints([subset(['192.0.2.7'], 1, 'x')]), A, true, [subset(['192.0.2.7'])]],
  ['of another form are made anew', endpoints([subset(['192.0.2.7']), subset(['192.0.2.7'], 1, 'x')]), A, false, [subset(['192.0.2.7'])]],
  ['are empty when nobody serves', endpoints([subset(['192.0.2.7'])]), { addresses: [], port: 6443 }, true, []],
  ['stay empty', endpoints(undefined), { addresses: [], port: 6443 }, true, 'right'],
  ['are marked as no matter of mirroring', endpoints([subset(['192.0.2.7'])], { a: 'b' }), A, false, [subset(['192.0.2.7'])]],
] as const) {
  test(`endpoints ${name}`, () => {
    const plan = planEndpoints(present, at, { resetPorts })
    assert.deepEqual(plan === undefined ? 'right' : plan.subsets, expected)
    if (plan !== undefined) assert.equal(plan.metadata.labels?.['endpointslice.kubernetes.io/skip-mirror'], 'true')
  })
}

test("what other people put into the endpoints' metadata stays", () => {
  const before = endpoints([subset(['1.2.3.4'])], { a: 'b' })
  const plan = planEndpoints({ ...before, metadata: { ...before.metadata, annotations: { q: 'r' }, resourceVersion: '7' } }, A, keep)
  assert.deepEqual([plan?.metadata.labels?.a, plan?.metadata.annotations, plan?.metadata.resourceVersion], ['b', { q: 'r' }, '7'])
})

test('the slice mirrors the endpoints, and is written only if it differs', () => {
  const plan = planSlice(undefined, endpoints([subset(['192.0.2.7', '192.0.2.8'])]))
  const slice: EndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: ['192.0.2.7', '192.0.2.8'].map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
  }
  assert.deepEqual(plan, { kind: 'create', slice })
  assert.equal(planSlice(slice, endpoints([subset(['192.0.2.7', '192.0.2.8'])])).kind, 'right')
  assert.equal(planSlice(slice, endpoints([subset(['192.0.2.7'])])).kind, 'update')
  assert.equal(planSlice(slice, endpoints([subset(['fd00::7'])])).kind, 'replace')
  const labels = { 'kubernetes.io/service-name': 'kubernetes', a: 'b' }
  assert.equal(
    planSlice({ ...slice, metadata: { ...slice.metadata, labels } }, endpoints([subset(['192.0.2.7', '192.0.2.8'])])).kind,
    'update',
  )
})

test('whatever stood there: after what is planned is written, nothing more is', () => {
  const ip = fc.constantFrom('192.0.2.7', '192.0.2.8', '1.2.3.4')
  const subsets = fc.array(
    fc.record(
      { addresses: fc.array(fc.record({ ip })), ports: fc.array(fc.record({ name: fc.string(), port: fc.nat(9) })) },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  )
  const at = fc.record({ addresses: fc.uniqueArray(ip).map((ips) => ips.sort()), port: fc.constant(6443) })
  fc.assert(
    fc.property(fc.option(subsets, { nil: undefined }), at, fc.boolean(), fc.boolean(), (before, where, resetPorts, absent) => {
      const written = planEndpoints(absent ? undefined : endpoints(before), where, { resetPorts }) ?? endpoints(before)
      assert.deepEqual((written.subsets ?? []).flatMap((s) => (s.addresses ?? []).map((a) => a.ip)).sort(), where.addresses)
      assert.equal(planEndpoints(written, where, { resetPorts }), undefined)
      const slice = planSlice(undefined, written)
      if (slice.kind !== 'right') assert.equal(planSlice(slice.slice, written).kind, 'right')
    }),
  )
})
