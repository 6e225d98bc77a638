import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service, ServiceSpec, ServiceStatus } from '../../resources/types/core.ts'
import type { Endpoint, EndpointSlice } from '../../resources/types/discovery.ts'
import { chooseEndpoints, type ProxyNode } from './endpoint-choice.ts'
import { rulesetOfServices } from './ruleset-of-services.ts'
import { proxiedPorts } from './service-port.ts'

const NODE: ProxyNode = { name: 'n1', zone: 'z1', ips: ['192.0.2.11', 'fd00:2::11'], podCidrs: ['10.244.0.0/16', 'fd00:244::/56'] }
const service = (spec: ServiceSpec, status?: ServiceStatus): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'd' },
  spec: { clusterIP: '10.0.0.1', ports: [{ port: 80, nodePort: 30_000 }], ...spec },
  ...(status && { status }),
})
const slice = (endpoints: readonly Endpoint[], addressType: 'IPv4' | 'IPv6' = 'IPv4', protocol: 'TCP' | 'UDP' = 'TCP'): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 's-1', namespace: 'd' },
  addressType,
  ports: [{ port: 8080, protocol }],
  endpoints,
})
const near: Endpoint = { addresses: ['10.244.0.2'], nodeName: 'n1' }
const far: Endpoint = { addresses: ['10.244.1.2'], nodeName: 'n2' }
const ending = (e: Endpoint): Endpoint => ({ ...e, conditions: { ready: false, serving: true, terminating: true } })

/** What the rules say of a packet's destination: where it goes, with `*` before what is masqueraded. */
function text(spec: ServiceSpec, endpoints: readonly Endpoint[], status?: ServiceStatus): string {
  const slices = [slice(endpoints), slice(endpoints, 'IPv4', 'UDP')]
  const routed = proxiedPorts(service(spec, status)).map((port) => ({ port, endpoints: chooseEndpoints(port, slices, NODE) }))
  const table = rulesetOfServices(routed, NODE).tables.get('ip bowsprit-services')
  const shown: string[] = []
  const walk = (chain: string): string =>
    (table?.chains.get(chain)?.rules ?? [])
      .map((rule) =>
        rule
          .replaceAll(/goto (\S+?)(,| |$)/g, (_, next: string, end: string) => `(${walk(next)})${end}`)
          .replaceAll('jump mark-for-masquerade', '*')
          .replaceAll(/affinity(\d+)-\w{8}\S*/g, 'clients$1')
          .replaceAll('meta l4proto ', ''),
      )
      .join('; ')
  for (const set of ['service-ips', 'service-nodeports', 'no-endpoint-services', 'no-endpoint-nodeports', 'firewall-ips'])
    for (const [key, verdict] of table?.sets.get(set)?.elements ?? [])
      shown.push(`${key} → ${verdict.startsWith('goto') ? walk(verdict.slice(5)) : verdict}`)
  return shown.join('\n')
}

const dnat = (ip: string) => `(ip saddr ${ip} *; tcp dnat to ${ip}:8080)`
const CLUSTER = 'ip daddr 10.0.0.1 tcp dport 80 ip saddr != 10.244.0.0/16 *'
const TO_BOTH = `${CLUSTER}; numgen random mod 2 vmap { 0 : ${dnat('10.244.0.2')}, 1 : ${dnat('10.244.1.2')} }`
const TO_NEAR = `${CLUSTER}; numgen random mod 1 vmap { 0 : ${dnat('10.244.0.2')} }`
const TO_FAR = `${CLUSTER}; numgen random mod 1 vmap { 0 : ${dnat('10.244.1.2')} }`
const [AT, BY_NODE] = ['10.0.0.1 . tcp . 80', 'tcp . 30000']
const REFUSED = 'tcp reject with tcp reset; reject'
const INSIDE = (rules: string) => `ip saddr 10.244.0.0/16 (${rules}); fib saddr type local *; fib saddr type local (${rules})`

const TABLE: readonly (readonly [rule: string, spec: ServiceSpec, endpoints: readonly Endpoint[], rules: readonly string[]])[] = [
  ['every endpoint takes its share', {}, [near, far], [`${AT} → ${TO_BOTH}`, `${BY_NODE} → *; (${TO_BOTH})`]],
  ['a headless service has no rules', { clusterIP: 'None' }, [near], []],
  ['an alias has no rules', { type: 'ExternalName', clusterIP: '' }, [near], []],
  ['without endpoints it is refused', {}, [], [`${AT} → ${REFUSED}`, `${BY_NODE} → ${REFUSED}`]],
  [
    'an endpoint that is not ready is not used',
    {},
    [{ ...near, conditions: { ready: false } }],
    [`${AT} → ${REFUSED}`, `${BY_NODE} → ${REFUSED}`],
  ],
  ['those that end are used while there are no others', {}, [ending(near)], [`${AT} → ${TO_NEAR}`, `${BY_NODE} → *; (${TO_NEAR})`]],
  ['those that end are not used beside others', {}, [ending(near), far], [`${AT} → ${TO_FAR}`, `${BY_NODE} → *; (${TO_FAR})`]],
  [
    'the external policy keeps who is outside on the node that was asked',
    { externalTrafficPolicy: 'Local' },
    [near, far],
    [`${AT} → ${TO_BOTH}`, `${BY_NODE} → ${INSIDE(TO_BOTH)}; (${TO_NEAR})`],
  ],
  [
    'where it has no endpoint, who is outside is left without an answer',
    { externalTrafficPolicy: 'Local' },
    [far],
    [`${AT} → ${TO_FAR}`, `${BY_NODE} → ${INSIDE(TO_FAR)}`, `${BY_NODE} → drop`],
  ],
  [
    'the internal policy keeps pods on their node',
    { internalTrafficPolicy: 'Local', ports: [{ port: 80 }] },
    [near, far],
    [`${AT} → ${TO_NEAR}`],
  ],
  ['where it has no endpoint, pods get no answer', { internalTrafficPolicy: 'Local', ports: [{ port: 80 }] }, [far], [`${AT} → drop`]],
  [
    'a client stays with its endpoint for so long after its last connection',
    { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 7 } }, ports: [{ port: 80 }] },
    [near],
    [
      `${AT} → ${CLUSTER}; ip saddr @clients7 (ip saddr 10.244.0.2 *; update @clients7 { ip saddr }; tcp dnat to 10.244.0.2:8080); ` +
        'numgen random mod 1 vmap { 0 : (ip saddr 10.244.0.2 *; update @clients7 { ip saddr }; tcp dnat to 10.244.0.2:8080) }',
    ],
  ],
  [
    'other protocols are led likewise',
    { ports: [{ port: 53, protocol: 'UDP' }] },
    [near],
    [
      '10.0.0.1 . udp . 53 → ip daddr 10.0.0.1 udp dport 53 ip saddr != 10.244.0.0/16 *; ' +
        'numgen random mod 1 vmap { 0 : (ip saddr 10.244.0.2 *; udp dnat to 10.244.0.2:8080) }',
    ],
  ],
  [
    'external addresses are led as ports of nodes are',
    { externalIPs: ['192.0.2.99', 'fd00::99'], ports: [{ port: 80 }] },
    [near],
    [`${AT} → ${TO_NEAR}`, `192.0.2.99 . tcp . 80 → *; (${TO_NEAR})`],
  ],
  [
    'hints for zones count where every endpoint has one',
    { ports: [{ port: 80 }] },
    [
      { ...near, hints: { forZones: [{ name: 'z1' }] } },
      { ...far, hints: { forZones: [{ name: 'z2' }] } },
    ],
    [`${AT} → ${TO_NEAR}`],
  ],
  [
    'hints of some endpoints do not count',
    { ports: [{ port: 80 }] },
    [{ ...near, hints: { forZones: [{ name: 'z1' }] } }, far],
    [`${AT} → ${TO_BOTH}`],
  ],
]
for (const [rule, spec, endpoints, rules] of TABLE)
  test(`rules of a service: ${rule}`, () => assert.deepEqual(text(spec, endpoints), rules.join('\n')))

test('rules of a service: addresses of a load balancer may be for some networks only, and none of one that is a proxy', () => {
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }], loadBalancerSourceRanges: ['192.0.2.0/24', 'fd00::/8'] } as const
  const status = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }, { ip: '203.0.113.2', ipMode: 'Proxy' }] } }
  assert.deepEqual(text(spec, [near], status).split('\n'), [
    `${AT} → ${TO_NEAR}`,
    `203.0.113.1 . tcp . 80 → *; (${TO_NEAR})`,
    '203.0.113.1 . tcp . 80 → ip saddr != { 192.0.2.0/24 } drop',
  ])
})

test('each address family has a table of its own', () => {
  const six = { ...near, addresses: ['fd00:244::2'] }
  const ports = proxiedPorts(service({ clusterIPs: ['10.0.0.1', 'fd00:10::1'], ports: [{ port: 80 }] }))
  const slices = [slice([near]), slice([six], 'IPv6')]
  const routed = ports.map((port) => ({ port, endpoints: chooseEndpoints(port, slices, NODE) }))
  const { tables } = rulesetOfServices(routed, NODE)
  const dnats = [...tables].map(([name, { chains }]) => [
    name,
    [...chains.values()].flatMap(({ rules }) => rules).filter((r) => r.includes('dnat')),
  ])
  assert.deepEqual(dnats, [
    ['ip bowsprit-services', ['meta l4proto tcp dnat to 10.244.0.2:8080']],
    ['ip6 bowsprit-services', ['meta l4proto tcp dnat to [fd00:244::2]:8080']],
  ])
})
