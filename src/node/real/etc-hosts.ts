import type { HostAlias } from '../../resources/types/core.ts'
import type { Pod } from '../types/pod.ts'

export interface EtcHostsInput {
  readonly pod: Pod
  readonly podIps: readonly string[]
  readonly hostname: string
  readonly clusterDomain: string
  /** The node's own file, for pods on its network. */
  readonly nodeHosts: string
}

const LOCAL = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
]

/** The file that the kubelet gives containers as `/etc/hosts`. Pure. */
export function etcHosts({ pod, podIps, hostname, clusterDomain, nodeHosts }: EtcHostsInput): string {
  const { hostNetwork, subdomain, hostAliases = [] } = pod.spec
  const aliases = aliasLines(hostAliases)
  if (hostNetwork) return `# Kubernetes-managed hosts file (host network).\n${nodeHosts}${aliases}`
  const { namespace = '' } = pod.metadata
  const short = hostname.split('.')[0] ?? hostname
  const names = subdomain ? `${short}.${subdomain}.${namespace}.svc.${clusterDomain}\t${short}` : short
  const lines = [...LOCAL, ...podIps.map((ip) => `${ip}\t${names}`)]
  return `# Kubernetes-managed hosts file.\n${lines.join('\n')}\n${aliases}`
}

function aliasLines(aliases: readonly HostAlias[]): string {
  if (aliases.length === 0) return ''
  const lines = aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}`)
  return `\n# Entries added by HostAliases.\n${lines.join('\n')}\n`
}
