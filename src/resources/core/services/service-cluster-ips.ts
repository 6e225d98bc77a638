import { duplicateNamed, type FieldError, index, invalid, notSupported, required } from '../../../machinery/field-error.ts'
import { isIpv4, parseIp } from '../../../machinery/ip-address.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { repeats, validateIp } from '../../checks.ts'
import { validateEnum } from '../../enumerations.ts'
import { isHeadless, type ServiceSpec } from './service-fields.ts'

const IPS = 'spec.clusterIPs'
const FAMILIES = 'spec.ipFamilies'
const POLICY = 'spec.ipFamilyPolicy'

/** Checks cluster addresses, families and family policy of one service against each other. Addresses of the old service are accepted. */
export function validateClusterIps(spec: ServiceSpec, old?: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName') return []
  const faults: FieldError[] = []
  const ips = spec.clusterIPs ?? []
  const families = spec.ipFamilies ?? []
  if (spec.clusterIP && ips.length > 0 && ips[0] !== spec.clusterIP) faults.push(invalid(IPS, ips, 'first value must match `clusterIP`'))
  if (spec.clusterIP && ips.length === 0) faults.push(required(IPS))
  if (!spec.clusterIP && ips.length > 0) faults.push(invalid(IPS, ips, 'must be empty when `clusterIP` is not specified'))
  const isRepeated = repeats()
  faults.push(
    ...faultsOfEach(families, (family, i) => {
      const found: FieldError[] = []
      if (family !== 'IPv4' && family !== 'IPv6') found.push(notSupported(index(FAMILIES, i), family, ['IPv4', 'IPv6']))
      if (isRepeated(family)) found.push(duplicateNamed(index(FAMILIES, i), family))
      return found
    }),
  )
  const policy = spec.ipFamilyPolicy
  faults.push(...validateEnum(policy, 'core_v1.IPFamilyPolicy', POLICY))
  const malformed = validateEachIp(ips, new Set(old?.clusterIPs))
  faults.push(...malformed)
  if (ips.length > 2) faults.push(invalid(IPS, ips, 'may only hold up to 2 values'))
  if (malformed.length > 0) return faults
  if (ips.length > 1 && new Set(ips.map(isV4)).size < 2)
    faults.push(invalid(IPS, ips, 'may specify no more than one IP for each IP family'))
  if (!isHeadless(spec)) faults.push(...matchFamilies(ips, families))
  return faults
}

const isV4 = (text: string): boolean => {
  const ip = parseIp(text)
  return ip !== undefined && isIpv4(ip)
}

function validateEachIp(ips: readonly string[], accepted: ReadonlySet<string>): FieldError[] {
  return faultsOfEach(ips, (ip, i) => {
    if (i === 0 && ip === 'None') return ips.length > 1 ? [invalid(IPS, ips, "'None' must be the first and only value")] : []
    return validateIp(ip, index(IPS, i), accepted)
  })
}

function matchFamilies(ips: readonly string[], families: readonly string[]): FieldError[] {
  return ips.slice(0, families.length).flatMap((ip, i) => {
    const family = families[i]
    const fits = isV4(ip) ? family !== 'IPv6' : family !== 'IPv4'
    return fits ? [] : [invalid(index(IPS, i), ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``)]
  })
}

/** An update may add or release the second address and family; the first is immutable. */
export function validateClusterIpChange(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return []
  const headless = isHeadless(spec)
  if (headless && isHeadless(old)) return validateFamilyChange(spec, old, headless)
  return [...validateIpChange(spec, old), ...validateFamilyChange(spec, old, headless)]
}

function validateIpChange(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const now = spec.clusterIPs ?? []
  const before = old.clusterIPs ?? []
  const frozen = (i: number) => invalid(index(IPS, i), now, 'may not change once set')
  if (before.length === now.length) return faultsOfEach(before, (ip, i) => (ip === now[i] ? [] : [frozen(i)]))
  const faults: FieldError[] = []
  if (before.length > now.length && now.length === 0) faults.push(invalid(index(IPS, 0), now, 'primary clusterIP can not be unset'))
  if (before.length > 0 && now.length > 0 && now[0] !== before[0]) faults.push(frozen(0))
  if (before.length > now.length && now.length === 1 && spec.ipFamilyPolicy !== 'SingleStack')
    faults.push(invalid(POLICY, spec.ipFamilyPolicy, "must be set to 'SingleStack' when releasing the secondary clusterIP"))
  return faults
}

function validateFamilyChange(spec: ServiceSpec, old: ServiceSpec, headless: boolean): FieldError[] {
  if (headless && isHeadless(old) && Object.keys(spec.selector ?? {}).length === 0) return []
  const now = spec.ipFamilies ?? []
  const before = old.ipFamilies ?? []
  const frozen = (i: number) => invalid(index(FAMILIES, i), now, 'may not change once set')
  if (before.length === now.length) return faultsOfEach(before, (family, i) => (family === now[i] ? [] : [frozen(i)]))
  const faults: FieldError[] = []
  if (before.length > now.length && now.length === 0) faults.push(invalid(index(FAMILIES, 0), now, 'primary ipFamily can not be unset'))
  if (before.length > 0 && now.length > 0 && now[0] !== before[0]) faults.push(frozen(0))
  if (before.length > now.length && now.length === 1 && spec.ipFamilyPolicy !== 'SingleStack')
    faults.push(invalid(POLICY, spec.ipFamilyPolicy, "must be set to 'SingleStack' when releasing the secondary ipFamily"))
  return faults
}
