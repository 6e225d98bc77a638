import type { Reader } from '../resource/definition.ts'
import { serviceIn } from './network-objects.ts'
import { endpointsOf } from './service-endpoints.ts'

/** The result of a look-up in the cluster's DNS. */
export type NameResolution =
  | { readonly kind: 'addresses'; readonly ips: readonly string[] }
  /** An alias of another name (`ExternalName`). */
  | { readonly kind: 'alias'; readonly name: string }
  /** The name does not exist, or has no addresses. */
  | { readonly kind: 'missing' }

/** Host and port of a named port (RFC 2782). */
export interface ServiceRecord {
  readonly target: string
  readonly port: number
}

export const CLUSTER_DOMAIN = 'cluster.local'
const MISSING: NameResolution = { kind: 'missing' }

/**
 * The addresses of a full name (`web.default.svc.cluster.local`), by the specification of Kubernetes' DNS. Names outside of the cluster are
 * missing.
 */
export function lookUpName(name: string, objects: Reader): NameResolution {
  const labels = labelsOf(name)
  if (labels === undefined) return MISSING
  const kind = labels.pop()
  const namespace = labels.pop() ?? ''
  if (kind === 'pod') return podAddress(labels, namespace, objects)
  if (kind !== 'svc' || labels.length === 0 || labels.length > 2) return MISSING
  const service = serviceIn(objects, namespace, labels.pop() ?? '')
  if (service === undefined) return MISSING
  const { type, externalName = '', clusterIP, clusterIPs = [clusterIP] } = service.spec ?? {}
  const [host] = labels
  if (type === 'ExternalName') return host === undefined ? { kind: 'alias', name: externalName } : MISSING
  if (clusterIP !== 'None') return host === undefined ? addresses(clusterIPs) : MISSING
  const ready = endpointsOf(service, objects).filter((e) => e.ready)
  return addresses(ready.filter((e) => host === undefined || hostOf(e) === host).map((e) => e.ip))
}

/** The records of `_http._tcp.web.default.svc.cluster.local`; undefined if the name does not exist. */
export function lookUpService(name: string, objects: Reader): readonly ServiceRecord[] | undefined {
  const [port = '', protocol = '', ...rest] = labelsOf(name) ?? []
  if (!/^_(tcp|udp|sctp)$/i.test(protocol) || !port.startsWith('_')) return undefined
  const [serviceName = '', namespace = '', kind, ...more] = rest
  const service = kind === 'svc' && more.length === 0 ? serviceIn(objects, namespace, serviceName) : undefined
  if (service === undefined || service.spec?.type === 'ExternalName') return undefined
  const requested = (p: { readonly name?: string; readonly protocol?: string }) =>
    p.name === port.slice(1) && (p.protocol ?? 'TCP').toLowerCase() === protocol.slice(1).toLowerCase()
  const zone = `${serviceName}.${namespace}.svc.${CLUSTER_DOMAIN}`
  const records: ServiceRecord[] = []
  if (service.spec?.clusterIP !== 'None') {
    for (const p of service.spec?.ports ?? []) if (requested(p)) records.push({ target: zone, port: p.port })
  } else {
    for (const endpoint of endpointsOf(service, objects))
      if (endpoint.ready)
        for (const p of endpoint.ports) if (requested(p)) records.push({ target: `${hostOf(endpoint)}.${zone}`, port: p.port })
  }
  return records.length === 0 ? undefined : records
}

/** The labels of a name inside the cluster's domain, without the domain. */
function labelsOf(name: string): string[] | undefined {
  const lower = name.toLowerCase().replace(/\.$/, '')
  return lower.endsWith(`.${CLUSTER_DOMAIN}`) ? lower.slice(0, -CLUSTER_DOMAIN.length - 1).split('.') : undefined
}

/** The first label of an endpoint's own name: its hostname, or its address with dashes. */
const hostOf = ({ hostname, ip }: { readonly hostname: string | undefined; readonly ip: string }) => hostname ?? dashed(ip)
const dashed = (ip: string) => ip.replace(/[.:]/g, '-')

const addresses = (ips: readonly (string | undefined)[]): NameResolution => {
  const known = [...new Set(ips.filter((ip): ip is string => ip !== undefined && ip !== ''))]
  return known.length === 0 ? MISSING : { kind: 'addresses', ips: known }
}

/** `10-1-2-3.default.pod.cluster.local`: an address in the form of a name. The namespace must exist, the pod need not. */
function podAddress(labels: readonly string[], namespace: string, objects: Reader): NameResolution {
  const [dashes = '', ...more] = labels
  const known = objects.get('', 'namespaces', '', namespace)
  const ip = /^\d{1,3}(-\d{1,3}){3}$/.test(dashes) ? dashes.replaceAll('-', '.') : undefined
  return more.length > 0 || known === undefined || ip === undefined ? MISSING : addresses([ip])
}
