import { messageOf } from '../../base/message-of.ts'
import { parseQuantity } from '../../machinery/quantity.ts'
import type { DnsConfig } from '../runtime/container-spec.ts'
import { type Pod, podRef } from '../types/pod.ts'
import type { Attachment } from './attachment.ts'
import { CniError } from './cni-error.ts'
import { namespacePathOf } from './network-namespace.ts'

/** How a pod is plugged in: its namespace, and what plugins may want to know of it. @throws {CniError} for bandwidths that are none */
export function attachmentOf(pod: Pod, dns: DnsConfig | undefined): Attachment {
  const { name, namespace, uid } = podRef(pod)
  const args = { IgnoreUnknown: '1', K8S_POD_NAMESPACE: namespace, K8S_POD_NAME: name, K8S_POD_INFRA_CONTAINER_ID: uid, K8S_POD_UID: uid }
  const { annotations = {} } = pod.metadata
  return {
    containerId: uid,
    namespace: namespacePathOf(uid),
    ifName: 'eth0',
    args: Object.entries(args)
      .map(([key, value]) => `${key}=${value}`)
      .join(';'),
    capabilities: {
      ...present('portMappings', portMappings(pod)),
      ...present('bandwidth', bandwidthOf(annotations)),
      ...(dns && { dns: { servers: dns.servers, searches: dns.searches, options: dns.options } }),
      'io.kubernetes.cri.pod-annotations': { ...annotations },
    },
  }
}

const present = <T>(name: string, value: T | undefined) => (value === undefined ? {} : { [name]: value })

function portMappings({ spec }: Pod) {
  const ports = spec.containers.flatMap((container) => container.ports ?? []).filter(({ hostPort = 0 }) => hostPort > 0)
  if (ports.length === 0) return undefined
  return ports.map(({ hostPort = 0, containerPort, protocol = 'TCP', hostIP = '' }) => {
    return { hostPort, containerPort, protocol: protocol.toLowerCase(), hostIP }
  })
}

const PREFIX = 'kubernetes.io/'
const [LEAST, MOST] = [1000, 1e15]
/** What may pass at once before a limit holds, in seconds at its rate; the least is a packet of loopback. */
const BURST_S = 0.1
const LEAST_BURST = 8 * 65_536

/** Bits a second. With a burst that is small the limit is seen from the first megabyte on. */
function bandwidthOf(annotations: Readonly<Record<string, string>>) {
  const [ingressRate, egressRate] = ['ingress', 'egress'].map((way) => rateOf(annotations[`${PREFIX}${way}-bandwidth`]))
  if (ingressRate === undefined && egressRate === undefined) return undefined
  const burstOf = (rate: number) => Math.max(Math.round(rate * BURST_S), LEAST_BURST)
  return {
    ...(ingressRate !== undefined && { ingressRate, ingressBurst: burstOf(ingressRate) }),
    ...(egressRate !== undefined && { egressRate, egressBurst: burstOf(egressRate) }),
  }
}

function rateOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const fail = (why: string): never => {
    throw new CniError('bad-network', `get cni namespace options: reading pod bandwidth annotations: ${why}`)
  }
  let rate = 0
  try {
    rate = parseQuantity(text).value()
  } catch (error) {
    return fail(messageOf(error))
  }
  if (rate < LEAST) return fail('resource is unreasonably small (< 1kbit)')
  return rate > MOST ? fail('resource is unreasonably large (> 1Pbit)') : rate
}
