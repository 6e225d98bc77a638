import { child, type FieldError, invalid } from '../../machinery/field-error.ts'
import { ipText, networkOf, parseCidr, parseIp } from '../../machinery/ip-address.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import { internalError, invalidObject } from '../../machinery/status-error.ts'
import { familyOf, type IpFamily, keepsDualStack } from '../../resources/core/services/service-families.ts'
import { isHeadless, type ServiceSpec } from '../../resources/core/services/service-fields.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { SERVICE_CIDRS } from '../../resources/refs.ts'
import type { ServiceCIDR } from '../../resources/types/networking.ts'
import { type AddressRange, addressRange } from './address-range.ts'
import type { Claims } from './claims.ts'
import type { NodePortRange } from './node-port-range.ts'

const DEFAULT_CIDR = '10.0.0.0/24'
export const IPS = child('spec', 'clusterIPs')

/** The input of an allocation for a service. */
export interface Chooser {
  readonly draft: KubeObject
  readonly spec: ServiceSpec
  readonly context: RulesContext
  readonly claims: Claims
  readonly nodePorts: NodePortRange
  /** The service: `namespace/name`. */
  readonly owner: string
}

export const ownerOf = (service: KubeObject): string => `${service.metadata.namespace ?? ''}/${service.metadata.name ?? ''}`

interface ServiceCidr {
  readonly text: string
  readonly family: IpFamily
  readonly ready: boolean
  readonly base: string
  readonly range: AddressRange
}

export function serviceCidrs(context: Pick<RulesContext, 'reader'>): ServiceCidr[] {
  const objects = listObjects(context.reader, SERVICE_CIDRS)
  const primary = objects.filter((o) => o.metadata.name === 'kubernetes')
  const ordered = [...primary, ...objects.filter((o) => o.metadata.name !== 'kubernetes')]
  const all = ordered.flatMap((o) => (o.spec?.cidrs ?? []).map((text) => ({ text, ready: isReady(o) })))
  return (all.length > 0 ? all : [{ text: DEFAULT_CIDR, ready: true }]).flatMap(({ text, ready }) => {
    const cidr = parseCidr(text)
    if (!cidr) return []
    const base = ipText(networkOf(cidr))
    return [{ text, ready, base, family: familyOf(base), range: addressRange(cidr) }]
  })
}

function isReady(serviceCidr: ServiceCIDR): boolean {
  if (serviceCidr.metadata.deletionTimestamp) return false
  const conditions = serviceCidr.status?.conditions ?? []
  return conditions.find((c) => c.type === 'Ready')?.status !== 'False'
}

/** Throws the 422 of a service. */
export function refuse(draft: KubeObject, faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalidObject({ group: '', kind: 'Service' }, draft.metadata.name ?? '', faults)
}

/** Allocates the cluster IPs that a service needs and did not request explicitly. */
export function chooseClusterIps(chooser: Chooser, old: ServiceSpec | undefined): void {
  const { spec } = chooser
  if (spec.type === 'ExternalName' || isHeadless(spec) || keepsDualStack(spec, old)) return
  const fresh = old === undefined || old.type === 'ExternalName'
  if (!fresh && (old.clusterIPs?.[0] === 'None' || !(old.ipFamilies?.length === 1 && spec.ipFamilies?.length === 2))) return
  const ips = [...(spec.clusterIPs ?? [])]
  for (const [i, family] of (spec.ipFamilies ?? []).entries()) if (fresh || i > 0) ips[i] = oneIp(chooser, family, ips[i] ?? '')
  spec.clusterIPs = ips
  if (ips[0] !== undefined) spec.clusterIP = ips[0]
}

/** The key of an address in the claims. */
export const ipKey = (ip: string) => `ip ${ip}`

function ipTaken({ context, claims, owner }: Chooser, ip: string, tentativeCounts: boolean): boolean {
  return claims.holds(ipKey(ip), owner, context.now, tentativeCounts) || hasAddress(context, ip)
}

const hasAddress = ({ reader }: RulesContext, ip: string) => reader.get('networking.k8s.io', 'ipaddresses', '', ip) !== undefined

function oneIp(chooser: Chooser, family: string, requested: string): string {
  const { draft } = chooser
  if (requested !== '') {
    const why = unavailable(chooser, family, requested)
    if (why !== undefined) refuse(draft, [invalid(IPS, chooser.spec.clusterIPs, `failed to allocate IP ${requested}: ${why}`)])
    return requested
  }
  return anyIp(chooser, family)
}

/** Chooses a free address of the family, and claims it for the service. */
export function anyIp(chooser: Chooser, family: string): string {
  const { context, claims, owner } = chooser
  const ready = serviceCidrs(context).filter((c) => c.family === family && c.ready)
  if (context.dryRun && ready[0]) return ready[0].base
  for (const tentativeCounts of [true, false]) {
    for (const cidr of ready) {
      const ip = freeIp(chooser, cidr.range, tentativeCounts)
      if (ip === undefined) continue
      claims.claim(ipKey(ip), owner, context.now, true)
      return ip
    }
  }
  throw internalError('failed to allocate a serviceIP: range is full')
}

function unavailable({ context }: Chooser, family: string, requested: string): string | undefined {
  const ready = serviceCidrs(context).filter((c) => c.family === family && c.ready)
  const ip = parseIp(requested)
  const text = ip === undefined ? requested : ipText(ip)
  if (!ready.some((c) => c.range.offsetOf(text) !== undefined))
    // As upstream, a dry run looks into one range.
    return context.dryRun && ready[0] !== undefined
      ? `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${ready[0].text}`
      : 'the provided network does not match the current range'
  return !context.dryRun && hasAddress(context, text) ? 'provided IP is already allocated' : undefined
}

/** Starts at a random offset in the upper part, then tries the part that is reserved for explicit requests. */
function freeIp(chooser: Chooser, range: AddressRange, tentativeCounts: boolean): string | undefined {
  const { context } = chooser
  const parts = [
    [range.reserved, range.size - range.reserved],
    [0n, range.reserved],
  ] as const
  for (const [from, size] of parts) {
    if (size <= 0n) continue
    const start = BigInt(context.random.int(Number(size < 0x7fffffffn ? size : 0x7fffffffn)))
    const tries = size < 65536n ? size : 65536n
    for (let i = 0n; i < tries; i++) {
      const ip = range.at(from + ((start + i) % size))
      if (!ipTaken(chooser, ip, tentativeCounts)) return ip
    }
  }
  return undefined
}
