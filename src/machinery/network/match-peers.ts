import { cidrContains, parseCidr, parseIp } from '../ip-address.ts'
import { compileLabelSelector } from '../selectors/label-selector.ts'
import type { Endpoint, NetworkPod, NetworkWorld, PolicyPeer } from './network-world.ts'

/** True if a peer of a policy in that namespace matches this end. */
export function peerMatches(peer: PolicyPeer, end: Endpoint, policyNamespace: string, world: Pick<NetworkWorld, 'namespaces'>): boolean {
  if (peer.ipBlock !== undefined) {
    const { cidr, except = [] } = peer.ipBlock
    return addressesOf(end).some((ip) => contains(cidr, ip) && !except.some((part) => contains(part, ip)))
  }
  return end.kind === 'pod' && podMatches(peer, end.pod, policyNamespace, world)
}

const addressesOf = (end: Endpoint): readonly string[] => (end.kind === 'pod' ? end.pod.ips : [end.ip])

function contains(cidr: string, ip: string): boolean {
  const network = parseCidr(cidr)
  const address = parseIp(ip)
  return network !== undefined && address !== undefined && cidrContains(network, address)
}

/** A namespace selector alone matches all pods there, a pod selector alone those of the policy's own namespace, both together both. */
function podMatches(
  { podSelector, namespaceSelector }: PolicyPeer,
  pod: NetworkPod,
  own: string,
  { namespaces }: Pick<NetworkWorld, 'namespaces'>,
): boolean {
  if (podSelector === undefined && namespaceSelector === undefined) return false
  const inNamespace =
    namespaceSelector === undefined
      ? pod.namespace === own
      : compileLabelSelector(namespaceSelector).matches(namespaces.get(pod.namespace) ?? {})
  return inNamespace && compileLabelSelector(podSelector ?? {}).matches(pod.labels)
}
