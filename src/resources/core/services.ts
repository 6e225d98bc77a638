import { child, goQuote } from '../../machinery/field-error.ts'
import { cidrWarnings, ipWarnings } from '../../machinery/ip-address.ts'
import { labelName } from '../../machinery/validation/object-name.ts'
import { labelText } from '../cells.ts'
import { AGE, define, NAME } from '../define.ts'
import { proxyOptions } from './connect-options.ts'
import {
  defaultService,
  dropUnusedByType,
  hideInternalPolicy,
  isHeadless,
  keepAllocated,
  type Service,
  type ServicePort,
  showClusterIps,
  specOf,
  syncClusterIps,
} from './services/service-fields.ts'
import { validateLoadBalancerStatus, validateService, validateServiceUpdate } from './services/service-validation.ts'

export const services = define<Service>({
  group: '',
  kind: 'Service',
  plural: 'services',
  singular: 'service',
  metadataChecks: 'as-update',
  shortNames: ['svc'],
  categories: ['all'],
  columns: [
    NAME,
    { name: 'Type', describes: 'spec.type', cell: (o) => o.spec?.type ?? '' },
    { name: 'Cluster-IP', describes: 'spec.clusterIP', cell: (o) => o.spec?.clusterIPs?.[0] ?? '<none>' },
    { name: 'External-IP', describes: 'spec.externalIPs', cell: externalIps },
    { name: 'Port(s)', describes: 'spec.ports', cell: (o) => (o.spec?.ports ?? []).map(portText).join(',') || '<none>' },
    AGE,
    { name: 'Selector', priority: 1, describes: 'spec.selector', cell: (o) => labelText(o.spec?.selector) },
  ],
  selectableFields: { 'spec.clusterIP': (o) => o.spec?.clusterIP ?? '', 'spec.type': (o) => o.spec?.type ?? '' },
  rules: {
    returnsDeleted: true,
    allowCreateOnUpdate: true,
    validateName: labelName,
    defaults: defaultService,
    prepareForCreate: (draft, context) => {
      clearStatus(draft)
      syncClusterIps(specOf(draft), undefined)
      context.allocators?.services?.choose(draft, undefined, context)
    },
    canonicalize: (draft) => {
      hideInternalPolicy(specOf(draft))
      showClusterIps(specOf(draft))
    },
    validateCreate: (service) => validateService(service),
    prepareForUpdate: (draft, old, context) => {
      keepAllocated(specOf(draft), specOf(old))
      syncClusterIps(specOf(draft), specOf(old))
      context.allocators?.services?.choose(draft, old, context)
      dropUnusedByType(specOf(draft), specOf(old))
    },
    validateUpdate: validateServiceUpdate,
    warnings,
    reserve: async (draft, old, context) => context.allocators?.services?.reserve(draft, old, context),
    afterDelete: async (service, context) => context.allocators?.services?.release(service, context),
  },
  subresources: {
    status: {
      kind: 'status',
      rules: {
        // A PUT of a missing service creates it as it is, without addresses and ports.
        prepareForCreate: clearStatus,
        prepareForUpdate: () => {},
        reserve: async () => undefined,
        validateUpdate: (service, old) =>
          validateLoadBalancerStatus(service.status?.loadBalancer?.ingress, child('status', 'loadBalancer', 'ingress'), {
            old: old.status?.loadBalancer?.ingress,
            ipModes: true,
            ...(service.spec?.type !== 'LoadBalancer' && { forbiddenWhy: "may only be used when `spec.type` is 'LoadBalancer'" }),
          }),
        warnings: (service, old) => {
          if (old === undefined) return warnings(service)
          const ways = service.status?.loadBalancer?.ingress ?? []
          return ways.flatMap(({ ip }, i) => (ip ? ipWarnings(`status.loadBalancer.ingress[${i}]`, ip) : []))
        },
      },
    },
    proxy: {
      kind: 'connect',
      connector: 'serviceProxy',
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      input: { group: '', version: 'v1', kind: 'ServiceProxyOptions' },
      options: proxyOptions,
    },
  },
})

function clearStatus(draft: Service): void {
  draft.status = { loadBalancer: {} }
}

function externalIps(service: Service): string {
  const spec = specOf(service)
  const own = spec.externalIPs ?? []
  if (spec.type === undefined) return '<unknown>'
  if (spec.type === 'ExternalName') return spec.externalName ?? ''
  if (spec.type !== 'LoadBalancer') return own.join(',') || '<none>'
  const ingress = service.status?.loadBalancer?.ingress ?? []
  const ways = [...new Set(ingress.flatMap((i) => i.ip || i.hostname || []))].sort()
  return [...ways, ...own].join(',') || '<pending>'
}

function portText(port: ServicePort): string {
  return `${port.port ?? 0}${port.nodePort ? `:${port.nodePort}` : ''}/${port.protocol ?? ''}`
}

const OLD_HINTS = 'service.kubernetes.io/topology-aware-hints'

function warnings(service: Service): string[] {
  const spec = specOf(service)
  const out: string[] = []
  const annotations = service.metadata.annotations ?? {}
  if (Object.hasOwn(annotations, OLD_HINTS))
    out.push(`annotation ${OLD_HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead`)
  for (const [i, ip] of (spec.clusterIPs ?? []).entries()) if (ip !== 'None') out.push(...ipWarnings(`spec.clusterIPs[${i}]`, ip))
  if (isHeadless(spec)) out.push(...headlessWarnings(service))
  for (const [i, ip] of (spec.externalIPs ?? []).entries()) out.push(...ipWarnings(`spec.externalIPs[${i}]`, ip))
  if (spec.loadBalancerIP) out.push(...ipWarnings('spec.loadBalancerIP', spec.loadBalancerIP))
  for (const [i, range] of (spec.loadBalancerSourceRanges ?? []).entries())
    out.push(...cidrWarnings(`spec.loadBalancerSourceRanges[${i}]`, range))
  if (spec.type === 'ExternalName' && spec.externalIPs?.length) out.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
  else if (spec.externalIPs?.length && !isHeadless(spec))
    out.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters')
  if (spec.type !== 'ExternalName' && spec.externalName) out.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  if (spec.trafficDistribution === 'PreferClose')
    out.push(`spec.trafficDistribution: ${goQuote('PreferClose')} is deprecated; use ${goQuote('PreferSameZone')}`)
  return out
}

function headlessWarnings(service: Service): string[] {
  const spec = specOf(service)
  const out: string[] = []
  if (spec.loadBalancerIP) out.push('spec.loadBalancerIP is ignored for headless services')
  if (spec.externalIPs?.length) out.push('spec.externalIPs is ignored for headless services')
  if (spec.sessionAffinity !== 'None') out.push('spec.SessionAffinity is ignored for headless services')
  return out
}
