import { child, type FieldError, index, invalid } from '../../../machinery/field-error.ts'
import { isIpv4, parseIp } from '../../../machinery/ip-address.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateClusterIps } from './service-cluster-ips.ts'
import { type ServiceSpec, sameClusterIps, sameIpFamilies } from './service-fields.ts'

export type IpFamily = 'IPv4' | 'IPv6'

export function familyOf(ip: string): IpFamily {
  const parsed = parseIp(ip)
  return parsed && !isIpv4(parsed) ? 'IPv6' : 'IPv4'
}

const other = (family: string | undefined): IpFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4')
const isSelectorless = (spec: ServiceSpec) => spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0

/** Both prefer dual stack and no address changed: such a service is left unchanged, whatever the cluster's families are now. */
export function keepsDualStack(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  if (!old || old.type !== spec.type || !['ClusterIP', 'NodePort', 'LoadBalancer'].includes(spec.type ?? '')) return false
  if (spec.ipFamilyPolicy !== 'PreferDualStack') return false
  if (old.ipFamilyPolicy !== undefined && old.ipFamilyPolicy !== 'PreferDualStack') return false
  return sameClusterIps(old, spec) && sameIpFamilies(old, spec)
}

/**
 * Fills in the family policy and the families of a service, from its request and the cluster's families (`configured`, the first is the
 * default). If it returns faults, nothing can be allocated.
 */
export function completeFamilies(spec: ServiceSpec, old: ServiceSpec | undefined, configured: readonly IpFamily[]): FieldError[] {
  if (spec.type === 'ExternalName' || keepsDualStack(spec, old)) return []
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isSelectorless(spec) ? 'RequireDualStack' : 'SingleStack')
  const loose = validateClusterIps(spec, old)
  if (loose.length > 0) return loose
  const faults = [...(old ? release(spec, old) : []), ...validatePolicy(spec), ...inferFamilies(spec, configured)]
  if (faults.length > 0) return faults
  if (isSelectorless(spec)) {
    const families = spec.ipFamilies?.length ? spec.ipFamilies : [configured[0] ?? 'IPv4']
    spec.ipFamilies = families.length < 2 && spec.ipFamilyPolicy !== 'SingleStack' ? [...families, other(families[0])] : families
    return []
  }
  const impossible = validateConfigured(spec, configured)
  if (impossible.length > 0) return impossible
  if (!spec.ipFamilies?.length) spec.ipFamilies = [configured[0] ?? 'IPv4']
  if (spec.ipFamilyPolicy !== 'SingleStack' && spec.ipFamilies.length === 1 && configured.length === 2)
    spec.ipFamilies = [...spec.ipFamilies, other(spec.ipFamilies[0])]
  return []
}

const POLICY = child('spec', 'ipFamilyPolicy')

/** Returning to one address requires `SingleStack`; the second address may then remain in the request. */
function release(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (sameClusterIps(old, spec) && (spec.clusterIPs?.length ?? 0) > 1) spec.clusterIPs = spec.clusterIPs?.slice(0, 1) ?? []
    if (sameIpFamilies(old, spec) && (spec.ipFamilies?.length ?? 0) > 1) spec.ipFamilies = spec.ipFamilies?.slice(0, 1) ?? []
    return []
  }
  const reduced = (now: readonly string[] | undefined, before: readonly string[] | undefined) =>
    (now?.length ?? 0) > 0 && (now?.length ?? 0) < (before?.length ?? 0)
  const faults: FieldError[] = []
  if (reduced(spec.clusterIPs, old.clusterIPs))
    faults.push(invalid(POLICY, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary cluster IP"))
  if (reduced(spec.ipFamilies, old.ipFamilies))
    faults.push(invalid(POLICY, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family"))
  return faults
}

function validatePolicy(spec: ServiceSpec): FieldError[] {
  if (spec.ipFamilyPolicy !== 'SingleStack') return []
  const faults: FieldError[] = []
  const say = (what: string) =>
    faults.push(invalid(POLICY, spec.ipFamilyPolicy, `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`))
  if (spec.clusterIPs?.length === 2) say('cluster IPs')
  if (spec.ipFamilies?.length === 2) say('IP families')
  return faults
}

function inferFamilies(spec: ServiceSpec, configured: readonly IpFamily[]): FieldError[] {
  const faults: FieldError[] = []
  for (const [i, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === 'None') break
    if (i < (spec.ipFamilies?.length ?? 0)) continue
    const family = familyOf(ip)
    if (configured.includes(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family]
    else faults.push(invalid(index('spec.clusterIPs', i), spec.clusterIPs, `${family} is not configured on this cluster`))
  }
  return faults
}

function validateConfigured(spec: ServiceSpec, configured: readonly IpFamily[]): FieldError[] {
  const faults: FieldError[] = []
  if (spec.ipFamilyPolicy === 'RequireDualStack' && configured.length < 2)
    faults.push(invalid(POLICY, spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services'))
  return [
    ...faults,
    ...faultsOfEach(spec.ipFamilies, (family, i) =>
      !configured.some((f) => f === family) ? [invalid(index('spec.ipFamilies', i), family, 'not configured on this cluster')] : [],
    ),
  ]
}
