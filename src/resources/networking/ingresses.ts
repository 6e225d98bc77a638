import { child, type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { parseIp } from '../../machinery/ip-address.ts'
import { dns1123Label, dns1123Subdomain, ianaServiceName, pathSegmentName, wildcardDns1123Subdomain } from '../../machinery/names.ts'
import { givenEmpty } from '../../machinery/schema/given-empty.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { each, invalidEach, validatePort } from '../checks.ts'
import { validateLoadBalancerStatus } from '../core/services/service-validation.ts'
import { AGE, define, NAME } from '../define.ts'
import { enumOf } from '../enumerations.ts'
import type * as networking from '../types/networking.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

type Ingress = UncheckedObject<networking.Ingress>
type Backend = Unchecked<networking.IngressBackend>
type IngressPath = Unchecked<networking.HTTPIngressPath>
type Rule = Unchecked<networking.IngressRule>
type IngressSpec = Unchecked<networking.IngressSpec>

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'
export const ingresses = define<Ingress>({
  group: 'networking.k8s.io',
  kind: 'Ingress',
  plural: 'ingresses',
  singular: 'ingress',
  shortNames: ['ing'],
  columns: [
    NAME,
    { name: 'Class', description: 'The name of the class that serves this ingress', cell: classText },
    { name: 'Hosts', description: 'Hosts that incoming requests are matched against', cell: hostsText },
    { name: 'Address', description: 'Where the load balancer is reached', cell: addressText },
    { name: 'Ports', description: 'Ports that are open', cell: (o) => (o.spec?.tls?.length ? '80, 443' : '80') },
    AGE,
  ],
  rules: {
    generation: 'spec',
    prepareForCreate: (draft) => {
      draft.status = { loadBalancer: {} }
    },
    validateCreate: (object) => {
      const annotation = object.metadata.annotations?.[CLASS_ANNOTATION]
      const spec: IngressSpec = object.spec ?? {}
      const faults = validate(spec)
      if (annotation !== undefined && spec.ingressClassName !== undefined && annotation !== spec.ingressClassName)
        faults.push(invalid(child('annotations', CLASS_ANNOTATION), annotation, 'must match `ingressClassName` when both are specified'))
      return faults
    },
    validateUpdate: (object) => validate(object.spec ?? {}),
    warnings: (object, old) =>
      old !== undefined || object.spec?.ingressClassName !== undefined || object.metadata.annotations?.[CLASS_ANNOTATION] === undefined
        ? []
        : [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`],
  },
  subresources: {
    status: {
      kind: 'status',
      rules: {
        validateUpdate: (object, old) =>
          validateLoadBalancerStatus(object.status?.loadBalancer?.ingress, child('status', 'loadBalancer', 'ingress'), {
            old: old.status?.loadBalancer?.ingress,
            ipModes: false,
          }),
        warnings: () => [],
      },
    },
  },
})

function classText(ingress: Ingress): string {
  return ingress.spec?.ingressClassName ?? ingress.metadata.annotations?.[CLASS_ANNOTATION] ?? '<none>'
}

function hostsText(ingress: Ingress): string {
  const hosts = (ingress.spec?.rules ?? []).flatMap((rule: Rule) => rule.host || [])
  if (hosts.length === 0) return '*'
  return hosts.length > 3 ? `${hosts.slice(0, 3).join(',')} + ${hosts.length - 3} more...` : hosts.join(',')
}

function addressText(ingress: Ingress): string {
  const ways: { ip?: string; hostname?: string }[] = ingress.status?.loadBalancer?.ingress ?? []
  return [...new Set(ways.flatMap((way) => way.ip || way.hostname || []))].sort().join(',')
}

function validate(spec: IngressSpec): FieldError[] {
  const faults: FieldError[] = []
  if (!spec.rules?.length && !spec.defaultBackend)
    faults.push(invalid('spec', spec.rules ?? givenEmpty(spec, 'rules') ?? null, 'either `defaultBackend` or `rules` must be specified'))
  if (spec.defaultBackend) faults.push(...validateBackend(spec.defaultBackend, child('spec', 'defaultBackend')))
  faults.push(...each(spec.rules, child('spec', 'rules'), validateRule))
  faults.push(...faultsOfEach(spec.tls, (tls, i) => validateTls(tls, `spec.tls[${i}]`)))
  if (spec.ingressClassName !== undefined)
    faults.push(...invalidEach(child('spec', 'ingressClassName'), spec.ingressClassName, dns1123Subdomain(spec.ingressClassName)))
  return faults
}

const hostTexts = (host: string) => (host.includes('*') ? wildcardDns1123Subdomain(host) : dns1123Subdomain(host))

function validateTls(tls: { hosts?: string[]; secretName?: string }, path: string): FieldError[] {
  const faults = each(tls.hosts, child(path, 'hosts'), (host, at) => invalidEach(at, host, hostTexts(host)))
  const secret = tls.secretName ?? ''
  if (secret !== '') faults.push(...invalidEach(child(path, 'secretName'), secret, dns1123Subdomain(secret)))
  return faults
}

function validateRule(rule: Rule, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (rule.host) {
    if (parseIp(rule.host)) faults.push(invalid(child(path, 'host'), rule.host, 'must be a DNS name, not an IP address'))
    faults.push(...invalidEach(child(path, 'host'), rule.host, hostTexts(rule.host)))
  }
  if (!rule.http) return faults
  const paths = child(path, 'http', 'paths')
  if (!rule.http.paths?.length) faults.push(required(paths))
  return [...faults, ...each(rule.http.paths, paths, validatePath)]
}

const SEQUENCES = ['//', '/./', '/../', '%2f', '%2F']
const SUFFIXES = ['/..', '/.']

function validatePath(item: IngressPath, at: string): FieldError[] {
  const faults: FieldError[] = []
  const path = item.path ?? ''
  const where = child(at, 'path')
  if (item.pathType == null) return [required(child(at, 'pathType'), 'pathType must be specified')]
  if (item.pathType === 'Exact' || item.pathType === 'Prefix') {
    if (!path.startsWith('/')) faults.push(invalid(where, path, 'must be an absolute path'))
    if (path.length > 0) {
      for (const part of SEQUENCES) if (path.includes(part)) faults.push(invalid(where, path, `must not contain '${part}'`))
      for (const end of SUFFIXES) if (path.endsWith(end)) faults.push(invalid(where, path, `cannot end with '${end}'`))
    }
  } else if (item.pathType === 'ImplementationSpecific') {
    if (path.length > 0 && !path.startsWith('/')) faults.push(invalid(where, path, 'must be an absolute path'))
  } else faults.push(notSupported(child(at, 'pathType'), item.pathType, enumOf('networking_v1.PathType')))
  return [...faults, ...validateBackend(item.backend ?? {}, child(at, 'backend'))]
}

function validateBackend(backend: Backend, path: string): FieldError[] {
  const { service, resource } = backend
  if (service && resource) return [invalid(path, '', 'cannot set both resource and service backends')]
  if (resource) return validateResource(resource, child(path, 'resource'))
  if (!service) return [invalid(path, '', 'resource or service backend is required')]
  const faults: FieldError[] = []
  const name = service.name ?? ''
  if (name === '') faults.push(required(child(path, 'service', 'name')))
  else faults.push(...invalidEach(child(path, 'service', 'name'), name, dns1123Label(name)))
  const port = service.port ?? {}
  const portPath = child(path, 'service', 'port')
  if (port.name && port.number) faults.push(invalid(path, '', 'cannot set both port name & port number'))
  else if (port.name) faults.push(...invalidEach(child(portPath, 'name'), port.name, ianaServiceName(port.name)))
  else if (port.number) faults.push(...validatePort(port.number, child(portPath, 'number')))
  else faults.push(required(path, 'port name or number is required'))
  return faults
}

function validateResource(resource: NonNullable<Backend['resource']>, path: string): FieldError[] {
  const faults: FieldError[] = []
  const group = resource.apiGroup
  if (group != null) faults.push(...invalidEach(child(path, 'apiGroup'), group, dns1123Subdomain(group)))
  for (const field of ['kind', 'name'] as const) {
    const value = resource[field] ?? ''
    if (value === '') faults.push(required(child(path, field)))
    else faults.push(...invalidEach(child(path, field), value, pathSegmentName(value)))
  }
  return faults
}
