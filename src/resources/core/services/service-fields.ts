import { validateEnum } from '../../enumerations.ts'
import type * as core from '../../types/core.ts'
import type { Unchecked, UncheckedObject } from '../../unchecked.ts'

/** A Service, as rules read it. */
export type Service = UncheckedObject<core.Service>
export type ServiceSpec = Unchecked<core.ServiceSpec>
export type ServicePort = Unchecked<core.ServicePort>

export const specOf = (service: Service): ServiceSpec => service.spec ?? {}

export const isHeadless = (spec: ServiceSpec): boolean => spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None'
const needsClusterIp = (spec: ServiceSpec): boolean => spec.type !== 'ExternalName'
/** True if `internalTrafficPolicy` applies. */
export const isInternal = (spec: ServiceSpec): boolean => ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(spec.type ?? '')
const hasNodePorts = (spec: ServiceSpec): boolean => spec.type === 'NodePort' || spec.type === 'LoadBalancer'
/** True if node ports are allocated. */
export const needsNodePort = (spec: ServiceSpec): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
export const needsHealthCheck = (spec: ServiceSpec): boolean => spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local'
/** True if the service accepts external traffic: only then does an external traffic policy apply. */
export const isExposed = (spec: ServiceSpec): boolean =>
  spec.type === 'LoadBalancer' || spec.type === 'NodePort' || (spec.type === 'ClusterIP' && (spec.externalIPs?.length ?? 0) > 0)

const same = (a: readonly string[] = [], b: readonly string[] = []) => a.length === b.length && a.every((one, i) => one === b[i])
export const sameClusterIps = (a: ServiceSpec, b: ServiceSpec): boolean => same(a.clusterIPs, b.clusterIPs)
export const sameIpFamilies = (a: ServiceSpec, b: ServiceSpec): boolean => same(a.ipFamilies, b.ipFamilies)
const nodePorts = (spec: ServiceSpec) => new Set((spec.ports ?? []).flatMap((p) => p.nodePort || []))

/** Fills in the defaults of a service. */
export function defaultService(draft: Service): void {
  draft.spec ??= {}
  const spec: ServiceSpec = draft.spec
  spec.sessionAffinity ||= 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } }
  spec.type ||= 'ClusterIP'
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP'
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port ?? 0
  }
  if (isExposed(spec)) spec.externalTrafficPolicy ||= 'Cluster'
  if (spec.internalTrafficPolicy === undefined && isInternal(spec)) spec.internalTrafficPolicy = 'Cluster'
  if (spec.type === 'LoadBalancer') {
    spec.allocateLoadBalancerNodePorts ??= true
    for (const ingress of draft.status?.loadBalancer?.ingress ?? []) if (ingress?.ip) ingress.ipMode ??= 'VIP'
  }
}

/** Kubernetes validates the policy of an ExternalName service, and never shows it. */
export function hideInternalPolicy(spec: ServiceSpec): void {
  if (!isInternal(spec) && validateEnum(spec.internalTrafficPolicy, 'core_v1.ServiceInternalTrafficPolicy', '').length === 0)
    delete spec.internalTrafficPolicy
}

/** Every service that has a `clusterIP` shows `clusterIPs`. */
export function showClusterIps(spec: ServiceSpec): void {
  if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP]
}

/** Keeps `clusterIP` and `clusterIPs` consistent for clients that know only the first. */
export function syncClusterIps(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  const ip = spec.clusterIP ?? ''
  // Kubernetes does not look at another address that comes with a change to ExternalName: it is not validated, and only shown.
  if (old === undefined || needsClusterIp(spec) || ip === (old.clusterIP ?? '')) showClusterIps(spec)
  if (!old) return
  if (ip === (old.clusterIP ?? '') || !sameClusterIps(spec, old)) return
  if (ip === '') delete spec.clusterIPs
  else spec.clusterIPs = [ip]
}

/** An update that omits values which the server has allocated keeps them. */
export function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP
    if (!spec.clusterIPs?.length && spec.clusterIP === old.clusterIP && old.clusterIPs) spec.clusterIPs = [...old.clusterIPs]
  }
  if (hasNodePorts(old) && hasNodePorts(spec)) keepNodePorts(spec, old)
  if (needsHealthCheck(old) && needsHealthCheck(spec) && !spec.healthCheckNodePort && old.healthCheckNodePort)
    spec.healthCheckNodePort = old.healthCheckNodePort
}

/** Keeps the node ports of ports with the same name, unless another port asks for them. Several ports of one name all get them. */
function keepNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  const before = nodePorts(old)
  const used = new Set([...nodePorts(spec)].filter((p) => before.has(p)))
  const byName = new Map((old.ports ?? []).map((p) => [p.name ?? '', p.nodePort]))
  for (const port of spec.ports ?? []) {
    const known = port.nodePort ? undefined : byName.get(port.name ?? '')
    if (known && !used.has(known)) port.nodePort = known
  }
}

/** Drops fields that do not apply to the new type, if the client did not change them. */
export function dropUnusedByType(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIp(old) && !needsClusterIp(spec)) {
    if (sameClusterIps(old, spec)) {
      delete spec.clusterIP
      delete spec.clusterIPs
    }
    if (sameIpFamilies(old, spec)) delete spec.ipFamilies
    if (old.ipFamilyPolicy === spec.ipFamilyPolicy) delete spec.ipFamilyPolicy
  }
  if (hasNodePorts(old) && !hasNodePorts(spec) && nodePorts(spec).isSubsetOf(nodePorts(old)))
    for (const port of spec.ports ?? []) delete port.nodePort
  if (needsHealthCheck(old) && !needsHealthCheck(spec) && old.healthCheckNodePort === spec.healthCheckNodePort)
    delete spec.healthCheckNodePort
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (old.allocateLoadBalancerNodePorts === spec.allocateLoadBalancerNodePorts) delete spec.allocateLoadBalancerNodePorts
    if (old.loadBalancerClass === spec.loadBalancerClass) delete spec.loadBalancerClass
  }
  if (isExposed(old) && !isExposed(spec) && old.externalTrafficPolicy === spec.externalTrafficPolicy) delete spec.externalTrafficPolicy
}
