import type { FlagValues } from '../../machinery/flags/flag.ts'
import { duration, harmless, int, ip, type PortRange, portRange, refused, strings, text } from '../../machinery/flags/kinds.ts'
import { type Cidr, ipText, isIpv4, parseCidr, parseIp } from '../../machinery/ip-address.ts'
import { optionFile } from '../option-file.ts'
import { OptionsError } from '../options-error.ts'

const DEFAULT_RANGE = '10.0.0.0/24'
const DEFAULT_NODE_PORTS: PortRange = { first: 30_000, last: 32_767 }

/** The addresses that the cluster allocates, and how the server reaches nodes. */
export const NETWORK_FLAGS = {
  'advertise-address': ip(undefined, { help: 'the address at which clients reach this server' }),
  'external-hostname': text('', harmless),
  'service-cluster-ip-range': text('', { help: 'the range of service addresses, or two of different families: 10.0.0.0/24,fd00::/108' }),
  'service-node-port-range': portRange(DEFAULT_NODE_PORTS, { help: 'the range of node ports' }),
  'kubernetes-service-node-port': int(0, { help: 'the node port of the service kubernetes; 0: it has none' }),
  'endpoint-reconciler-type': text('lease', { help: 'none: do not write the endpoints of the service kubernetes' }),
  'egress-selector-config-file': text('', refused('requests leave this server directly; there is no konnectivity')),
  'kubelet-certificate-authority': text('', harmless),
  'kubelet-client-certificate': text('', harmless),
  'kubelet-client-key': text('', harmless),
  'kubelet-preferred-address-types': strings(['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'], harmless),
  'kubelet-port': int(10_250, { ...harmless, deprecated: 'kubelet-port is deprecated and will be removed.' }),
  'apiserver-count': int(1, { ...harmless, deprecated: 'apiserver-count is deprecated and will be removed in a future version.' }),
  'kubelet-timeout': duration(5000, harmless),
}

type NetworkValues = FlagValues<typeof NETWORK_FLAGS>

export interface NetworkOptions {
  /** `10.0.0.0/24`, or two ranges of different families, separated by a comma; the first is that of services that name no family. */
  readonly serviceCidr: string
  readonly advertiseAddress: string | undefined
  /** Whether this server writes the endpoints of the service `kubernetes`. */
  readonly reconcileEndpoints: boolean
  readonly nodePorts: { readonly first: number; readonly last: number }
  /** The node port of the service `kubernetes`; 0: it has none. */
  readonly kubernetesNodePort: number
}

export function networkFaults({ values }: { readonly values: NetworkValues }): string[] {
  const faults: string[] = []
  const ranges = rangesOf(values)
  for (const [i, range] of ranges.entries())
    if (parseCidr(range) === undefined) faults.push(`service-cluster-ip-range[${i}] is not a valid cidr`)
  if (ranges.length > 2) faults.push('--service-cluster-ip-range must not contain more than two entries')
  const [first = parseCidr(DEFAULT_RANGE), second] = ranges.map(parseCidr)
  if (first !== undefined && second !== undefined && isIpv4(first.address) === isIpv4(second.address))
    faults.push('--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family')
  const advertised = values['advertise-address']
  // An unspecified address counts as none: then it is the machine's.
  const own = advertised === undefined || ['0.0.0.0', '::'].includes(ipText(advertised)) ? undefined : advertised
  if (own !== undefined && values['endpoint-reconciler-type'] !== 'none')
    faults.push(...familyFaults(values['service-cluster-ip-range'] || DEFAULT_RANGE, ipText(own)))
  const port = values['kubernetes-service-node-port']
  if (port < 0 || port > 65_535)
    faults.push(
      `--kubernetes-service-node-port ${port} must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP`,
    )
  const { first: low, last: high } = nodePortsOf(values['service-node-port-range'])
  if (port > 0 && (port < low || port > high)) faults.push(`kubernetes service node port range ${low}-${high} doesn't contain ${port}`)
  if (values['apiserver-count'] < 1)
    faults.push(`--apiserver-count should be a positive number, but value '${values['apiserver-count']}' provided`)
  return faults
}

/** The server's address is the endpoint of a service that has one of the first range. */
export function familyFaults(ranges: string, address: string): string[] {
  const [range, own] = [parseCidr(ranges.split(',')[0] ?? ''), parseIp(address)]
  if (range === undefined || own === undefined || isIpv4(range.address) === isIpv4(own)) return []
  return [`service IP family ${JSON.stringify(ranges)} must match public address family ${JSON.stringify(address)}`]
}

const rangesOf = (values: NetworkValues) => (values['service-cluster-ip-range'] === '' ? [] : values['service-cluster-ip-range'].split(','))

/** Fewer than eight. */
export const hasFewAddresses = ({ address, prefixLength }: Cidr): boolean => prefixLength > address.bytes.length * 8 - 3

/** The first range has at least eight addresses. */
function serviceRanges(values: NetworkValues): string {
  const ranges = rangesOf(values)
  const cidr = parseCidr(ranges[0] ?? DEFAULT_RANGE)
  const says = 'error determining service IP ranges for primary service cidr: the service cluster IP range must be at least 8 IP addresses'
  if (cidr !== undefined && hasFewAddresses(cidr)) throw new OptionsError('bad-option', says)
  return ranges.length === 0 ? DEFAULT_RANGE : ranges.join(',')
}

/** An empty range is the default one. */
const nodePortsOf = (range: PortRange): PortRange => (range.last < range.first ? DEFAULT_NODE_PORTS : range)

/** Faults that kube-apiserver finds late: when it connects to kubelets. */
function checkFiles(values: NetworkValues): void {
  const reconciler = values['endpoint-reconciler-type']
  if (!RECONCILERS.includes(reconciler)) throw new OptionsError('bad-option', `Reconciler not implemented: ${reconciler}`)
  for (const name of ['kubelet-certificate-authority', 'kubelet-client-certificate', 'kubelet-client-key'] as const)
    if (values[name] !== '') optionFile(values[name], (error) => `problem initializing API group "": ${error}`)
}

const RECONCILERS: readonly string[] = ['lease', 'master-count', 'none']

export function readNetwork({ values }: { readonly values: NetworkValues }): NetworkOptions {
  checkFiles(values)
  return {
    serviceCidr: serviceRanges(values),
    advertiseAddress: values['advertise-address'] && ipText(values['advertise-address']),
    reconcileEndpoints: values['endpoint-reconciler-type'] !== 'none',
    nodePorts: nodePortsOf(values['service-node-port-range']),
    kubernetesNodePort: values['kubernetes-service-node-port'],
  }
}
