import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { explainPod } from './explain-pod.ts'
import { judgeFlow } from './judge-flow.ts'
import type { Endpoint, NetworkPod, NetworkPolicy, NetworkPolicySpec, NetworkWorld, Protocol } from './network-world.ts'
import { directionsOf } from './select-policies.ts'

/** `a/web app=web 10.0.0.1` */
function podOf(text: string): NetworkPod {
  const [path = '', label = '', ip] = text.split(' ')
  const [namespace = '', name = ''] = path.split('/')
  const [key = '', value = ''] = label.split('=')
  return {
    namespace,
    name,
    labels: { [key]: value },
    ips: ip === undefined ? [] : [ip],
    hostNetwork: false,
    ports: name === 'web' ? [{ name: 'http', port: 8080, protocol: 'TCP' }] : [],
  }
}

const PODS = [
  'a/web app=web 10.0.0.1',
  'a/front app=front 10.0.0.2',
  'a/db app=db 10.0.0.3',
  'b/front app=front 10.0.1.2',
  'b/web app=web',
].map(podOf)
const NAMESPACES = new Map([
  ['a', { team: 'one' }],
  ['b', { team: 'two' }],
])

const worldWith = (...specs: readonly NetworkPolicySpec[]): NetworkWorld => ({
  namespaces: NAMESPACES,
  pods: PODS,
  policies: specs.map((spec, i): NetworkPolicy => ({ namespace: 'a', name: `p${i}`, spec })),
})

const end = (text: string): Endpoint => {
  const pod = PODS.find((p) => `${p.namespace}/${p.name}` === text)
  return pod === undefined ? { kind: 'address', ip: text } : { kind: 'pod', pod }
}

/** `a/front → a/web 8080`, `UDP` behind it. */
function flowOf(text: string) {
  const [from = '', , to = '', port = '', protocol = 'TCP'] = text.split(' ')
  return { from: end(from), to: end(to), port: Number(port), protocol: protocol as Protocol }
}

const web = { matchLabels: { app: 'web' } }
const front = { matchLabels: { app: 'front' } }
const NOTHING: NetworkPolicySpec = { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }
const fromFront: NetworkPolicySpec = { podSelector: web, ingress: [{ from: [{ podSelector: front }] }] }
const at = (...ports: NonNullable<NonNullable<NetworkPolicySpec['ingress']>[number]['ports']>): NetworkPolicySpec => ({
  podSelector: web,
  ingress: [{ ports }],
})
const fromPeers = (...from: NonNullable<NonNullable<NetworkPolicySpec['ingress']>[number]['from']>): NetworkPolicySpec => ({
  podSelector: web,
  ingress: [{ from }],
})

const table: readonly (readonly [rule: string, specs: readonly NetworkPolicySpec[], flow: string, allowed: boolean])[] = [
  ['without policies everything flows', [], 'b/front → a/web 80', true],
  ['from outside too', [], '1.2.3.4 → a/web 80', true],
  ['a policy without rules lets nothing in', [{ podSelector: {} }], 'a/front → a/web 80', false],
  ['and is not about what goes out', [{ podSelector: {} }], 'a/web → b/front 80', true],
  ['unless it says so', [NOTHING], 'a/web → b/front 80', false],
  ['a policy is about its own namespace', [NOTHING], 'b/front → b/web 80', true],
  ['a pod always reaches itself', [NOTHING], 'a/web → a/web 80', true],
  ['who is not selected is not isolated', [fromFront], 'a/front → a/db 80', true],
  ['a pod selector means pods of the same namespace', [fromFront], 'a/front → a/web 80', true],
  ['and none of another', [fromFront], 'b/front → a/web 80', false],
  [
    'a namespace selector means all pods there',
    [fromPeers({ namespaceSelector: { matchLabels: { team: 'two' } } })],
    'b/web → a/web 80',
    true,
  ],
  ['both together mean both', [fromPeers({ namespaceSelector: {}, podSelector: front })], 'b/web → a/web 80', false],
  ['and both again', [fromPeers({ namespaceSelector: {}, podSelector: front })], 'b/front → a/web 80', true],
  [
    'two peers mean either',
    [fromPeers({ namespaceSelector: { matchLabels: { team: 'x' } } }, { podSelector: front })],
    'a/front → a/web 80',
    true,
  ],
  ['a block of addresses', [fromPeers({ ipBlock: { cidr: '1.0.0.0/8' } })], '1.2.3.4 → a/web 80', true],
  ['without its exceptions', [fromPeers({ ipBlock: { cidr: '1.0.0.0/8', except: ['1.2.0.0/16'] } })], '1.2.3.4 → a/web 80', false],
  ['pods have addresses as well', [fromPeers({ ipBlock: { cidr: '10.0.1.0/24' } })], 'b/front → a/web 80', true],
  ['but those without one are in no block', [fromPeers({ ipBlock: { cidr: '0.0.0.0/0' } })], 'b/web → a/web 80', false],
  ['blocks of the other family', [fromPeers({ ipBlock: { cidr: '::/0' } })], '1.2.3.4 → a/web 80', false],
  ['and of it', [fromPeers({ ipBlock: { cidr: '2001:db8::/32' } })], '2001:db8::1 → a/web 80', true],
  ['selectors mean no address', [fromPeers({ podSelector: {} })], '1.2.3.4 → a/web 80', false],
  ['nobody named is everybody', [at({ port: 80 })], '1.2.3.4 → a/web 80', true],
  ['at that port', [at({ port: 80 })], '1.2.3.4 → a/web 81', false],
  ['of that protocol', [at({ port: 80 })], '1.2.3.4 → a/web 80 UDP', false],
  ['which may be named', [at({ protocol: 'UDP', port: 80 })], '1.2.3.4 → a/web 80 UDP', true],
  ['alone', [at({ protocol: 'SCTP' })], '1.2.3.4 → a/web 9 SCTP', true],
  ['a range of ports', [at({ port: 80, endPort: 90 })], '1.2.3.4 → a/web 90', true],
  ['ends', [at({ port: 80, endPort: 90 })], '1.2.3.4 → a/web 91', false],
  ['a port by its name', [at({ port: 'http' })], '1.2.3.4 → a/web 8080', true],
  ['is that number only', [at({ port: 'http' })], '1.2.3.4 → a/web 80', false],
  [
    'names are those of the receiver',
    [{ podSelector: front, policyTypes: ['Egress'], egress: [{ ports: [{ port: 'http' }] }] }],
    'a/front → a/web 8080',
    true,
  ],
  [
    'who may have none',
    [{ podSelector: front, policyTypes: ['Egress'], egress: [{ ports: [{ port: 'http' }] }] }],
    'a/front → 1.2.3.4 8080',
    false,
  ],
  ['both sides must agree', [fromFront, { podSelector: front, policyTypes: ['Egress'] }], 'a/front → a/web 80', false],
  ['one rule of one policy is enough', [{ podSelector: {} }, fromFront], 'a/front → a/web 80', true],
]

for (const [rule, specs, flow, allowed] of table)
  test(`network policies: ${rule}`, () => assert.equal(judgeFlow(flowOf(flow), worldWith(...specs)).allowed, allowed))

test('the verdict names the rules that allow, and the policies that do not', () => {
  const world = worldWith({ podSelector: {} }, fromFront, { podSelector: web, ingress: [{ ports: [{ port: 1 }] }, {}] })
  assert.deepEqual(judgeFlow(flowOf('a/front → a/web 80'), world), {
    allowed: true,
    egress: { kind: 'open' },
    ingress: {
      kind: 'allowed',
      by: [
        { policy: 'p1', rule: 1 },
        { policy: 'p2', rule: 2 },
      ],
    },
  })
  assert.deepEqual(judgeFlow(flowOf('b/web → a/db 80'), world).ingress, { kind: 'denied', policies: ['p0'] })
})

test('a policy that does not say is about ingress, and about egress when it has such rules', () => {
  assert.deepEqual(
    [directionsOf({}), directionsOf({ egress: [] }), directionsOf({ egress: [{}] })],
    [['Ingress'], ['Ingress'], ['Ingress', 'Egress']],
  )
})

test('a report lists the policies of a pod, the peers they select now, and who reaches its ports', () => {
  const pod = PODS[0] ?? podOf('a/web app=web')
  const report = explainPod(pod, worldWith(fromFront, fromPeers({ namespaceSelector: { matchLabels: { team: 'two' } } })))
  assert.deepEqual(report.ingress, {
    isolated: true,
    policies: [
      { name: 'p0', rules: [{ peers: ['pods app=front in this namespace'], ports: [], pods: ['a/front'] }] },
      { name: 'p1', rules: [{ peers: ['all pods in namespaces team=two'], ports: [], pods: ['b/front', 'b/web'] }] },
    ],
  })
  assert.equal(report.egress.isolated, false)
  assert.deepEqual(report.reachedBy, [
    { port: 8080, protocol: 'TCP', name: 'http', allowed: ['a/front', 'b/front', 'b/web'], denied: ['a/db'] },
  ])
})

const selector = fc.constantFrom({}, web, front, { matchLabels: { app: 'none' } })
const peer = fc.oneof(
  fc.record({ podSelector: selector }),
  fc.record({ namespaceSelector: fc.constantFrom({}, { matchLabels: { team: 'one' } }) }),
  fc.record({ ipBlock: fc.constantFrom({ cidr: '10.0.0.0/24' }, { cidr: '0.0.0.0/0', except: ['10.0.1.0/24'] }) }),
)
const ports = fc.array(fc.record({ port: fc.constantFrom<number | string>(80, 8080, 'http') }), { maxLength: 2 })
const spec = fc.record({
  podSelector: selector,
  policyTypes: fc.subarray(['Ingress', 'Egress'], { minLength: 1 }),
  ingress: fc.array(fc.record({ from: fc.array(peer, { maxLength: 2 }), ports }), { maxLength: 2 }),
  egress: fc.array(fc.record({ to: fc.array(peer, { maxLength: 2 }), ports }), { maxLength: 2 }),
})
const flow = fc.record({
  from: fc.constantFrom('a/web', 'a/front', 'b/front', '1.2.3.4').map(end),
  to: fc.constantFrom('a/web', 'a/db', 'b/web', '1.2.3.4').map(end),
  port: fc.constantFrom(80, 8080),
  protocol: fc.constant('TCP' as const),
})

test('a rule more never takes anything away, and a policy without rules never gives anything', () => {
  fc.assert(
    fc.property(fc.array(spec, { maxLength: 3 }), flow, (specs, requested) => {
      const { allowed } = judgeFlow(requested, worldWith(...specs))
      const opened = specs.map((s) => ({ ...s, ingress: [...s.ingress, {}], egress: [...s.egress, {}] }))
      assert.ok(judgeFlow(requested, worldWith(...opened)).allowed)
      if (!allowed) assert.ok(!judgeFlow(requested, worldWith(...specs, NOTHING)).allowed)
    }),
  )
})

test('the order of policies does not matter', () => {
  fc.assert(
    fc.property(fc.array(spec, { maxLength: 4 }), flow, (specs, requested) => {
      const backwards = worldWith(...specs.toReversed())
      assert.equal(judgeFlow(requested, worldWith(...specs)).allowed, judgeFlow(requested, backwards).allowed)
    }),
  )
})
