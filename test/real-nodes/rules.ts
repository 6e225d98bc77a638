/** The tests of `rules.test.ts`, which starts this file in namespaces of its own. */
import { test } from 'node:test'
import fc from 'fast-check'
import type { NetworkPod, NetworkPolicySpec, PolicyPeer, PolicyPort } from '../../src/machinery/network/network-world.ts'
import { rulesetOfPolicies } from '../../src/node/network-policy/ruleset-of-policies.ts'
import { machineNft, RuleWriter } from '../../src/node/nftables/nft.ts'
import { chooseEndpoints } from '../../src/node/service-proxy/endpoint-choice.ts'
import { rulesetOfServices } from '../../src/node/service-proxy/ruleset-of-services.ts'
import { proxiedPorts } from '../../src/node/service-proxy/service-port.ts'
import type { Service } from '../../src/resources/types/core.ts'
import type { EndpointSlice } from '../../src/resources/types/discovery.ts'

const NODE = { name: 'n1', zone: undefined, ips: ['192.0.2.11', 'fd00:2::11'], podCidrs: ['10.244.0.0/16', 'fd00:244::/56'] }
const policy = fc.constantFrom('Local', 'Cluster')

/** The n-th service, whose addresses are its own. */
const service = (n: number): fc.Arbitrary<Service> =>
  fc
    .record({
      outside: fc.boolean(),
      sticky: fc.boolean(),
      seconds: fc.constantFrom(10, 11),
      ranges: fc.boolean(),
      external: policy,
      internal: policy,
    })
    .map(({ outside, sticky, seconds, ranges, external, internal }) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: `s${n}`, namespace: 'd' },
      spec: {
        clusterIPs: [`10.0.0.${n + 1}`, `fd00:10::${n + 1}`],
        ...(sticky && { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: seconds } } }),
        ...(ranges && { loadBalancerSourceRanges: ['10.0.0.0/8', 'fd00::/8'] }),
        externalTrafficPolicy: external,
        internalTrafficPolicy: internal,
        clusterIP: `10.0.0.${n + 1}`,
        ports: [
          { name: 'a', port: 80, ...(outside && { nodePort: 30_000 + n }) },
          { name: 'b', port: 53, protocol: 'UDP' },
        ],
      },
      status: { loadBalancer: { ingress: outside ? [{ ip: `203.0.113.${n + 1}` }] : [] } },
    }))

const slice = (addressType: 'IPv4' | 'IPv6', nodes: readonly string[]): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 's' },
  addressType,
  ports: [
    { name: 'a', port: 8080 },
    { name: 'b', port: 53, protocol: 'UDP' },
  ],
  endpoints: nodes.map((nodeName, i) => ({ addresses: [addressType === 'IPv4' ? `10.244.0.${i + 2}` : `fd00:244::${i + 2}`], nodeName })),
})
const slices = fc.array(fc.constantFrom('n1', 'n2'), { maxLength: 3 }).map((nodes) => [slice('IPv4', nodes), slice('IPv6', nodes)])
const services = fc.tuple(...[0, 1, 2].map((n) => fc.option(fc.tuple(service(n), slices), { nil: undefined })))

const PODS: readonly NetworkPod[] = [2, 3].map((n) => ({
  namespace: 'a',
  name: `p${n}`,
  labels: { app: `p${n}` },
  ips: [`10.244.0.${n}`, `fd00:244::${n}`],
  hostNetwork: false,
  ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
}))
const peers = fc.subarray<PolicyPeer>([
  { podSelector: {} },
  { ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '192.0.2.0/24'] } },
  { ipBlock: { cidr: '::/0' } },
  { ipBlock: { cidr: 'fd00::/8' } },
])
const ports = fc.subarray<PolicyPort>([{ port: 80 }, { port: 'http' }, { protocol: 'UDP' }, { port: 1, endPort: 9, protocol: 'SCTP' }])
const spec: fc.Arbitrary<NetworkPolicySpec> = fc.record({ peers, ports }).map(({ peers, ports }) => ({
  policyTypes: ['Ingress', 'Egress'],
  ingress: [{ from: peers, ports }],
  egress: [{ to: peers, ports }],
}))

test('nft takes every change from any rules to any others', async () => {
  const writers = { services: new RuleWriter(machineNft), policies: new RuleWriter(machineNft) }
  const step = fc.asyncProperty(services, fc.array(spec, { maxLength: 2 }), async (chosen, specs) => {
    const routed = chosen
      .filter((one) => one !== undefined)
      .flatMap(([one, own]) => proxiedPorts(one).map((port) => ({ port, endpoints: chooseEndpoints(port, own, NODE) })))
    await writers.services.write(rulesetOfServices(routed, NODE))
    const policies = specs.map((one, i) => ({ namespace: 'a', name: `n${i}`, spec: one }))
    await writers.policies.write(rulesetOfPolicies({ namespaces: new Map([['a', {}]]), pods: PODS, policies }, () => true))
  })
  await fc.assert(step, { numRuns: 60 })
})
