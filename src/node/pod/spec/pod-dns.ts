import type { NodeHost } from '../../host/node-host.ts'
import type { DnsConfig } from '../../runtime/container-spec.ts'
import type { Pod } from '../../types/pod.ts'

/** The limits of the C library for a `resolv.conf`. */
const MOST = { servers: 3, searches: 32, characters: 2048, name: 253 } as const
const CLUSTER_OPTIONS = ['ndots:5'] as const

/** Where the DNS of pods leads. */
export type DnsHost = Pick<NodeHost, 'resolver' | 'clusterDns' | 'clusterDomain'>

interface PodDns {
  readonly dns: DnsConfig
  readonly faults: readonly { readonly reason: string; readonly message: string }[]
}

/** The DNS configuration of pods without their own settings, by namespace; valid while the host's is unchanged. */
const PLAIN = new Map<string, { readonly host: DnsHost; readonly reported: PodDns }>()
const MOST_NAMESPACES = 256

/** A pod's DNS configuration, and the warnings about what exceeded the limits. Pure. */
export function podDns(pod: Pod, host: DnsHost): PodDns {
  const { dnsPolicy = 'ClusterFirst', dnsConfig, hostNetwork = false } = pod.spec
  // Without a cluster resolver, the warning depends on the pod.
  if (dnsPolicy !== 'ClusterFirst' || dnsConfig !== undefined || hostNetwork || host.clusterDns.length === 0) return formDns(pod, host)
  const { namespace = '' } = pod.metadata
  const { resolver, clusterDns, clusterDomain } = host
  const known = PLAIN.get(namespace)
  if (known?.host.resolver === resolver && known.host.clusterDns === clusterDns && known.host.clusterDomain === clusterDomain)
    return known.reported
  const reported = formDns(pod, host)
  if (known !== undefined || PLAIN.size < MOST_NAMESPACES) PLAIN.set(namespace, { host: { resolver, clusterDns, clusterDomain }, reported })
  return reported
}

function formDns(pod: Pod, host: DnsHost): PodDns {
  const { dnsConfig = {} } = pod.spec
  const { dns: base, missing } = baseOf(pod, host)
  const servers = unique([...base.servers, ...(dnsConfig.nameservers ?? [])])
  const searches = unique([...base.searches, ...(dnsConfig.searches ?? [])])
  const options = optionsOf(base.options, dnsConfig.options ?? [])
  const kept: DnsConfig = { servers: servers.slice(0, MOST.servers), searches: fitting(searches), options }
  const said = (what: string, message: string) => ({ reason: 'DNSConfigForming', message: `${what} limits were exceeded, some ${message}` })
  return {
    dns: kept,
    faults: [
      ...(missing ? [{ reason: 'MissingClusterDNS', message: missing }] : []),
      ...(servers.length > kept.servers.length
        ? [said('Nameserver', `nameservers have been omitted, the applied nameserver line is: ${kept.servers.join(' ')}`)]
        : []),
      ...(searches.length > kept.searches.length
        ? [said('Search Line', `search paths have been omitted, the applied search line is: ${kept.searches.join(' ')}`)]
        : []),
    ],
  }
}

function baseOf(
  { spec, metadata }: Pod,
  { resolver, clusterDns, clusterDomain }: DnsHost,
): { readonly dns: DnsConfig; readonly missing?: string } {
  const { dnsPolicy = 'ClusterFirst' } = spec
  if (dnsPolicy === 'None') return { dns: { servers: [], searches: [], options: [] } }
  if (dnsPolicy === 'Default' || (dnsPolicy === 'ClusterFirst' && spec.hostNetwork)) return { dns: resolver }
  const { namespace = '', name = '', uid = '' } = metadata
  if (clusterDns.length === 0) {
    const why =
      'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.'
    return { dns: resolver, missing: `pod: "${name}_${namespace}(${uid})". ${why}` }
  }
  const own = clusterDomain === '' ? [] : [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain]
  return { dns: { servers: clusterDns, searches: unique([...own, ...resolver.searches]), options: CLUSTER_OPTIONS } }
}

/** The first search domains that fit into the limits. */
function fitting(searches: readonly string[]): readonly string[] {
  const kept = searches.slice(0, MOST.searches).filter((s) => s.length <= MOST.name)
  while (kept.join(' ').length > MOST.characters) kept.pop()
  return kept
}

/** Later options replace earlier ones of the same name. */
function optionsOf(base: readonly string[], own: readonly { readonly name?: string; readonly value?: string }[]): readonly string[] {
  const byName = new Map(base.map((option) => [option.split(':', 1)[0] ?? '', option]))
  for (const { name = '', value } of own) byName.set(name, value === undefined || value === '' ? name : `${name}:${value}`)
  return [...byName.values()]
}

const unique = (list: readonly string[]): readonly string[] => [...new Set(list)]
