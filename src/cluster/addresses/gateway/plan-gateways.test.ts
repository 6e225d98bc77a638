import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fact } from './conditions.ts'
import type { GatewayWorld } from './gateway-world.ts'
import { planListeners } from './plan-listeners.ts'
import { planRoutes } from './plan-routes.ts'
import { readGateway, readGrant, readHttpRoute } from './read-objects.ts'

const object = (kind: string, name: string, spec: unknown, namespace = 'default') => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace },
  spec,
})
const web = { name: 'web', port: 80, protocol: 'HTTP' }
const gateway = (listeners: unknown, name = 'edge') => readGateway(object('Gateway', name, { gatewayClassName: 'local', listeners }))
const route = (spec: object, namespace?: string) =>
  readHttpRoute(
    object(
      'HTTPRoute',
      'shop',
      { parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: 'shop', port: 80 }] }], ...spec },
      namespace,
    ),
  )
const world = (more: Partial<GatewayWorld>): GatewayWorld => ({
  gateways: [gateway([web])],
  routes: [],
  grants: [],
  hasService: ({ name }) => name === 'shop',
  hasCertificate: ({ name }) => name === 'good',
  selects: (selector, namespace) => selector === 'team' && namespace === 'team',
  ...more,
})
const reasons = (facts: readonly Fact[]) => facts.map(({ type, status, reason }) => `${type} ${status} ${reason}`)
const ok = ['Accepted true Accepted', 'ResolvedRefs true ResolvedRefs', 'Conflicted false NoConflicts']

const secure = (certificateRefs: unknown, more: object = {}) => ({
  name: 'tls',
  port: 443,
  protocol: 'HTTPS',
  tls: { certificateRefs, ...more },
})
const LISTENERS: readonly [rule: string, listeners: readonly unknown[], facts: readonly string[]][] = [
  ['HTTP', [web], ok],
  ['another host of the port', [web, { ...web, name: 'b', hostname: 'b.test' }], ok],
  [
    'the same host of the port',
    [web, { ...web, name: 'b' }],
    ['Accepted false PortUnavailable', ok[1] ?? '', 'Conflicted true HostnameConflict'],
  ],
  [
    'another protocol of the port',
    [web, { ...secure([{ name: 'good' }]), port: 80 }],
    ['Accepted false PortUnavailable', ok[1] ?? '', 'Conflicted true ProtocolConflict'],
  ],
  ['TCP', [{ ...web, protocol: 'TCP' }], ['Accepted false UnsupportedProtocol', ...ok.slice(1)]],
  ['HTTPS with its certificate', [secure([{ name: 'good' }])], ok],
  ['HTTPS without one', [secure(undefined)], [ok[0] ?? '', 'ResolvedRefs false InvalidCertificateRef', ok[2] ?? '']],
  [
    'HTTPS with a Secret that holds none',
    [secure([{ name: 'bad' }])],
    [ok[0] ?? '', 'ResolvedRefs false InvalidCertificateRef', ok[2] ?? ''],
  ],
  [
    'a Secret of another namespace',
    [secure([{ name: 'good', namespace: 'team' }])],
    [ok[0] ?? '', 'ResolvedRefs false RefNotPermitted', ok[2] ?? ''],
  ],
  [
    'TLS that is passed through',
    [secure([{ name: 'good' }], { mode: 'Passthrough' })],
    ['Accepted false UnsupportedProtocol', ...ok.slice(1)],
  ],
  [
    'routes of another kind',
    [{ ...web, allowedRoutes: { kinds: [{ kind: 'GRPCRoute' }] } }],
    [ok[0] ?? '', 'ResolvedRefs false InvalidRouteKinds', ok[2] ?? ''],
  ],
  ['nonsense', ['listener'], ['Accepted false UnsupportedProtocol', ...ok.slice(1)]],
]
for (const [rule, listeners, facts] of LISTENERS)
  test(`a listener: ${rule}`, () => {
    const given = gateway(listeners)
    assert.deepEqual(reasons(planListeners([given], world({})).at(-1)?.facts ?? []), facts)
  })

const GRANT = readGrant(
  object(
    'ReferenceGrant',
    'shop',
    { from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'default' }], to: [{ kind: 'Service' }] },
    'team',
  ),
)
const ROUTES: readonly [rule: string, given: Partial<GatewayWorld>, facts: readonly string[], attached: number][] = [
  ['of the same namespace', { routes: [route({})] }, ok.slice(0, 2), 1],
  [
    'of another namespace',
    { routes: [route({ parentRefs: [{ name: 'edge', namespace: 'default' }] }, 'team')] },
    ['Accepted false NotAllowedByListeners', 'ResolvedRefs true ResolvedRefs'],
    0,
  ],
  [
    'of a namespace that a listener selects',
    {
      gateways: [gateway([{ ...web, allowedRoutes: { namespaces: { from: 'Selector', selector: 'team' } } }])],
      routes: [route({ parentRefs: [{ name: 'edge', namespace: 'default' }] }, 'team')],
    },
    ok.slice(0, 2),
    1,
  ],
  [
    'of a listener that is not there',
    { routes: [route({ parentRefs: [{ name: 'edge', sectionName: 'none' }] })] },
    ['Accepted false NoMatchingParent', 'ResolvedRefs true ResolvedRefs'],
    0,
  ],
  [
    'of a port that is not there',
    { routes: [route({ parentRefs: [{ name: 'edge', port: 81 }] })] },
    ['Accepted false NoMatchingParent', 'ResolvedRefs true ResolvedRefs'],
    0,
  ],
  [
    'of another host',
    { gateways: [gateway([{ ...web, hostname: 'a.test' }])], routes: [route({ hostnames: ['b.test'] })] },
    ['Accepted false NoMatchingListenerHostname', 'ResolvedRefs true ResolvedRefs'],
    0,
  ],
  [
    'to a service that is not there',
    { routes: [route({ rules: [{ backendRefs: [{ name: 'none', port: 80 }] }] })] },
    ['Accepted true Accepted', 'ResolvedRefs false BackendNotFound'],
    1,
  ],
  [
    'to another kind',
    { routes: [route({ rules: [{ backendRefs: [{ name: 'shop', kind: 'Bucket', port: 80 }] }] })] },
    ['Accepted true Accepted', 'ResolvedRefs false InvalidKind'],
    1,
  ],
  [
    'to a service of another namespace',
    { routes: [route({ rules: [{ backendRefs: [{ name: 'shop', namespace: 'team', port: 80 }] }] })] },
    ['Accepted true Accepted', 'ResolvedRefs false RefNotPermitted'],
    1,
  ],
  [
    'to one that is granted',
    { grants: [GRANT], routes: [route({ rules: [{ backendRefs: [{ name: 'shop', namespace: 'team', port: 80 }] }] })] },
    ok.slice(0, 2),
    1,
  ],
  [
    'with a filter that is not served',
    { routes: [route({ rules: [{ filters: [{ type: 'RequestMirror' }] }] })] },
    ['Accepted false UnsupportedValue', 'ResolvedRefs true ResolvedRefs'],
    0,
  ],
  [
    'with a regular expression',
    { routes: [route({ rules: [{ matches: [{ path: { type: 'RegularExpression', value: '(a+)+$' } }] }] })] },
    ['Accepted false UnsupportedValue', 'ResolvedRefs true ResolvedRefs'],
    0,
  ],
]
for (const [rule, given, facts, attached] of ROUTES)
  test(`a route ${rule}`, () => {
    const full = world(given)
    const listeners = planListeners(full.gateways, full)
    const plan = planRoutes(listeners, full)
    const [first] = full.routes
    assert.deepEqual(reasons((first && plan.parents.get(first)?.[0]?.facts) ?? []), facts)
    assert.equal([...plan.attached.values()].flat().length, attached)
  })

test("a route of another controller's Gateway is left alone", () => {
  const full = world({ routes: [route({ parentRefs: [{ name: 'other' }] })] })
  assert.equal(planRoutes(planListeners(full.gateways, full), full).parents.size, 0)
})

for (const spec of [
  undefined,
  null,
  7,
  'text',
  [],
  { rules: 'x', hostnames: 7, parentRefs: {} },
  { rules: [null, [], { matches: [[]], filters: [7], backendRefs: 'x' }] },
  JSON.parse('{"__proto__": {"rules": [1]}}'),
])
  test(`a route of any shape is read: ${JSON.stringify(spec)}`, () => {
    const { rules, hostnames } = readHttpRoute(object('HTTPRoute', 'x', spec))
    assert.ok(Array.isArray(rules) && hostnames.length === 0)
  })
