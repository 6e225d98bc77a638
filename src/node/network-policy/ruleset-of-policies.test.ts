import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cidrContains, parseCidr, parseIp } from '../../machinery/ip-address.ts'
import { judgeFlow } from '../../machinery/network/judge-flow.ts'
import type { NetworkPod, NetworkPolicySpec, NetworkWorld, PolicyPeer, PolicyPort } from '../../machinery/network/network-world.ts'
import { rulesetOfPolicies } from './ruleset-of-policies.ts'

const pod = (namespace: string, name: string, ips: readonly string[], port: number): NetworkPod => ({
  namespace,
  name,
  labels: { app: name },
  ips,
  hostNetwork: false,
  ports: [{ name: 'http', port, protocol: 'TCP' }],
})
const PODS = [
  pod('a', 'web', ['10.0.0.1', 'fd00::1'], 80),
  pod('a', 'db', ['10.0.0.2', 'fd00::2'], 81),
  pod('b', 'web', ['10.0.1.1', 'fd00::101'], 81),
  pod('b', 'job', ['10.0.1.2'], 80),
]
const OUTSIDE = ['192.0.2.1', '10.9.9.9', 'fd00:9::1']
const NAMESPACES = new Map([
  ['a', { team: 'x' }],
  ['b', { team: 'y' }],
])

/** A packet, as the rules look at it. */
interface Packet {
  readonly saddr: string
  readonly daddr: string
  readonly protocol: string
  readonly dport: number
}

/** What the kernel makes of a rule's conditions. Only the words that are used here. */
function matches(conditions: string, packet: Packet): boolean {
  const words = conditions
    .replaceAll(/\{ ([^}]*) \}/g, (_, list: string) => list.replaceAll(' ', ''))
    .split(' ')
    .filter(Boolean)
  while (words.length > 0) {
    const [first = '', second = ''] = words.splice(0, 2)
    const isNot = words[0] === '!='
    if (isNot) words.shift()
    const value = words.length > 0 || first !== 'meta' ? (words.shift() ?? '') : ''
    const six = packet.saddr.includes(':')
    if (first === 'ip' || first === 'ip6') {
      const address = second === 'saddr' ? packet.saddr : packet.daddr
      const isIn = (one: string) => (one.includes('/') ? contains(one, address) : one === address)
      if ((first === 'ip6') !== six || value.split(',').some(isIn) === isNot) return false
    } else if (second === 'dport') {
      const [low = 0, high = low] = value.split('-').map(Number)
      if (packet.protocol !== first || packet.dport < low || packet.dport > high) return false
    } else if (second === 'l4proto') {
      if (packet.protocol !== value) return false
    } else if (second === 'nfproto') {
      if ((value === 'ipv6') !== six) return false
    } else throw new Error(`unknown condition: ${first} ${second}`)
  }
  return true
}

function contains(cidr: string, address: string): boolean {
  const [network, ip] = [parseCidr(cidr), parseIp(address)]
  return network !== undefined && ip !== undefined && cidrContains(network, ip)
}

/** Whether the rules let a packet pass. */
function passes(world: NetworkWorld, packet: Packet): boolean {
  const table = rulesetOfPolicies(world, () => true).tables.get('inet bowsprit-policies')
  const family = packet.saddr.includes(':') ? 'ip6' : 'ip'
  const verdictOf = (set: string, address: string) => {
    const chain = table?.sets.get(set)?.elements?.get(address)?.replace('jump ', '')
    const rule = table?.chains.get(chain ?? '')?.rules.find((one) => matches(one.replace(/(return|drop)$/, ''), packet))
    return rule?.endsWith('drop') !== true
  }
  return verdictOf(`egress-${family}`, packet.saddr) && verdictOf(`ingress-${family}`, packet.daddr)
}

const selector = fc.option(
  fc.constantFrom('web', 'db', 'job').map((app) => ({ matchLabels: { app } })),
  { nil: undefined },
)
const peer: fc.Arbitrary<PolicyPeer> = fc.oneof(
  fc.tuple(selector, fc.option(fc.constantFrom({}, { matchLabels: { team: 'y' } }), { nil: undefined })).map(([pods, namespaces]) => ({
    ...(pods && { podSelector: pods }),
    ...(namespaces && { namespaceSelector: namespaces }),
    ...(!pods && !namespaces && { podSelector: {} }),
  })),
  fc.constantFrom<PolicyPeer>(
    { ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } },
    { ipBlock: { cidr: '10.0.0.0/16', except: ['10.0.1.0/24', '10.0.0.2/32'] } },
    { ipBlock: { cidr: 'fd00::/64' } },
    { ipBlock: { cidr: '::/0' } },
  ),
)
const port: fc.Arbitrary<PolicyPort> = fc.constantFrom<PolicyPort>(
  { port: 80 },
  { port: 80, endPort: 81 },
  { port: 'http' },
  { protocol: 'UDP' },
  {},
)
const rules = fc.array(fc.record({ peers: fc.array(peer, { maxLength: 2 }), ports: fc.array(port, { maxLength: 2 }) }), { maxLength: 2 })
const spec: fc.Arbitrary<NetworkPolicySpec> = fc
  .record({ podSelector: selector, ingress: rules, egress: rules, types: fc.subarray(['Ingress', 'Egress']) })
  .map(({ podSelector, ingress, egress, types }) => ({
    ...(podSelector && { podSelector }),
    policyTypes: types,
    ingress: ingress.map(({ peers, ports }) => ({ from: peers, ports })),
    egress: egress.map(({ peers, ports }) => ({ to: peers, ports })),
  }))
const address = fc.constantFrom(...PODS.flatMap(({ ips }) => ips), ...OUTSIDE)
const packet = fc
  .record({ saddr: address, daddr: address, protocol: fc.constantFrom('tcp', 'udp'), dport: fc.constantFrom(80, 81, 82) })
  .filter(({ saddr, daddr }) => saddr.includes(':') === daddr.includes(':'))

/** The explanation knows no packets: it is asked of pods with addresses of one family. */
const podsOf = (six: boolean) => PODS.map((one) => ({ ...one, ips: one.ips.filter((ip) => ip.includes(':') === six) }))
const endOf = (ip: string) => {
  const found = podsOf(ip.includes(':')).find(({ ips }) => ips.includes(ip))
  return found === undefined ? ({ kind: 'address', ip } as const) : ({ kind: 'pod', pod: found } as const)
}

/** A pod with addresses of both families is in `::/0` by one of them. Found with seed -709391124. */
const BLOCK_OF_THE_OTHER_FAMILY: { namespace: string; spec: NetworkPolicySpec }[] = [
  { namespace: 'a', spec: { policyTypes: ['Egress'], egress: [{ to: [{ ipBlock: { cidr: '::/0' } }], ports: [{ port: 'http' }] }] } },
]

test('the kernel lets through what the explanation of policies allows, and nothing else', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ namespace: fc.constantFrom('a', 'b'), spec }), { minLength: 1, maxLength: 3 }),
      packet,
      (policies, one) => {
        const world = { namespaces: NAMESPACES, pods: PODS, policies: policies.map((p, i) => ({ ...p, name: `p${i}` })) }
        const flow = {
          from: endOf(one.saddr),
          to: endOf(one.daddr),
          port: one.dport,
          protocol: one.protocol === 'tcp' ? 'TCP' : 'UDP',
        } as const
        assert.equal(passes(world, one), judgeFlow(flow, { ...world, pods: podsOf(one.saddr.includes(':')) }).allowed)
      },
    ),
    { numRuns: 2000, examples: [[BLOCK_OF_THE_OTHER_FAMILY, { saddr: '10.0.0.1', daddr: '10.0.0.2', protocol: 'tcp', dport: 81 }]] },
  )
})

test('without a policy there are no rules', () => {
  assert.equal(rulesetOfPolicies({ namespaces: NAMESPACES, pods: PODS, policies: [] }, () => true).tables.size, 0)
})
