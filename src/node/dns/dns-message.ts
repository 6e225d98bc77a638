import packet, { type Answer, type Packet } from 'dns-packet'
import { CLUSTER_DOMAIN } from '../../machinery/network/cluster-names.ts'
import type { DnsRecord } from '../../machinery/network/dns-records.ts'

/** How long others may keep an answer, in seconds; CoreDNS' usual one. */
const TTL_S = 30
/** The most bytes of an answer over UDP to who does not say that it takes more (RFC 1035). */
const PLAIN_BYTES = 512
const OUR_UDP_BYTES = 1232

const RCODES = { ok: 0, serverFailure: 2, noName: 3, notImplemented: 4 } as const
export type Outcome = keyof typeof RCODES

export interface Reply {
  readonly outcome: Outcome
  readonly answers: readonly Answer[]
  readonly additional?: readonly Answer[]
  /** Says that nothing of the cluster is meant: with the record that says so. */
  readonly negative?: boolean
}

/** A question that can be answered; undefined for bytes that are none. */
export function readQuery(bytes: Buffer): Packet | undefined {
  try {
    const query = packet.decode(bytes)
    return query.type === 'query' && query.questions?.length === 1 ? query : undefined
  } catch {
    return undefined
  }
}

/** The reply to a question as bytes, cut to what who asks can take. */
export function writeReply(query: Packet, reply: Reply, over: 'udp' | 'tcp'): Buffer {
  const edns = query.additionals?.find((one) => one.type === 'OPT')
  const most = over === 'tcp' ? Number.POSITIVE_INFINITY : Math.max(PLAIN_BYTES, edns?.udpPayloadSize ?? 0)
  const opt = edns === undefined ? [] : [OPT]
  const flags =
    packet.AUTHORITATIVE_ANSWER | packet.RECURSION_AVAILABLE | ((query.flags ?? 0) & packet.RECURSION_DESIRED) | RCODES[reply.outcome]
  const written = (more: Partial<Packet>, extra: number) =>
    packet.encode({
      type: 'response',
      flags: flags | extra,
      questions: query.questions ?? [],
      additionals: opt,
      ...more,
      ...(query.id !== undefined && { id: query.id }),
    })
  const whole = written(
    {
      answers: [...reply.answers],
      authorities: reply.negative === true ? [START_OF_AUTHORITY] : [],
      additionals: [...(reply.additional ?? []), ...opt],
    },
    0,
  )
  return whole.length <= most ? whole : written({}, packet.TRUNCATED_RESPONSE)
}

const OPT: Answer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: OUR_UDP_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
}

const START_OF_AUTHORITY: Answer = {
  name: CLUSTER_DOMAIN,
  type: 'SOA',
  ttl: TTL_S,
  data: {
    mname: `ns.dns.${CLUSTER_DOMAIN}`,
    rname: `hostmaster.${CLUSTER_DOMAIN}`,
    serial: 1,
    refresh: 7200,
    retry: 1800,
    expire: 86_400,
    minimum: TTL_S,
  },
}

/** A record as messages have it. */
export function answerOf({ name, type, data }: DnsRecord): Answer {
  const at = { name, ttl: TTL_S }
  if (type !== 'SRV') return { ...at, type, data: type === 'A' || type === 'AAAA' ? data : data.replace(/\.$/, '') }
  const [priority = 0, weight = 0, port = 0] = data.split(' ').map(Number)
  return { ...at, type, data: { priority, weight, port, target: (data.split(' ')[3] ?? '').replace(/\.$/, '') } }
}
