import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoints } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import { sketch } from '../frame/sketch.double.ts'
import { isMirrored, MIRRORED_BY, planMirror } from './plan.ts'

const endpoints = (subsets: object[], more: object = {}): Endpoints =>
  sketch({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 's', namespace: 'n', ...more },
    subsets,
  })
const http = { name: 'http', port: 8080 }
const slice = (content: object): EndpointSlice => sketch({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', ...content })

test('addresses become endpoints, families and ports slices of their own', () => {
  const subsets = [
    {
      addresses: [{ ip: '10.0.0.1', hostname: 'one' }, { ip: 'fd00::5' }],
      notReadyAddresses: [{ ip: '10.0.0.2', nodeName: 'a' }],
      ports: [http],
    },
    { addresses: [{ ip: '10.0.0.3' }], ports: [http] },
    { addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 53, protocol: 'UDP' }] },
  ]
  const { create, update, remove, skipped } = planMirror(endpoints(subsets), [])
  assert.deepEqual([update, remove, skipped], [[], [], 0])
  assert.deepEqual(
    create.map((c) => [c.addressType, c.ports, c.endpoints]),
    [
      ['IPv4', [{ name: '', port: 53, protocol: 'UDP' }], [{ addresses: ['10.0.0.1'], conditions: { ready: true }, hostname: 'one' }]],
      [
        'IPv4',
        [{ name: 'http', port: 8080, protocol: 'TCP' }],
        [
          { addresses: ['10.0.0.1'], conditions: { ready: true }, hostname: 'one' },
          { addresses: ['10.0.0.3'], conditions: { ready: true } },
          { addresses: ['10.0.0.2'], conditions: { ready: false }, nodeName: 'a' },
        ],
      ],
      ['IPv6', [{ name: 'http', port: 8080, protocol: 'TCP' }], [{ addresses: ['fd00::5'], conditions: { ready: true } }]],
    ],
  )
})

test('subsets are repacked: an address is the same in each of them, and not ready where it is not ready once', () => {
  const subsets = [
    { addresses: [{ ip: '10.0.0.1', nodeName: 'a' }, { ip: '10.0.0.2' }], ports: [http, { name: 'web', port: 80 }] },
    { addresses: [{ ip: '10.0.0.3' }], notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [http] },
  ]
  const brief = planMirror(endpoints(subsets), []).create.map((c) => [
    c.ports.map((p) => p.name),
    c.endpoints.map((e) => `${e.addresses[0]}${e.conditions?.ready ? '' : '!'}${e.nodeName ?? ''}`),
  ])
  assert.deepEqual(brief.toSorted(), [
    [['http'], ['10.0.0.2', '10.0.0.3', '10.0.0.1!a']],
    [['web'], ['10.0.0.1a', '10.0.0.2']],
  ])
})

test('a port with an appProtocol is another one in each subset; ports are in the order of their hashes', () => {
  const c = { name: 'c', port: 82, appProtocol: 'http' }
  const subsets = [
    { addresses: [{ ip: '10.0.0.1' }], ports: [c] },
    { addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], ports: [c, { name: 'b', port: 81, protocol: 'UDP' }] },
  ]
  const brief = planMirror(endpoints(subsets), []).create.map(
    (s) => `${s.ports.map((p) => p.name)}: ${s.endpoints.map((e) => e.addresses)}`,
  )
  assert.deepEqual(brief.toSorted(), ['b,c: 10.0.0.1,10.0.0.2', 'c: 10.0.0.1'])
})

test('existing slices are used again, and unneeded ones deleted', () => {
  const labels = { own: 'b' }
  const annotations = { note: 'c', 'kubectl.kubernetes.io/last-applied-configuration': '{}' }
  const before = endpoints([{ addresses: [{ ip: '10.0.0.1' }], ports: [http] }], { labels, annotations })
  const [made] = planMirror(before, []).create
  assert.deepEqual(made?.annotations, { note: 'c' })
  assert.deepEqual(made?.labels, {
    own: 'b',
    'kubernetes.io/service-name': 's',
    'endpointslice.kubernetes.io/managed-by': MIRRORED_BY,
  })
  const standing = slice({ ...made, metadata: { name: 's-1', labels: made?.labels, annotations: made?.annotations } })
  const none = { create: [], update: [], remove: [], skipped: 0 }
  assert.deepEqual(planMirror(before, [standing]), none)
  const changed = planMirror(endpoints([{ addresses: [{ ip: '10.0.0.9' }], ports: [http] }], { labels, annotations }), [standing])
  assert.deepEqual(
    changed.update.map((u) => u.slice),
    [standing],
  )
  assert.deepEqual(planMirror(undefined, [standing]), { ...none, remove: [standing] })
  const uid = (text: string) => ({ ownerReferences: [{ apiVersion: 'v1', kind: 'Endpoints', name: 's', uid: text }] })
  const owned = slice({ ...standing, metadata: { ...standing.metadata, ...uid('old') } })
  const anew = { ...before, metadata: { ...before.metadata, uid: 'new' } }
  assert.deepEqual(
    planMirror(anew, [owned]).update.map((u) => u.slice),
    [owned],
    'the owner was created again',
  )
})

test('a slice of other ports takes the place of one that would be created', () => {
  const ports = (port: number) => [{ name: 'p', port, protocol: 'TCP' }]
  const standing = (name: string, port: number, addressType = 'IPv4') => slice({ metadata: { name }, addressType, ports: ports(port) })
  const [a, b, six] = [standing('a', 1), standing('b', 2), standing('six', 3, 'IPv6')]
  const wanted = endpoints([2, 9].map((port) => ({ addresses: [{ ip: `10.0.0.${port}` }], ports: ports(port) })))
  const { create, update, remove } = planMirror(wanted, [a, b, six])
  assert.deepEqual(
    update.map((u) => [u.slice.metadata.name, u.content.ports[0]?.port, u.recycled]),
    [
      ['b', 2, false],
      ['a', 9, true],
    ],
  )
  assert.deepEqual([create, remove], [[], [six]])
})

test('a thousand addresses of a subset are enough', () => {
  const addresses = Array.from({ length: 1005 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }))
  const { create, skipped } = planMirror(endpoints([{ addresses, ports: [http] }]), [])
  assert.deepEqual([create[0]?.endpoints.length, skipped], [1000, 5])
})

for (const [more, expected] of [
  [{}, true],
  [{ labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } }, false],
  [{ labels: { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } }, true],
  [{ annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } }, false],
] as const)
  test(`which endpoints are mirrored: ${JSON.stringify(more)}`, () => assert.equal(isMirrored(endpoints([], more)), expected))
