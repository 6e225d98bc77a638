import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { watchCacheDouble } from '../../apiserver/cache/watch-cache.double.ts'
import type { ResolvedService } from '../../apiserver/service-target.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Endpoint, EndpointSlice } from '../../resources/types/discovery.ts'
import { createServiceResolver, localPort } from './resolve-service.ts'

const service = (spec: object = {}, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'ns', annotations },
  spec: { clusterIP: '10.0.0.5', ports: [{ name: 'https', port: 443 }], ...spec },
})
const slice = (endpoints: readonly Endpoint[], port = 8443, owner = 'web'): EndpointSlice => ({
  addressType: 'IPv4',
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: `${owner}-1`, namespace: 'ns', labels: { 'kubernetes.io/service-name': owner } },
  ports: [{ name: 'https', port }],
  endpoints,
})
const READY = { addresses: ['10.1.0.1'], conditions: { ready: true } }
const UNREADY = { addresses: ['10.1.0.2'], conditions: { ready: false } }

interface Case {
  readonly service?: KubeObject
  readonly slices?: readonly KubeObject[]
  readonly routing?: boolean
  readonly port?: number
}

function resolve({ service: stored, slices = [], routing = true, port = 443 }: Case): string {
  const cache = watchCacheDouble()
  if (stored !== undefined) cache.put('', 'services', stored)
  cache.put('discovery.k8s.io', 'endpointslices', ...slices)
  const resolver = createServiceResolver({ routing }, { reader: cache.reader, local: new Map() })
  return shown(resolver.resolve({ namespace: 'ns', name: 'web', port }))
}

function shown(found: ResolvedService): string {
  if (found.kind === 'missing') return found.message
  const { target, host } = found
  return target.kind === 'address' ? `${target.host} ${target.port} as ${host}` : `${target.kind} as ${host}`
}

const EXTERNAL = { type: 'ExternalName', externalName: 'db.example.com' }
const cases: readonly (readonly [rule: string, given: Case, wanted: string])[] = [
  ['a service that is not there', {}, 'service "web" not found'],
  ['a ready endpoint', { service: service(), slices: [slice([UNREADY, READY])] }, '10.1.0.1 8443 as 10.1.0.1:8443'],
  [
    'an endpoint that says nothing of readiness',
    { service: service(), slices: [slice([{ addresses: ['10.1.0.3'] }])] },
    '10.1.0.3 8443 as 10.1.0.3:8443',
  ],
  ['no ready endpoint', { service: service(), slices: [slice([UNREADY])] }, 'no endpoints available for service "web"'],
  ['slices of another service', { service: service(), slices: [slice([READY], 1, 'other')] }, 'no endpoints available for service "web"'],
  [
    'a port that the service does not have',
    { service: service(), slices: [slice([READY])], port: 80 },
    'no service port 80 found for service "web"',
  ],
  [
    'without routing the host is the service’s address',
    { service: service(), slices: [slice([READY])], routing: false },
    '10.1.0.1 8443 as 10.0.0.5:443',
  ],
  [
    'without routing a headless service',
    { service: service({ clusterIP: 'None' }), slices: [slice([READY])], routing: false },
    'cannot route to service with ClusterIP "None"',
  ],
  [
    'with routing a headless service',
    { service: service({ clusterIP: 'None' }), slices: [slice([READY])] },
    '10.1.0.1 8443 as 10.1.0.1:8443',
  ],
  ['an external name, without routing', { service: service(EXTERNAL), routing: false }, 'db.example.com 443 as db.example.com:443'],
  ['an external name, with routing', { service: service(EXTERNAL) }, 'unsupported service type "ExternalName"'],
  ['an address of IPv6', { service: service(), slices: [slice([{ addresses: ['fd00::1'] }])] }, 'fd00::1 8443 as [fd00::1]:8443'],
  ['a port of this machine', { service: service({}, { 'bowsprit.dev/local-port': '9000' }) }, '127.0.0.1 9000 as web.ns.svc:443'],
]
for (const [rule, given, wanted] of cases) test(`${rule}: ${wanted}`, () => assert.equal(resolve(given), wanted))

test('a server of this process takes precedence over a service of the same name', () => {
  const stream = new PassThrough()
  const resolver = createServiceResolver(
    { routing: true },
    { reader: watchCacheDouble().reader, local: new Map([['ns/web', () => stream]]) },
  )
  const found = resolver.resolve({ namespace: 'ns', name: 'web', port: 443 })
  assert.equal(shown(found), 'handler as web.ns.svc:443')
  assert.equal(found.kind === 'found' && found.target.kind === 'handler' && found.target.connect(), stream)
})

const ports: readonly (readonly [text: string, port: number | undefined])[] = [
  ['8080', 8080],
  ['65535', 65_535],
  ['65536', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['80.5', undefined],
  ['', undefined],
  ['http', undefined],
]
for (const [text, port] of ports)
  test(`the annotation ${JSON.stringify(text)} names ${port ?? 'no port'}`, () =>
    assert.equal(localPort(service({}, { 'bowsprit.dev/local-port': text })), port))
