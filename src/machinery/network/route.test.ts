import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asKubeObject, type KubeObject } from '../object.ts'
import type { Reader } from '../resource/definition.ts'
import { type NetworkService, type PodOfNetwork, serviceIn } from './network-objects.ts'
import { routeHostPort } from './route-host-port.ts'
import { addressesOf, type Destination, routeService } from './route-service.ts'

// Ports of nodes.
const pod = (spec: NonNullable<PodOfNetwork['spec']>, status: NonNullable<PodOfNetwork['status']> = {}): PodOfNetwork => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { nodeName: 'n1', ...spec },
  status: { phase: 'Running', podIP: '10.1.0.1', ...status },
})
type Port = { containerPort: number; hostPort?: number; hostIP?: string; protocol?: 'TCP' | 'UDP' | 'SCTP' }
const ports = (...list: Port[]) => ({ containers: [{ ports: [{ containerPort: 1 }, ...list] }] })
const open = ports({ containerPort: 80, hostPort: 8080 })
const AT = { node: 'n1', ip: '192.168.0.1', port: 8080, protocol: 'TCP' } as const

const HOST_PORTS: readonly (readonly [rule: string, pod: PodOfNetwork, isTaken: boolean])[] = [
  ['a port of its node', pod(open), true],
  ['of an init container', pod({ initContainers: ports({ containerPort: 80, hostPort: 8080 }).containers }), true],
  ['another port', pod(ports({ containerPort: 80, hostPort: 8081 })), false],
  ['no port of the node', pod(ports({ containerPort: 8080 })), false],
  ['another protocol', pod(ports({ containerPort: 80, hostPort: 8080, protocol: 'UDP' })), false],
  ['the same protocol', pod(ports({ containerPort: 80, hostPort: 8080, protocol: 'TCP' })), true],
  ['another node', pod({ ...open, nodeName: 'n2' }), false],
  ['the network of the host', pod({ ...open, hostNetwork: true }), false],
  ['not yet an address', { ...pod(open), status: { phase: 'Pending' } }, false],
  ['it succeeded', pod(open, { phase: 'Succeeded' }), false],
  ['it failed', pod(open, { phase: 'Failed' }), false],
  ['this address of the node', pod(ports({ containerPort: 80, hostPort: 8080, hostIP: '192.168.0.1' })), true],
  ['another address of the node', pod(ports({ containerPort: 80, hostPort: 8080, hostIP: '192.168.0.2' })), false],
  ['every address', pod(ports({ containerPort: 80, hostPort: 8080, hostIP: '0.0.0.0' })), true],
  ['every IPv6 address', pod(ports({ containerPort: 80, hostPort: 8080, hostIP: '::' })), true],
  ['no address named', pod(ports({ containerPort: 80, hostPort: 8080, hostIP: '' })), true],
]
for (const [rule, one, isTaken] of HOST_PORTS)
  test(`a port of a node: ${rule}`, () =>
    assert.deepEqual(routeHostPort(AT, [pod({ nodeName: 'n1' }), one]), isTaken ? { ip: '10.1.0.1', port: 80 } : undefined))

// Services.
type Endpoint = { addresses: string[]; nodeName?: string; conditions?: { ready?: boolean; serving?: boolean } }
const slice = (endpoints: Endpoint[], more: object = {}) =>
  asKubeObject({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 's-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 's' } },
    ports: [{ name: 'web', port: 8080, protocol: 'TCP' }, { name: 'dns', port: 53, protocol: 'UDP' }, { name: 'none' }],
    endpoints,
    ...more,
  })
const reader = (...slices: KubeObject[]): Reader => ({
  get: () => undefined,
  list: (_group, resource, namespace) => (resource === 'endpointslices' && namespace === 'default' ? slices : []),
})
const service = (spec: NonNullable<NetworkService['spec']> = {}, status: NetworkService['status'] = {}): NetworkService => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'default' },
  spec: {
    clusterIP: '10.0.0.1',
    ports: [
      { name: 'web', port: 80, nodePort: 30_000 },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ],
    ...spec,
  },
  ...(status && { status }),
})
const TO: Destination = { ip: '10.0.0.1', port: 80, protocol: 'TCP', fromNode: 'n1' }
const BY_NODE: Destination = { ...TO, ip: '192.168.0.1', port: 30_000 }
const one = { addresses: ['10.1.0.1', '10.1.0.9'], nodeName: 'n1' }
const two = { addresses: ['10.1.0.2'], nodeName: 'n2' }
const text = (route: ReturnType<typeof routeService>) =>
  route.kind === 'endpoints' ? route.targets.map(({ ip, port }) => `${ip}:${port}`).join(' ') + (route.sticky ? ' sticky' : '') : route.kind

const ROUTES: readonly (readonly [rule: string, service: NetworkService, to: Destination, slices: readonly KubeObject[], route: string])[] =
  [
    ['every endpoint, its first address', service(), TO, [slice([one, two])], '10.1.0.1:8080 10.1.0.2:8080'],
    ['the port of the same name and protocol', service(), { ...TO, port: 53, protocol: 'UDP' }, [slice([one])], '10.1.0.1:53'],
    ['another protocol', service(), { ...TO, protocol: 'UDP' }, [slice([one])], 'refused'],
    ['another port', service(), { ...TO, port: 81 }, [slice([one])], 'refused'],
    ['a port of the node', service(), BY_NODE, [slice([one])], '10.1.0.1:8080'],
    ['no such port of the node', service(), { ...BY_NODE, port: 80 }, [slice([one])], 'none'],
    ['no endpoints', service(), TO, [slice([])], 'refused'],
    ['an endpoint without addresses', service(), TO, [slice([{ addresses: [] }])], 'refused'],
    ['slices of other services', service(), TO, [slice([one], { metadata: { name: 'x', namespace: 'default', labels: {} } })], 'refused'],
    ['other kinds', service(), TO, [slice([one], { kind: 'Other' })], 'refused'],
    ['endpoints that are not ready', service(), TO, [slice([{ ...one, conditions: { ready: false } }, two])], '10.1.0.2:8080'],
    ['none is ready', service(), TO, [slice([{ ...one, conditions: { ready: false } }])], 'refused'],
    [
      'none is ready, one still serves',
      service(),
      TO,
      [
        slice([
          { ...one, conditions: { ready: false, serving: true } },
          { ...two, conditions: { ready: false } },
        ]),
      ],
      '10.1.0.1:8080',
    ],
    [
      'ready counts before serving',
      service(),
      TO,
      [slice([{ ...one, conditions: { ready: false, serving: true } }, two])],
      '10.1.0.2:8080',
    ],
    ['those of its own node', service({ internalTrafficPolicy: 'Local' }), TO, [slice([one, two])], '10.1.0.1:8080'],
    ['none on its own node', service({ internalTrafficPolicy: 'Local' }), { ...TO, fromNode: 'n3' }, [slice([one, two])], 'refused'],
    [
      'from outside of all nodes, every endpoint',
      service({ internalTrafficPolicy: 'Local' }),
      { ...TO, fromNode: undefined },
      [slice([one, two])],
      '10.1.0.1:8080 10.1.0.2:8080',
    ],
    [
      'the external policy is for nodes',
      service({ externalTrafficPolicy: 'Local' }),
      TO,
      [slice([one, two])],
      '10.1.0.1:8080 10.1.0.2:8080',
    ],
    ['those of the node that was asked', service({ externalTrafficPolicy: 'Local' }), BY_NODE, [slice([one, two])], '10.1.0.1:8080'],
    [
      'the internal policy is not for nodes',
      service({ internalTrafficPolicy: 'Local' }),
      BY_NODE,
      [slice([one, two])],
      '10.1.0.1:8080 10.1.0.2:8080',
    ],
    ['a client stays', service({ sessionAffinity: 'ClientIP' }), TO, [slice([one])], '10.1.0.1:8080 sticky'],
    [
      'ports of several slices of one address',
      service(),
      TO,
      [slice([one], { ports: [{ name: 'other', port: 1 }] }), slice([one], { ports: [{ name: 'web', port: 2 }] })],
      '10.1.0.1:2',
    ],
    ['a port without a name', service({ ports: [{ port: 80 }] }), TO, [slice([one], { ports: [{ port: 7 }] })], '10.1.0.1:7'],
  ]
for (const [rule, of, to, slices, route] of ROUTES)
  test(`connections to a service go to: ${rule}`, () => assert.equal(text(routeService(of, to, reader(...slices))), route))

test('addresses of a service', () => {
  assert.deepEqual(addressesOf(service()), ['10.0.0.1'])
  assert.deepEqual(addressesOf(service({ clusterIP: 'None', clusterIPs: ['None'] })), [])
  assert.deepEqual(
    addressesOf(
      service(
        { clusterIPs: ['10.0.0.1', 'fd00::1'], externalIPs: ['192.0.2.1'] },
        { loadBalancer: { ingress: [{ ip: '192.0.2.9' }, {}] } },
      ),
    ),
    ['10.0.0.1', 'fd00::1', '192.0.2.1', '192.0.2.9'],
  )
  assert.deepEqual(addressesOf({ ...service(), spec: {} }), [])
})

test('a service is found by its name, and nothing else is a service', () => {
  const of = (kind: string): Reader => ({ get: () => asKubeObject({ ...service(), kind }), list: () => [] })
  assert.equal(serviceIn(of('Service'), 'default', 's')?.metadata.name, 's')
  assert.equal(serviceIn(of('Other'), 'default', 's'), undefined)
  assert.equal(serviceIn(reader(), 'default', 's'), undefined)
})
