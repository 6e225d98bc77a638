import { chainName } from '../nftables/chain-name.ts'
import type { Chain, Family, NftablesTable, Ruleset, SetOfElements } from '../nftables/ruleset.ts'
import { familyOf } from '../nftables/ruleset.ts'
import type { EndpointChoice, ProxyNode, Target } from './endpoint-choice.ts'
import type { ProxiedPort } from './service-port.ts'

/** A port of a service with the endpoints that take its connections. */
export interface RoutedPort {
  readonly port: ProxiedPort
  readonly endpoints: EndpointChoice
}

/** Packets with this bit of their mark get the node's address as they leave. It is the kubelet's, so that both may be there. */
const MASQUERADE = '0x4000'
const TO_MASQUERADE = 'jump mark-for-masquerade'

/** The rules of all services, in a table for each address family. Pure. */
export function rulesetOfServices(ports: readonly RoutedPort[], node: ProxyNode): Ruleset {
  const families: readonly Family[] = ['ip', 'ip6']
  return {
    tables: new Map(
      families.map((family) => [
        `${family} bowsprit-services`,
        tableOf(
          family,
          ports.filter(({ port }) => port.family === family),
          node,
        ),
      ]),
    ),
  }
}

/** A table as it is put together. */
interface Draft {
  readonly family: Family
  readonly node: ProxyNode
  readonly chains: Map<string, Chain>
  readonly sets: Map<string, SetOfElements>
  readonly serviceIps: Map<string, string>
  readonly nodePorts: Map<string, string>
  readonly withoutEndpoints: Map<string, string>
  readonly nodePortsWithoutEndpoints: Map<string, string>
  readonly firewalls: Map<string, string>
  readonly clusterIps: Map<string, string>
}

function tableOf(family: Family, ports: readonly RoutedPort[], node: ProxyNode): NftablesTable {
  const map = () => new Map<string, string>()
  const draft: Draft = {
    family,
    node,
    chains: baseChains(family),
    sets: new Map(),
    serviceIps: map(),
    nodePorts: map(),
    withoutEndpoints: map(),
    nodePortsWithoutEndpoints: map(),
    firewalls: map(),
    clusterIps: map(),
  }
  for (const one of ports) addPort(draft, one)
  const address = family === 'ip' ? 'ipv4_addr' : 'ipv6_addr'
  const [byAddress, byPort] = [`type ${address} . inet_proto . inet_service : verdict`, 'type inet_proto . inet_service : verdict']
  const nodeIps = new Map(node.ips.filter((ip) => familyOf(ip) === family).map((ip) => [ip, '']))
  const put = (name: string, kind: 'map' | 'set', definition: string, elements: ReadonlyMap<string, string>) =>
    draft.sets.set(name, { kind, definition, elements })
  put('service-ips', 'map', byAddress, draft.serviceIps)
  put('service-nodeports', 'map', byPort, draft.nodePorts)
  put('no-endpoint-services', 'map', byAddress, draft.withoutEndpoints)
  put('no-endpoint-nodeports', 'map', byPort, draft.nodePortsWithoutEndpoints)
  put('firewall-ips', 'map', byAddress, draft.firewalls)
  put('cluster-ips', 'set', `type ${address}`, draft.clusterIps)
  put('nodeport-ips', 'set', `type ${address}`, nodeIps)
  return { chains: draft.chains, sets: draft.sets }
}

/** Where the kernel's packets come in. Priorities: 0 is that of filters, -100 that of changes of the destination. */
function baseChains(family: Family): Map<string, Chain> {
  const key = `${family} daddr . meta l4proto . th dport`
  const services = `${key} vmap @service-ips`
  const nodePorts = `${family} daddr @nodeport-ips meta l4proto . th dport`
  const invalidPorts = `${family} daddr @cluster-ips goto reject-chain`
  return new Map<string, Chain>([
    ['mark-for-masquerade', { rules: [`meta mark set meta mark or ${MASQUERADE}`] }],
    // The kernel limits how many errors of ICMP it sends a client; resets of TCP it does not.
    ['reject-chain', { rules: ['meta l4proto tcp reject with tcp reset', 'reject'] }],
    ['services', { rules: [services, `${nodePorts} vmap @service-nodeports`] }],
    ['no-endpoints', { rules: [`${key} vmap @no-endpoint-services`] }],
    ['firewall', { rules: [`${key} vmap @firewall-ips`] }],
    ['firewall-prerouting', { hook: 'type filter hook prerouting priority -110', rules: ['ct state new jump firewall'] }],
    ['firewall-output', { hook: 'type filter hook output priority -110', rules: ['ct state new jump firewall'] }],
    ['nat-prerouting', { hook: 'type nat hook prerouting priority -100', rules: ['jump services'] }],
    ['nat-output', { hook: 'type nat hook output priority -100', rules: ['jump services'] }],
    [
      'filter-input',
      {
        hook: 'type filter hook input priority 0',
        rules: [`ct state new ${nodePorts} vmap @no-endpoint-nodeports`, 'ct state new jump no-endpoints'],
      },
    ],
    [
      'filter-forward',
      { hook: 'type filter hook forward priority 0', rules: ['ct state new jump no-endpoints', `ct state new ${invalidPorts}`] },
    ],
    [
      'filter-output',
      { hook: 'type filter hook output priority -90', rules: ['ct state new jump no-endpoints', `ct state new ${invalidPorts}`] },
    ],
    [
      'nat-postrouting',
      {
        hook: 'type nat hook postrouting priority 100',
        rules: [`meta mark & ${MASQUERADE} == 0 return`, `meta mark set meta mark xor ${MASQUERADE}`, 'masquerade fully-random'],
      },
    ],
  ])
}

function addPort(draft: Draft, { port, endpoints }: RoutedPort): void {
  const { any, cluster, local } = endpoints
  draft.clusterIps.set(port.clusterIp, '')
  const internal = port.internalLocal ? local : cluster
  const external = port.externalLocal ? local : cluster
  const clusterKey = keyOf(port.clusterIp, port)
  if (internal.length > 0)
    draft.serviceIps.set(clusterKey, `goto ${port.internalLocal ? addLocal(draft, port, local) : addCluster(draft, port, cluster)}`)
  else draft.withoutEndpoints.set(clusterKey, any ? 'drop' : 'goto reject-chain')
  const outside = [...port.externalIps, ...port.loadBalancerIps].map((ip) => keyOf(ip, port))
  const nodePort = port.nodePort === undefined ? undefined : `${port.protocol} . ${port.nodePort}`
  if (outside.length === 0 && nodePort === undefined) return
  if (any) {
    const verdict = `goto ${addExternal(draft, port, endpoints)}`
    for (const key of outside) draft.serviceIps.set(key, verdict)
    if (nodePort !== undefined) draft.nodePorts.set(nodePort, verdict)
  }
  if (external.length === 0) {
    const verdict = any ? 'drop' : 'goto reject-chain'
    for (const key of outside) draft.withoutEndpoints.set(key, verdict)
    if (nodePort !== undefined) draft.nodePortsWithoutEndpoints.set(nodePort, verdict)
  }
  if (port.sourceRanges.length > 0) addFirewall(draft, port)
}

const keyOf = (ip: string, { protocol, port }: ProxiedPort) => `${ip} . ${protocol} . ${port}`

const addCluster = (draft: Draft, port: ProxiedPort, targets: readonly Target[]) => addBalanced(draft, 'service', port, targets)
const addLocal = (draft: Draft, port: ProxiedPort, targets: readonly Target[]) => addBalanced(draft, 'local', port, targets)

/** A chain that leads to one of these endpoints. */
function addBalanced(draft: Draft, kind: 'service' | 'local', port: ProxiedPort, targets: readonly Target[]): string {
  const name = chainName(kind, port.id)
  if (draft.chains.has(name)) return name
  const { family } = draft
  const rules: string[] = []
  const [podCidr] = draft.node.podCidrs.filter((cidr) => familyOf(cidr) === family)
  // Who is no pod of this node may not be able to answer to one: it is reached by way of this node.
  if (podCidr !== undefined)
    rules.push(`${family} daddr ${port.clusterIp} ${port.protocol} dport ${port.port} ${family} saddr != ${podCidr} ${TO_MASQUERADE}`)
  const chains = targets.map((target) => addEndpoint(draft, port, target))
  if (port.affinitySeconds !== undefined) for (const { chain, affinity } of chains) rules.push(`${family} saddr @${affinity} goto ${chain}`)
  const choices = chains.map(({ chain }, i) => `${i} : goto ${chain}`)
  if (choices.length > 0) rules.push(`numgen random mod ${choices.length} vmap { ${choices.join(', ')} }`)
  draft.chains.set(name, { rules })
  return name
}

function addEndpoint(draft: Draft, port: ProxiedPort, { ip, port: targetPort }: Target) {
  const id = `${port.id}/${ip}/${targetPort}`
  const chain = chainName('endpoint', id)
  const seconds = port.affinitySeconds
  const affinity = chainName(`affinity${seconds ?? ''}`, id)
  if (draft.chains.has(chain)) return { chain, affinity }
  const { family } = draft
  const to = family === 'ip' ? `${ip}:${targetPort}` : `[${ip}]:${targetPort}`
  const remember = seconds === undefined ? [] : [`update @${affinity} { ${family} saddr }`]
  // An endpoint that reaches itself would answer itself directly.
  draft.chains.set(chain, { rules: [`${family} saddr ${ip} ${TO_MASQUERADE}`, ...remember, `meta l4proto ${port.protocol} dnat to ${to}`] })
  if (seconds !== undefined) {
    const type = family === 'ip' ? 'ipv4_addr' : 'ipv6_addr'
    draft.sets.set(affinity, { kind: 'set', definition: `type ${type} ; flags dynamic,timeout ; timeout ${seconds}s` })
  }
  return { chain, affinity }
}

/** What comes from outside, by a port of the node or an address of the service. */
function addExternal(draft: Draft, port: ProxiedPort, { cluster, local }: EndpointChoice): string {
  const name = chainName('external', port.id)
  const { family, node } = draft
  const everywhere = cluster.length > 0 ? addCluster(draft, port, cluster) : undefined
  const rules: string[] = []
  if (!port.externalLocal) rules.push(TO_MASQUERADE, ...(everywhere === undefined ? [] : [`goto ${everywhere}`]))
  else {
    // Pods and the node itself are inside of the cluster: for them the policy does not count.
    if (everywhere !== undefined) {
      for (const cidr of node.podCidrs) if (familyOf(cidr) === family) rules.push(`${family} saddr ${cidr} goto ${everywhere}`)
      rules.push(`fib saddr type local ${TO_MASQUERADE}`, `fib saddr type local goto ${everywhere}`)
    }
    if (local.length > 0) rules.push(`goto ${addLocal(draft, port, local)}`)
  }
  draft.chains.set(name, { rules })
  return name
}

/** Who may use the load balancer's addresses. */
function addFirewall(draft: Draft, port: ProxiedPort): void {
  const name = chainName('firewall', port.id)
  draft.chains.set(name, { rules: [`${draft.family} saddr != { ${port.sourceRanges.join(', ')} } drop`] })
  for (const ip of port.loadBalancerIps) draft.firewalls.set(keyOf(ip, port), `goto ${name}`)
}
