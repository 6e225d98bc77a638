import { ipText, parseIp } from '../ip-address.ts'
import type { Reader } from '../resource/definition.ts'
import { CLUSTER_DOMAIN, lookUpName, lookUpService } from './cluster-names.ts'
import { servicesIn } from './network-objects.ts'
import { endpointsOf } from './service-endpoints.ts'

export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'PTR', 'SRV'] as const
export type RecordType = (typeof RECORD_TYPES)[number]

/** One record of the cluster's DNS: full names, without the last dot. */
export interface DnsRecord {
  readonly name: string
  readonly type: RecordType
  /** An address, a name, or the data of an `SRV` record. */
  readonly data: string
}

/** Most aliases in a chain. */
const MOST_ALIASES = 8

/** The records of a full name; empty if there are none. */
export function recordsOf(name: string, type: RecordType, objects: Reader): readonly DnsRecord[] {
  const own = name.replace(/\.$/, '')
  if (type === 'PTR') return namesOfAddress(own, objects).map((data) => ({ name: own, type, data: `${data}.` }))
  if (type === 'SRV') {
    const found = lookUpService(own, objects) ?? []
    return found.map(({ port, target }) => ({ name: own, type, data: `0 ${Math.floor(100 / found.length)} ${port} ${target}.` }))
  }
  const records: DnsRecord[] = []
  let at = own
  for (let aliases = 0; aliases < MOST_ALIASES; aliases++) {
    const answer = lookUpName(at, objects)
    if (answer.kind === 'missing') break
    if (answer.kind === 'addresses') {
      const wanted = answer.ips.filter((ip) => type === (ip.includes(':') ? 'AAAA' : 'A'))
      return [...records, ...wanted.map((data) => ({ name: at, type, data }))]
    }
    records.push({ name: at, type: 'CNAME', data: `${answer.name}.` })
    if (type === 'CNAME') break
    at = answer.name
  }
  return records
}

/** The address of `4.3.2.1.in-addr.arpa` or of 32 hexadecimal digits below `ip6.arpa`. */
function addressOf(reversed: string): string | undefined {
  const [, four] = reversed.match(/^((?:\d{1,3}\.){4})in-addr\.arpa$/) ?? []
  if (four !== undefined) return four.split('.').slice(0, 4).reverse().join('.')
  const [, six] = reversed.match(/^((?:[0-9a-f]\.){32})ip6\.arpa$/) ?? []
  const digits = (six ?? '').replaceAll('.', '').split('').reverse().join('')
  const ip = parseIp(digits.replaceAll(/(.{4})(?=.)/g, '$1:'))
  return ip && ipText(ip)
}

/** The names of `4.3.2.1.in-addr.arpa`: those of the service with this address, or of an endpoint of a headless service. */
function namesOfAddress(reversed: string, objects: Reader): readonly string[] {
  const ip = addressOf(reversed.toLowerCase())
  if (ip === undefined) return []
  return servicesIn(objects).flatMap((service) => {
    const { name, namespace } = service.metadata
    const zone = `${name}.${namespace}.svc.${CLUSTER_DOMAIN}`
    const { clusterIP, clusterIPs = [clusterIP], type } = service.spec ?? {}
    if (type === 'ExternalName') return []
    if (clusterIP !== 'None') return clusterIPs.includes(ip) ? [zone] : []
    const behind = endpointsOf(service, objects).find((e) => e.ip === ip && e.ready)
    return behind === undefined ? [] : [`${behind.hostname ?? ip.replaceAll(/[.:]/g, '-')}.${zone}`]
  })
}
