import { CLUSTER_DOMAIN } from './cluster-names.ts'

/** The resolver configuration of a pod: its `/etc/resolv.conf`. */
export interface Resolver {
  readonly nameservers: readonly string[]
  readonly searches: readonly string[]
  readonly options: readonly { readonly name: string; readonly value?: string }[]
  /** True if it uses the cluster's DNS. */
  readonly cluster: boolean
}

/** The parts of a pod's spec that determine it. */
export interface ResolverSpec {
  readonly dnsPolicy?: string
  readonly hostNetwork?: boolean
  readonly dnsConfig?: {
    readonly nameservers?: readonly string[]
    readonly searches?: readonly string[]
    readonly options?: readonly { readonly name?: string; readonly value?: string }[]
  }
}

/** The kubelet's own `resolv.conf`, which pods with the policy `Default` get. */
const HOST_NAMESERVER = '198.18.0.53'

/** The resolver of a pod (`dnsPolicy`, `dnsConfig`), as the kubelet writes it. */
export function resolverOf(spec: ResolverSpec, at: { readonly namespace: string; readonly nameserver: string }): Resolver {
  const { dnsPolicy = 'ClusterFirst', hostNetwork = false, dnsConfig = {} } = spec
  const cluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && !hostNetwork)
  const base: Resolver = cluster
    ? {
        nameservers: [at.nameserver],
        searches: [`${at.namespace}.svc.${CLUSTER_DOMAIN}`, `svc.${CLUSTER_DOMAIN}`, CLUSTER_DOMAIN],
        options: [{ name: 'ndots', value: '5' }],
        cluster,
      }
    : { nameservers: dnsPolicy === 'None' ? [] : [HOST_NAMESERVER], searches: [], options: [], cluster }
  const options = new Map(base.options.map((o) => [o.name, o]))
  for (const { name = '', value } of dnsConfig.options ?? []) options.set(name, { name, ...(value !== undefined && { value }) })
  const nameservers = [...new Set([...base.nameservers, ...(dnsConfig.nameservers ?? [])])]
  return {
    nameservers,
    searches: [...new Set([...base.searches, ...(dnsConfig.searches ?? [])])],
    options: [...options.values()],
    cluster: cluster || nameservers.includes(at.nameserver),
  }
}

/** The full names that are looked up in turn. */
export function candidateNames(name: string, { searches, options }: Resolver): readonly string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  const ndots = Number(options.find((o) => o.name === 'ndots')?.value ?? 1)
  const searched = searches.map((domain) => `${name}.${domain.replace(/\.$/, '')}`)
  const dots = name.split('.').length - 1
  return dots >= ndots ? [name, ...searched] : [...searched, name]
}

/** `/etc/resolv.conf` */
export function resolvConf({ nameservers, searches, options }: Resolver): string {
  const lines = [
    ...(searches.length > 0 ? [`search ${searches.join(' ')}`] : []),
    ...nameservers.map((ip) => `nameserver ${ip}`),
    ...(options.length > 0 ? [`options ${options.map((o) => (o.value === undefined ? o.name : `${o.name}:${o.value}`)).join(' ')}`] : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}
