import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { watchCacheDouble } from '../../apiserver/cache/watch-cache.double.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Container, Endpoints, Node, NodeAddress, Pod, Service } from '../../resources/types/core.ts'
import { type Backend, nodeBackend, type ProxyBackends, podBackend, serviceBackend } from './backend.ts'

const BACKENDS: ProxyBackends = {
  kubelet: async () => undefined,
  pod: async () => undefined,
  address: async () => undefined,
  isSimulated: () => false,
}
const HTTP = { scheme: '', port: '' }

/** The backend's host, or the error; no connection is opened. */
function hostOf(open: () => Backend): string {
  try {
    return open().host
  } catch (error) {
    return isStatus(error) ? `${error.status.code} ${error.message}` : String(error)
  }
}
/** `400 …`, or the connection's error. */
async function connect(backend: Backend): Promise<string> {
  try {
    const [error] = await once(await backend.connect(), 'error')
    return error instanceof Error ? error.message : String(error)
  } catch (error) {
    return isStatus(error) ? `${error.status.code} ${error.message}` : String(error)
  }
}

const pod = (podIP: string | undefined, containers: readonly Container[] = [{ name: 'c', ports: [{ containerPort: 8080 }] }]): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns' },
  spec: { containers },
  status: podIP === undefined ? {} : { podIP },
})
const pods: readonly (readonly [rule: string, pod: Pod, target: { scheme: string; port: string }, host: string])[] = [
  ['the first port of a pod', pod('10.1.0.1'), HTTP, '10.1.0.1:8080'],
  ['the port that is named', pod('10.1.0.1'), { scheme: '', port: '99' }, '10.1.0.1:99'],
  ['a pod without ports', pod('10.1.0.1', []), HTTP, '10.1.0.1:80'],
  ['a pod without ports, over TLS', pod('10.1.0.1', []), { scheme: 'https', port: '' }, '10.1.0.1:443'],
  ['an address of IPv6', pod('fd00::1'), HTTP, '[fd00::1]:8080'],
  ['a pod without an address', pod(undefined), HTTP, '400 address not allowed'],
]
for (const [rule, object, target, host] of pods)
  test(`${rule}: ${host}`, () =>
    assert.equal(
      hostOf(() => podBackend(object, target, BACKENDS)),
      host,
    ))

const forbidden = [
  '127.0.0.1',
  '127.9.9.9',
  '0.0.0.0',
  '169.254.169.254',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'ff02::1',
  '::ffff:127.0.0.1',
]
for (const ip of forbidden)
  test(`${ip} is not dialled for a tenant`, async () => {
    assert.equal(await connect(podBackend(pod(ip), HTTP, BACKENDS)), '400 address not allowed')
  })

test('a name is no port', async () => {
  assert.equal(await connect(podBackend(pod('10.1.0.1'), { scheme: '', port: 'web' }, BACKENDS)), 'dial tcp: lookup tcp/web: unknown port')
})

test('a pod of this process is reached inside, whatever its address', async () => {
  const inside = new PassThrough()
  assert.equal(await podBackend(pod('127.0.0.1'), HTTP, { ...BACKENDS, pod: async () => inside }).connect(), inside)
})

const node = (addresses: readonly NodeAddress[]): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  status: { addresses },
})
const IP = { type: 'InternalIP', address: '10.2.0.1' }
const nodes: readonly (readonly [rule: string, node: Node, port: string, host: string])[] = [
  ['the kubelet', node([IP]), '', '10.2.0.1:10250'],
  ['another port', node([IP]), '9100', '10.2.0.1:9100'],
  ['the inner address comes first', node([{ type: 'ExternalIP', address: '1.2.3.4' }, IP]), '', '10.2.0.1:10250'],
  ['the name of the node itself is no address', node([{ type: 'Hostname', address: 'n' }, IP]), '', '10.2.0.1:10250'],
  ['unless there is no other', node([{ type: 'Hostname', address: 'n' }]), '', 'n:10250'],
  ['a node without addresses', node([]), '', '500 no preferred addresses found; known addresses: []'],
]
for (const [rule, object, port, host] of nodes)
  test(`${rule}: ${host}`, () =>
    assert.equal(
      hostOf(() => nodeBackend(object, { scheme: '', port }, BACKENDS)),
      host,
    ))

for (const [rule, address, port, error] of [
  ['a name that nothing knows', 'no-such-host.invalid', '', '400 lookup no-such-host.invalid: no such host'],
  ['an address of this machine', '127.0.0.1', '', '400 address not allowed'],
  ['a name of this machine', 'localhost', '9100', '400 address not allowed'],
  ['a port that cannot be', '192.0.2.1', '99999', 'dial tcp: address 99999: invalid port'],
] as const)
  test(`a node at ${rule} is not dialled`, async () => {
    const backend = nodeBackend(node([{ type: 'InternalIP', address }]), { scheme: '', port }, BACKENDS)
    assert.equal(await connect(backend), error)
  })

for (const addresses of [
  [{ type: 'InternalIP', address: '' }],
  [
    { type: 'InternalIP', address: '192.0.2.1' },
    { type: 'Hostname', address: '' },
  ],
])
  test(`a node of ${addresses.length} addresses has no backend when the first choice is empty`, () => {
    assert.equal(
      hostOf(() => nodeBackend(node(addresses), HTTP, BACKENDS)),
      '400 lookup : no such host',
    )
  })

test('the host of a node is looked up once: what was checked is dialled', async (t) => {
  const checks = t.mock.method(dns.promises, 'lookup', async () => [{ address: '192.0.2.1', family: 4 }])
  const others = t.mock.method(dns, 'lookup')
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.reset()
    syncBuiltinESMExports()
  })
  for (const scheme of ['', 'https']) {
    const backend = nodeBackend(node([{ type: 'InternalDNS', address: 'rebound.invalid' }]), { scheme, port: '9100' }, BACKENDS)
    const socket = await backend.connect()
    socket.on('error', () => {}).destroy()
  }
  assert.deepEqual([checks.mock.callCount(), others.mock.callCount()], [2, 0])
})

test('nothing but its kubelet listens on a simulated node', async () => {
  const backend = nodeBackend(node([IP]), { scheme: '', port: '9100' }, { ...BACKENDS, isSimulated: () => true })
  assert.match(await connect(backend), /10\.2\.0\.1:9100.*connection refused/)
})

const service = (annotations: Record<string, string> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'ns', annotations },
  spec: { ports: [{ name: 'http', port: 80 }] },
})
const ENDPOINTS: Endpoints = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { name: 'web', namespace: 'ns' },
  subsets: [{ addresses: [{ ip: '10.1.0.1' }, { ip: '10.1.0.2' }], ports: [{ name: 'http', port: 8080 }] }],
}
const services: readonly (readonly [rule: string, service: Service, stored: readonly Endpoints[], port: string, host: string])[] = [
  ['an endpoint by the name of the port', service(), [ENDPOINTS], 'http', '10.1.0.2:8080'],
  ['an endpoint by its number', service(), [ENDPOINTS], '80', '10.1.0.2:8080'],
  ['a number that the service does not have', service(), [ENDPOINTS], '81', '503 no service port 81 found for service "web"'],
  ['a name that no endpoint has', service(), [ENDPOINTS], 'x', '503 no endpoints available for service "web"'],
  ['a service without endpoints', service(), [], 'http', '404 services "web" not found'],
  ['a port of this machine', service({ 'bowsprit.dev/local-port': '9000' }), [], 'http', '127.0.0.1:9000'],
]
for (const [rule, object, stored, port, host] of services)
  test(`${rule}: ${host}`, () => {
    const cache = watchCacheDouble()
    cache.put('', 'endpoints', ...stored)
    const deps = { backends: BACKENDS, reader: cache.reader, local: () => undefined, pick: (count: number) => count - 1 }
    assert.equal(
      hostOf(() => serviceBackend(object, { scheme: '', port }, deps)),
      host,
    )
  })
