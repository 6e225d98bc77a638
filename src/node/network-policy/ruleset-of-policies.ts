import { peerMatches } from '../../machinery/network/match-peers.ts'
import {
  type Direction,
  type NetworkPod,
  type NetworkWorld,
  type PolicyPeer,
  type PolicyPort,
  type PolicyRule,
  podText,
} from '../../machinery/network/network-world.ts'
import { policiesOf, rulesOf } from '../../machinery/network/select-policies.ts'
import { chainName } from '../nftables/chain-name.ts'
import { type Chain, type Family, familyOf, type Ruleset, type SetOfElements } from '../nftables/ruleset.ts'

const TABLE = 'inet bowsprit-policies'
const FAMILIES: readonly Family[] = ['ip', 'ip6']
const DIRECTIONS: readonly Direction[] = ['Egress', 'Ingress']

/**
 * The rules that let through to and from the pods of one node what policies allow, by the same functions that explain them. Packets of the
 * node itself (probes) do not come by, as they are not forwarded. Without policies there is no table. Pure.
 */
export function rulesetOfPolicies(world: NetworkWorld, isLocal: (pod: NetworkPod) => boolean): Ruleset {
  if (world.policies.length === 0) return { tables: new Map() }
  const chains = new Map<string, Chain>()
  const sets = new Map<string, SetOfElements>()
  const forward = ['ct state established,related accept']
  for (const direction of DIRECTIONS)
    for (const family of FAMILIES) {
      const elements = new Map<string, string>()
      for (const pod of world.pods)
        if (!pod.hostNetwork && isLocal(pod)) {
          const chain = addPod(chains, pod, direction, world)
          if (chain !== undefined) for (const ip of pod.ips) if (familyOf(ip) === family) elements.set(ip, `jump ${chain}`)
        }
      const name = `${direction.toLowerCase()}-${family}`
      sets.set(name, { kind: 'map', definition: `type ${family === 'ip' ? 'ipv4_addr' : 'ipv6_addr'} : verdict`, elements })
      forward.push(`${family} ${ownEnd(direction)} vmap @${name}`)
    }
  // After the destination was changed by rules of services, before the source is.
  chains.set('forward', { hook: 'type filter hook forward priority 10', rules: forward })
  return { tables: new Map([[TABLE, { chains, sets }]]) }
}

/** The address of the pod that is isolated, and that of who is at the other end. */
const ownEnd = (direction: Direction) => (direction === 'Egress' ? 'saddr' : 'daddr')
const otherEnd = (direction: Direction) => (direction === 'Egress' ? 'daddr' : 'saddr')

/** The chain that returns for what is allowed, and drops all else; undefined where no policy isolates the pod. */
function addPod(chains: Map<string, Chain>, pod: NetworkPod, direction: Direction, world: NetworkWorld): string | undefined {
  const policies = policiesOf(world.policies, pod, direction)
  if (policies.length === 0) return undefined
  const name = chainName(direction.toLowerCase(), podText(pod))
  // A pod always reaches itself, also by a service.
  const itself = pod.ips.map((ip) => `${familyOf(ip)} ${otherEnd(direction)} ${ip} return`)
  const allowed = policies.flatMap(({ spec, namespace }) =>
    rulesOf(spec, direction).flatMap((rule) => matchesOf(rule, { pod, direction, namespace, world })),
  )
  chains.set(name, { rules: [...itself, ...[...new Set(allowed)].map((match) => `${match}return`), 'drop'] })
  return name
}

interface RuleOf {
  readonly pod: NetworkPod
  readonly direction: Direction
  /** Of the policy. */
  readonly namespace: string
  readonly world: NetworkWorld
}

/** What a packet has to be like so that a rule lets it pass: one text for each way to be so. */
function matchesOf({ peers, ports }: PolicyRule, of: RuleOf): readonly string[] {
  const selecting = peers.filter(({ ipBlock }) => ipBlock === undefined)
  const named = ports.filter(({ port }) => typeof port === 'string')
  const byNumber = ports.length === 0 ? [''] : ports.filter(({ port }) => typeof port !== 'string').map(portMatch)
  const byAddress =
    peers.length === 0 ? [''] : [...addressMatches(podsOf(selecting, of), of.direction), ...blockMatches(peers, of.direction)]
  return [...byAddress.flatMap((address) => byNumber.map((port) => `${address}${port}`)), ...namedMatches(named, { byAddress, peers, of })]
}

function podsOf(peers: readonly PolicyPeer[], { namespace, world }: RuleOf): readonly NetworkPod[] {
  return world.pods.filter((pod) => !pod.hostNetwork && peers.some((peer) => peerMatches(peer, { kind: 'pod', pod }, namespace, world)))
}

function addressMatches(pods: readonly NetworkPod[], direction: Direction): readonly string[] {
  const ips = pods.flatMap((pod) => pod.ips)
  return FAMILIES.flatMap((family) => {
    const own = ips.filter((ip) => familyOf(ip) === family)
    return own.length === 0 ? [] : [`${family} ${otherEnd(direction)} { ${own.join(', ')} } `]
  })
}

function blockMatches(peers: readonly PolicyPeer[], direction: Direction): readonly string[] {
  return peers.flatMap(({ ipBlock }) => {
    if (ipBlock === undefined) return []
    const end = `${familyOf(ipBlock.cidr)} ${otherEnd(direction)}`
    const except = (ipBlock.except ?? []).map((cidr) => `${end} != ${cidr} `).join('')
    // The kernel's parser refuses a network of everything as a value of its own.
    return [
      ipBlock.cidr.endsWith('/0')
        ? `meta nfproto ${familyOf(ipBlock.cidr) === 'ip' ? 'ipv4' : 'ipv6'} ${except}`
        : `${end} ${ipBlock.cidr} ${except}`,
    ]
  })
}

function portMatch({ protocol = 'TCP', port, endPort }: PolicyPort): string {
  const own = protocol.toLowerCase()
  if (port === undefined) return `meta l4proto ${own} `
  return `${own} dport ${endPort === undefined ? port : `${port}-${endPort}`} `
}

interface Named {
  readonly byAddress: readonly string[]
  readonly peers: readonly PolicyPeer[]
  readonly of: RuleOf
}

/** Names of ports are those of the pod that receives: this one, or each of the others. */
function namedMatches(ports: readonly PolicyPort[], { byAddress, peers, of }: Named): readonly string[] {
  return ports.flatMap(({ protocol = 'TCP', port }) => {
    const numbers = (receiver: NetworkPod) =>
      receiver.ports.filter((p) => p.name === port && p.protocol === protocol).map((p) => portMatch({ protocol, port: p.port }))
    if (of.direction === 'Ingress') return byAddress.flatMap((address) => numbers(of.pod).map((number) => `${address}${number}`))
    return receiversOf(peers, of).flatMap((receiver) =>
      addressMatches([receiver], of.direction).flatMap((address) => numbers(receiver).map((n) => `${address}${n}`)),
    )
  })
}

/** Who may receive, address by address: a block takes in a pod's addresses of its own family only. */
function receiversOf(peers: readonly PolicyPeer[], { namespace, world }: RuleOf): readonly NetworkPod[] {
  return world.pods
    .filter(({ hostNetwork }) => !hostNetwork)
    .flatMap((pod) => pod.ips.map((ip) => ({ ...pod, ips: [ip] })))
    .filter((pod) => peers.length === 0 || peers.some((peer) => peerMatches(peer, { kind: 'pod', pod }, namespace, world)))
}
