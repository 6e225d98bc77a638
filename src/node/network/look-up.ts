import { isIP } from 'node:net'
import { lookUpName } from '../../machinery/network/cluster-names.ts'
import { candidateNames, type Resolver } from '../../machinery/network/resolver.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { ConnectError } from './connect-error.ts'

/** A line of `/etc/hosts`. */
export interface HostsEntry {
  readonly ip: string
  readonly names: readonly string[]
}

export interface LookUp {
  readonly resolver: Resolver
  readonly hosts: readonly HostsEntry[]
  readonly objects: Reader
}

/** The maximum length of a chain of aliases (CNAME). */
const MOST_ALIASES = 8

/** Resolves a name as a process of a pod does. Throws a `ConnectError`. */
export function lookUp(name: string, { resolver, hosts, objects }: LookUp): readonly string[] {
  if (isIP(name) !== 0) return [name]
  const near = hosts.filter((entry) => entry.names.some((known) => known.toLowerCase() === name.toLowerCase())).map((entry) => entry.ip)
  if (near.length > 0) return near
  if (resolver.cluster)
    for (const candidate of candidateNames(name, resolver)) {
      const found = follow(candidate, objects)
      if (found.length > 0) return found
    }
  throw new ConnectError('ENOTFOUND', 'getaddrinfo', { hostname: name })
}

function follow(name: string, objects: Reader): readonly string[] {
  let at = name
  for (let aliases = 0; aliases <= MOST_ALIASES; aliases++) {
    if (isIP(at) !== 0) return [at]
    const answer = lookUpName(at, objects)
    if (answer.kind === 'addresses') return answer.ips
    if (answer.kind === 'missing') return []
    at = answer.name
  }
  return []
}

/** The entries of a pod's `/etc/hosts`, as the kubelet writes them. */
export function hostsOf(pod: {
  readonly hostname: string
  readonly subdomain?: string | undefined
  readonly namespace: string
  readonly ips: readonly string[]
  readonly aliases: readonly { readonly ip?: string; readonly hostnames?: readonly string[] }[]
}): readonly HostsEntry[] {
  const { hostname, subdomain, namespace } = pod
  const own = subdomain ? [`${hostname}.${subdomain}.${namespace}.svc.cluster.local`, hostname] : [hostname]
  return [
    { ip: '127.0.0.1', names: ['localhost'] },
    { ip: '::1', names: ['localhost', 'ip6-localhost', 'ip6-loopback'] },
    ...pod.ips.map((ip) => ({ ip, names: own })),
    ...pod.aliases.map(({ ip = '', hostnames = [] }) => ({ ip, names: hostnames })),
  ]
}

/** `hostNetwork`: the file has the header of the node's own file. */
export function hostsFile(entries: readonly HostsEntry[], hostNetwork = false): string {
  return `# Kubernetes-managed hosts file${hostNetwork ? ' (host network)' : ''}.\n${entries.map(({ ip, names }) => `${ip}\t${names.join('\t')}\n`).join('')}`
}
