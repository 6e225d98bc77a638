import { CLUSTER_DOMAIN, lookUpName, lookUpService } from '../../machinery/network/cluster-names.ts'
import { type DnsRecord, RECORD_TYPES, type RecordType, recordsOf } from '../../machinery/network/dns-records.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { NAMESPACES } from '../../resources/refs.ts'

/** What the cluster's name server knows of a question. */
export type DnsAnswer =
  | { readonly kind: 'records'; readonly records: readonly DnsRecord[]; readonly additional: readonly DnsRecord[] }
  /** The name is there, and has no records of this type. */
  | { readonly kind: 'no-data' }
  /** Nothing in the cluster has this name. */
  | { readonly kind: 'no-name' }
  /** It is for somebody else: the rest of an alias's chain, or the whole question. */
  | { readonly kind: 'forward'; readonly records: readonly DnsRecord[]; readonly name: string }

/** By the specification of Kubernetes' DNS, as CoreDNS answers. Pure. */
export function answerQuestion(name: string, type: string, objects: Reader): DnsAnswer {
  const own = name.toLowerCase().replace(/\.$/, '')
  const reverse = own.endsWith('.in-addr.arpa') || own.endsWith('.ip6.arpa')
  if (!reverse && !isOfCluster(own)) return { kind: 'forward', records: [], name: own }
  const records = isKnown(type) ? recordsOf(own, type, objects) : []
  if (records.length === 0) {
    if (reverse) return { kind: 'forward', records: [], name: own }
    return nameExists(own, objects) ? { kind: 'no-data' } : { kind: 'no-name' }
  }
  const last = records.at(-1)
  const alias = last?.type === 'CNAME' && type !== 'CNAME' ? last.data.replace(/\.$/, '') : undefined
  if (alias !== undefined && !isOfCluster(alias)) return { kind: 'forward', records, name: alias }
  return { kind: 'records', records, additional: type === 'SRV' ? addressesOf(records, objects) : [] }
}

const isOfCluster = (name: string) => name === CLUSTER_DOMAIN || name.endsWith(`.${CLUSTER_DOMAIN}`)
const isKnown = (type: string): type is RecordType => RECORD_TYPES.some((known) => known === type)

/** The addresses of the hosts that records of services name, so that clients need no second query. */
function addressesOf(records: readonly DnsRecord[], objects: Reader): readonly DnsRecord[] {
  const hosts = new Set(records.map(({ data }) => data.split(' ')[3] ?? ''))
  return [...hosts].flatMap((host) => [...recordsOf(host, 'A', objects), ...recordsOf(host, 'AAAA', objects)])
}

/** Names above others exist as well (RFC 8020). */
function nameExists(name: string, objects: Reader): boolean {
  if (lookUpName(name, objects).kind !== 'missing' || lookUpService(name, objects) !== undefined) return true
  const labels = name.slice(0, -CLUSTER_DOMAIN.length - 1).split('.')
  const kind = labels.at(-1)
  if (name === CLUSTER_DOMAIN || (labels.length === 1 && (kind === 'svc' || kind === 'pod'))) return true
  const isNamespace = labels.length === 2 && (kind === 'svc' || kind === 'pod')
  return isNamespace && objects.get(NAMESPACES.group, NAMESPACES.resource, '', labels[0] ?? '') !== undefined
}
