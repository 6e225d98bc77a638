import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  invalidNamed,
  key,
  notSupported,
  notSupportedText,
  required,
} from '../../../machinery/field-error.ts'
import { parseIp } from '../../../machinery/ip-address.ts'
import { dns1123Label, dns1123Subdomain, ianaServiceName } from '../../../machinery/names.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateLabels } from '../../../machinery/validation/object-meta.ts'
import {
  each,
  invalidEach,
  validateCidr,
  validateIp,
  validateOrdinaryIp,
  validatePort,
  validatePortOrName,
  validateQualifiedName,
} from '../../checks.ts'
import { validateEnum, validateNeededEnum } from '../../enumerations.ts'
import type * as core from '../../types/core.ts'
import type { Unchecked } from '../../unchecked.ts'
import { validateClusterIpChange, validateClusterIps } from './service-cluster-ips.ts'
import {
  isExposed,
  isHeadless,
  isInternal,
  needsHealthCheck,
  type Service,
  type ServicePort,
  type ServiceSpec,
  specOf,
} from './service-fields.ts'

const SPEC = 'spec'
const at = (name: string) => child(SPEC, name)
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode']
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges'

/** Addresses that the old service has in the same list are accepted. */
export function validateService(service: Service, old?: Service): FieldError[] {
  const spec = specOf(service)
  const before = old && specOf(old)
  const acceptedIps = new Set(before?.externalIPs)
  return [
    ...validateByType(spec),
    ...validatePorts(spec),
    ...validateLabels(spec.selector, at('selector')),
    ...validateAffinity(spec),
    ...validateClusterIps(spec, before),
    ...each(spec.externalIPs, at('externalIPs'), (ip, path) => validateExternalIp(ip, path, acceptedIps)),
    ...validateNeededEnum(spec.type, 'core_v1.ServiceType', at('type')),
    ...validateNodePorts(spec),
    ...validateSourceRanges(service, old),
    ...validateLoadBalancer(spec),
    ...validateTraffic(spec),
  ]
}

export function validateServiceUpdate(service: Service, old: Service): FieldError[] {
  const spec = specOf(service)
  const faults = validateClusterIpChange(spec, specOf(old))
  const balanced = spec.type === 'LoadBalancer' && old.spec?.type === 'LoadBalancer'
  if (balanced && spec.loadBalancerClass !== old.spec?.loadBalancerClass)
    faults.push(invalidNamed(at('loadBalancerClass'), spec.loadBalancerClass, 'may not change once set'))
  return [...faults, ...validateLoadBalancerClass(spec), ...validateService(service, old)]
}

function validateByType(spec: ServiceSpec): FieldError[] {
  const faults: FieldError[] = []
  const headless = isHeadless(spec)
  if (!spec.ports?.length && !headless && spec.type !== 'ExternalName') faults.push(required(at('ports')))
  if (headless && (spec.type === 'LoadBalancer' || spec.type === 'NodePort'))
    faults.push(invalid(index(at('clusterIPs'), 0), 'None', `may not be set to 'None' for ${spec.type} services`))
  if (spec.type === 'ExternalName') {
    const why = 'may not be set for ExternalName services'
    if (spec.clusterIPs?.length) faults.push(forbidden(at('clusterIPs'), why))
    if (spec.ipFamilies?.length) faults.push(forbidden(at('ipFamilies'), why))
    if (spec.ipFamilyPolicy !== undefined) faults.push(forbidden(at('ipFamilyPolicy'), why))
    const name = (spec.externalName ?? '').replace(/\.$/, '')
    if (name === '') faults.push(required(at('externalName')))
    else faults.push(...invalidEach(at('externalName'), name, dns1123Subdomain(name)))
  }
  return faults
}

function validatePorts(spec: ServiceSpec): FieldError[] {
  const names = new Set<string>()
  const needsName = (spec.ports?.length ?? 0) > 1
  return each<ServicePort>(spec.ports, at('ports'), (port, path) => {
    const faults: FieldError[] = []
    const name = port.name ?? ''
    if (name !== '') {
      faults.push(...invalidEach(child(path, 'name'), name, dns1123Label(name)))
      if (names.has(name)) faults.push(duplicate(child(path, 'name'), name))
      names.add(name)
    } else if (needsName) faults.push(required(child(path, 'name')))
    faults.push(...validatePort(port.port, child(path, 'port')))
    faults.push(...validateNeededEnum(port.protocol, 'core_v1.Protocol', child(path, 'protocol')))
    faults.push(...validatePortOrName(port.targetPort, child(path, 'targetPort'), ianaServiceName))
    if (port.appProtocol !== undefined) faults.push(...validateQualifiedName(port.appProtocol, child(path, 'appProtocol')))
    return faults
  })
}

function validateAffinity(spec: ServiceSpec): FieldError[] {
  const faults = validateNeededEnum(spec.sessionAffinity, 'core_v1.ServiceAffinity', at('sessionAffinity'))
  const config = spec.sessionAffinityConfig
  const path = at('sessionAffinityConfig')
  if (spec.sessionAffinity === 'None' && config !== undefined) faults.push(forbidden(path, 'must not be set when session affinity is None'))
  if (spec.sessionAffinity !== 'ClientIP') return faults
  const seconds = config?.clientIP?.timeoutSeconds
  if (seconds === undefined) faults.push(required(path, 'when session affinity type is ClientIP'))
  else if (seconds <= 0 || seconds > 86400)
    faults.push(invalid(child(path, 'clientIP', 'timeoutSeconds'), seconds, 'must be greater than 0 and less than 86400'))
  return faults
}

function validateExternalIp(ip: string, path: string, accepted: ReadonlySet<string>): FieldError[] {
  const faults = validateIp(ip, path, accepted)
  return faults.length > 0 ? faults : validateOrdinaryIp(ip, path)
}

/** Kubernetes looks at all ports for each rule in turn. */
function validateNodePorts(spec: ServiceSpec): FieldError[] {
  const nodePorts = new Set<string>()
  const ports = new Set<string>()
  return [
    ...each<ServicePort>(spec.ports, at('ports'), ({ nodePort = 0 }, path) =>
      nodePort === 0 || spec.type !== 'ClusterIP' ? [] : [forbidden(child(path, 'nodePort'), "may not be used when `type` is 'ClusterIP'")],
    ),
    ...each<ServicePort>(spec.ports, at('ports'), ({ protocol, nodePort = 0 }, path) =>
      nodePort === 0 || isFirst(nodePorts, `${protocol} ${nodePort}`) ? [] : [duplicate(child(path, 'nodePort'), nodePort)],
    ),
    ...each<ServicePort>(spec.ports, at('ports'), (port, path) =>
      isFirst(ports, `${port.protocol} ${port.port}`) ? [] : [duplicate(path, portIdentity(port))],
    ),
  ]
}

function isFirst(seen: Set<string>, key: string): boolean {
  const first = !seen.has(key)
  seen.add(key)
  return first
}

/** The fields that identify a port, in the form of field errors. */
const portIdentity = (port: ServicePort) => ({
  Name: '',
  Protocol: port.protocol ?? '',
  AppProtocol: null,
  Port: port.port ?? 0,
  TargetPort: 0,
  NodePort: 0,
})

function validateSourceRanges(service: Service, old: Service | undefined): FieldError[] {
  const spec = specOf(service)
  const only = "may only be used when `type` is 'LoadBalancer'"
  const other = spec.type !== 'LoadBalancer'
  const annotation = service.metadata.annotations?.[SOURCE_RANGES]
  if (spec.loadBalancerSourceRanges?.length) {
    const path = at('LoadBalancerSourceRanges')
    const accepted = new Set<string>(old?.spec?.loadBalancerSourceRanges)
    return [
      ...(other ? [forbidden(path, only)] : []),
      ...each(spec.loadBalancerSourceRanges, path, (r, at) => validateCidr(r, at, accepted)),
    ]
  }
  if (annotation === undefined) return []
  const path = key('metadata.annotations', SOURCE_RANGES)
  const isChecked = annotation !== old?.metadata.annotations?.[SOURCE_RANGES]
  const ranges = !isChecked || annotation.trim() === '' ? [] : annotation.trim().split(',')
  return [...(other ? [forbidden(path, only)] : []), ...faultsOfEach(ranges, (r) => validateCidr(r.trim(), path))]
}

function validateLoadBalancer(spec: ServiceSpec): FieldError[] {
  const path = at('allocateLoadBalancerNodePorts')
  const faults: FieldError[] = []
  if (spec.type !== 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== undefined)
    faults.push(forbidden(path, "may only be used when `type` is 'LoadBalancer'"))
  if (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === undefined)
    faults.push(required(path, "field is required when `type` is 'LoadBalancer'"))
  return [...faults, ...validateLoadBalancerClass(spec)]
}

function validateLoadBalancerClass(spec: ServiceSpec): FieldError[] {
  if (spec.loadBalancerClass === undefined) return []
  const path = at('loadBalancerClass')
  if (spec.type !== 'LoadBalancer') return [forbidden(path, "may only be used when `type` is 'LoadBalancer'")]
  return validateQualifiedName(spec.loadBalancerClass, path)
}

function validateTraffic(spec: ServiceSpec): FieldError[] {
  const faults: FieldError[] = []
  const external = spec.externalTrafficPolicy ?? ''
  if (isExposed(spec)) faults.push(...validateNeededEnum(external, 'core_v1.ServiceExternalTrafficPolicy', at('externalTrafficPolicy')))
  else if (external !== '')
    faults.push(invalidNamed(at('externalTrafficPolicy'), external, 'may only be set for externally-accessible services'))
  const health = spec.healthCheckNodePort ?? 0
  if (needsHealthCheck(spec)) {
    if (health === 0) faults.push(required(at('healthCheckNodePort')))
    else faults.push(...validatePort(health, at('healthCheckNodePort')))
  } else if (health !== 0) {
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    faults.push(invalid(at('healthCheckNodePort'), health, why))
  }
  const internal = spec.internalTrafficPolicy
  if (internal === undefined && isInternal(spec)) faults.push(required(at('internalTrafficPolicy')))
  faults.push(...validateEnum(internal, 'core_v1.ServiceInternalTrafficPolicy', at('internalTrafficPolicy')))
  const spread = spec.trafficDistribution
  if (spread !== undefined && !DISTRIBUTIONS.includes(spread))
    faults.push(notSupportedText(at('trafficDistribution'), spread, DISTRIBUTIONS))
  return faults
}

type LoadBalancerIngress = Unchecked<core.LoadBalancerIngress>

/**
 * Validates a load balancer's ingress points. `old` are the present ones, whose addresses are accepted; `forbiddenWhy` is set if none are
 * allowed.
 */
export function validateLoadBalancerStatus(
  ingress: readonly LoadBalancerIngress[] | undefined,
  path: string,
  options: { readonly old: readonly LoadBalancerIngress[] | undefined; readonly ipModes: boolean; readonly forbiddenWhy?: string },
): FieldError[] {
  if (options.forbiddenWhy !== undefined && ingress?.length) return [forbidden(path, options.forbiddenWhy)]
  const accepted = new Set((options.old ?? []).flatMap(({ ip }) => ip ?? []))
  return each(ingress, path, (way, p) => {
    const faults: FieldError[] = []
    if (way.ip) faults.push(...validateIp(way.ip, child(p, 'ip'), accepted))
    if (options.ipModes) {
      const mode = child(p, 'ipMode')
      if (way.ipMode === undefined && way.ip) faults.push(required(mode, 'must be specified when `ip` is set'))
      else if (way.ipMode !== undefined && !way.ip) faults.push(forbidden(mode, 'may not be specified when `ip` is not set'))
      else if (way.ipMode !== undefined && !['Proxy', 'VIP'].includes(way.ipMode))
        faults.push(notSupported(mode, way.ipMode, ['Proxy', 'VIP']))
    }
    if (way.hostname) {
      faults.push(...invalidEach(child(p, 'hostname'), way.hostname, dns1123Subdomain(way.hostname)))
      if (parseIp(way.hostname)) faults.push(invalid(child(p, 'hostname'), way.hostname, 'must be a DNS name, not an IP address'))
    }
    return faults
  })
}
