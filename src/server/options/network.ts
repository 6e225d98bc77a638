import type { FlagValues } from '../../machinery/flags/flag.ts'
import { duration, harmless, int, ip, portRange, refused, strings, text } from '../../machinery/flags/kinds.ts'
import { ipText } from '../../machinery/ip-address.ts'

/** Addresses that the cluster hands out, and how it reaches its own. */
export const NETWORK_FLAGS = {
  'advertise-address': ip(undefined, { help: 'the address at which others reach this server' }),
  'external-hostname': text('', harmless),
  'service-cluster-ip-range': text('', { help: 'the range of service addresses' }),
  'service-node-port-range': portRange({ first: 30_000, last: 32_767 }, { help: 'the range of node ports' }),
  'kubernetes-service-node-port': int(0, refused('the service kubernetes has no node port')),
  'endpoint-reconciler-type': text('lease', { help: 'none leaves the endpoints of the service kubernetes alone' }),
  'egress-selector-config-file': text('', refused('requests leave this server directly; there is no konnectivity')),
  'kubelet-certificate-authority': text('', harmless),
  'kubelet-client-certificate': text('', harmless),
  'kubelet-client-key': text('', harmless),
  'kubelet-preferred-address-types': strings(['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'], harmless),
  'kubelet-timeout': duration(5000, harmless),
  'peer-advertise-ip': text('', harmless),
  'peer-advertise-port': text('', harmless),
  'peer-ca-file': text('', harmless),
}

type NetworkValues = FlagValues<typeof NETWORK_FLAGS>

export interface NetworkOptions {
  /** `10.0.0.0/24` */
  readonly serviceCidr: string
  readonly advertiseAddress: string | undefined
  readonly nodePorts: { readonly first: number; readonly last: number }
}

export function networkFaults({ values }: { readonly values: NetworkValues }): string[] {
  const faults: string[] = []
  const range = values['service-cluster-ip-range']
  if (range !== '' && !isServiceRange(range))
    faults.push(`--service-cluster-ip-range ${JSON.stringify(range)} is not an IPv4 range such as 10.0.0.0/24 (from /12 to /30)`)
  const reconciler = values['endpoint-reconciler-type']
  if (!['master-count', 'lease', 'none'].includes(reconciler))
    faults.push(`--endpoint-reconciler-type must be one of master-count, lease, none`)
  return faults
}

export const readNetwork = ({ values }: { readonly values: NetworkValues }): NetworkOptions => ({
  serviceCidr: values['service-cluster-ip-range'] || '10.0.0.0/24',
  advertiseAddress: values['advertise-address'] && ipText(values['advertise-address']),
  nodePorts: values['service-node-port-range'],
})

function isServiceRange(range: string): boolean {
  const m = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(range)
  if (m === null) return false
  const bits = Number(m[5])
  return [m[1], m[2], m[3], m[4]].every((part) => Number(part) < 256) && bits >= 12 && bits <= 30
}
