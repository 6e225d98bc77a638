import type { LoadBalancerIngress, Service, ServicePort } from '../../resources/types/core.ts'
import { type Family, familyOf } from '../nftables/ruleset.ts'

/** One port of a service in one address family, as the rules need it. */
export interface ProxiedPort {
  /** `namespace/name/tcp/port`: in the names of its chains. */
  readonly id: string
  readonly namespace: string
  readonly service: string
  /** The name of the port; that of its endpoints. */
  readonly portName: string
  readonly family: Family
  readonly protocol: 'tcp' | 'udp' | 'sctp'
  readonly clusterIp: string
  readonly port: number
  readonly nodePort: number | undefined
  readonly externalIps: readonly string[]
  readonly loadBalancerIps: readonly string[]
  /** Networks that may use the load balancer's addresses; empty: all. */
  readonly sourceRanges: readonly string[]
  /** How long a client stays with its endpoint; undefined: not at all. */
  readonly affinitySeconds: number | undefined
  readonly internalLocal: boolean
  readonly externalLocal: boolean
  readonly healthCheckNodePort: number | undefined
}

const DEFAULT_AFFINITY_S = 10_800
/** Services with this label are left to another proxy. */
const PROXY_NAME = 'service.kubernetes.io/service-proxy-name'

/** The ports of a service that are proxied, in each of its address families; none of a headless one. Pure. */
export function proxiedPorts(service: Service): readonly ProxiedPort[] {
  const { clusterIP = '', clusterIPs = [clusterIP], ports = [], type } = service.spec ?? {}
  if (type === 'ExternalName' || clusterIP === '' || clusterIP === 'None') return []
  if (service.metadata.labels?.[PROXY_NAME] !== undefined) return []
  return clusterIPs.flatMap((clusterIp) => ports.map((port) => proxiedPort(service, port, clusterIp)))
}

function proxiedPort({ metadata, spec = {}, status }: Service, port: ServicePort, clusterIp: string): ProxiedPort {
  const { name: service = '', namespace = '' } = metadata
  const family = familyOf(clusterIp)
  const own = (addresses: readonly string[]) => addresses.filter((address) => familyOf(address) === family)
  const protocol = PROTOCOLS[port.protocol ?? 'TCP']
  const portName = port.name ?? ''
  return {
    id: `${namespace}/${service}/${protocol}/${portName}`,
    namespace,
    service,
    portName,
    family,
    protocol,
    clusterIp,
    port: port.port,
    nodePort: port.nodePort || undefined,
    externalIps: own(spec.externalIPs ?? []),
    loadBalancerIps: own((status?.loadBalancer?.ingress ?? []).flatMap(proxiedIp)),
    sourceRanges: own((spec.loadBalancerSourceRanges ?? []).map((range) => range.trim())),
    affinitySeconds:
      spec.sessionAffinity === 'ClientIP' ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY_S) : undefined,
    internalLocal: spec.internalTrafficPolicy === 'Local',
    externalLocal: spec.externalTrafficPolicy === 'Local',
    healthCheckNodePort: spec.healthCheckNodePort || undefined,
  }
}

const PROTOCOLS = { TCP: 'tcp', UDP: 'udp', SCTP: 'sctp' } as const

/** A balancer of the mode Proxy has to be reached itself (KEP-1860). */
const proxiedIp = ({ ip, ipMode }: LoadBalancerIngress): readonly string[] => (ip && ipMode !== 'Proxy' ? [ip] : [])
