import { semanticEqual } from '../../machinery/equal.ts'
import { child, duplicate, duplicateNamed, type FieldError, invalid, required, tooMany } from '../../machinery/field-error.ts'
import { canonicalIp, ipWarnings, isIpv4, parseIp } from '../../machinery/ip-address.ts'
import { dns1123Label, dns1123Subdomain, labelValue } from '../../machinery/names.ts'
import { nextGeneration } from '../../machinery/object.ts'
import { validateFullyQualifiedDomainName } from '../../machinery/validation/domain-name.ts'
import { validateImmutableNamed, validateLabels } from '../../machinery/validation/object-meta.ts'
import { each, invalidEach, validateOrdinaryIp, validateQualifiedName } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { validateEnum, validateNeededEnum } from '../enumerations.ts'
import type * as discovery from '../types/discovery.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

type EndpointSlice = UncheckedObject<discovery.EndpointSlice>
type Endpoint = Unchecked<discovery.Endpoint>
type EndpointPort = Unchecked<discovery.EndpointPort>

const MAX = { endpoints: 1000, addresses: 100, ports: 20000, hints: 8, topology: 16, shown: 3 }

export const endpointSlices = define<EndpointSlice>({
  group: 'discovery.k8s.io',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  singular: 'endpointslice',
  metadataChecks: 'whole',
  columns: [
    NAME,
    { name: 'AddressType', describes: 'addressType', cell: (o) => o.addressType ?? '' },
    { name: 'Ports', describes: 'ports', cell: (o) => some((o.ports ?? []).map(portText)) },
    { name: 'Endpoints', describes: 'endpoints', cell: (o) => some((o.endpoints ?? []).flatMap((e: Endpoint) => e.addresses ?? [])) },
    AGE,
  ],
  rules: {
    generation: 'spec',
    defaults: (draft) => {
      for (const port of draft.ports ?? []) {
        if (!port) continue
        port.name ??= ''
        port.protocol ??= 'TCP'
      }
    },
    prepareForCreate: (draft) => dropTopology(draft),
    prepareForUpdate: (draft, old) => {
      dropTopology(draft, old)
      if (!semanticEqual(draft.metadata.labels, old.metadata.labels)) draft.metadata.generation = nextGeneration(old.metadata)
    },
    validateCreate: (object) => validate(object),
    validateUpdate: (object, old) => [
      ...validate(object, old),
      ...validateImmutableNamed(object.addressType ?? '', old.addressType ?? '', 'addressType'),
    ],
    warnings: (slice, old) => [
      ...(!old && slice.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
      ...addressWarnings(slice),
    ],
  },
})

const HOSTNAME = 'kubernetes.io/hostname'

/** `deprecatedTopology` is no longer written; the hostname in it is kept as `nodeName`. */
function dropTopology(draft: EndpointSlice, old?: EndpointSlice): void {
  const endpoints: Endpoint[] = draft.endpoints ?? []
  const before: Endpoint[] = old?.endpoints ?? []
  if (old && semanticEqual(endpoints, before)) return
  const names = new Set(before.map((endpoint) => endpoint.deprecatedTopology?.[HOSTNAME] ?? ''))
  for (const endpoint of endpoints) {
    const name = endpoint.deprecatedTopology?.[HOSTNAME] ?? ''
    if (endpoint.nodeName === undefined && name !== '' && names.has(name) && dns1123Subdomain(name).length === 0) endpoint.nodeName = name
    delete endpoint.deprecatedTopology
  }
}

const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
const OWN_CONTROLLERS = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']

function addressWarnings(slice: EndpointSlice): string[] {
  if (OWN_CONTROLLERS.includes(slice.metadata.labels?.[MANAGED_BY] ?? '')) return []
  const endpoints: Endpoint[] = slice.endpoints ?? []
  return endpoints.flatMap((endpoint, i) =>
    (endpoint.addresses ?? []).flatMap((address, j) => ipWarnings(`endpoints[${i}].addresses[${j}]`, address)),
  )
}

const portText = (port: EndpointPort) => (port.port == null ? (port.name ?? '*') : String(port.port))

function some(items: readonly string[]): string {
  if (items.length === 0) return '<unset>'
  const text = items.slice(0, MAX.shown).join(',')
  return items.length > MAX.shown ? `${text} + ${items.length - MAX.shown} more...` : text
}

function validate(object: EndpointSlice, old?: EndpointSlice): FieldError[] {
  const type: string = object.addressType ?? ''
  const faults = [...validateNeededEnum(type, 'discovery_v1.AddressType', 'addressType'), ...validatePorts(object.ports ?? [])]
  // Older versions accepted other endpoints: those that do not change stay valid.
  if (old !== undefined && semanticEqual(old.endpoints ?? [], object.endpoints ?? [])) return faults
  return [...faults, ...validateEndpoints(object.endpoints ?? [], type)]
}

function validateEndpoints(endpoints: readonly Endpoint[], type: string): readonly FieldError[] {
  if (endpoints.length > MAX.endpoints) return [tooMany('endpoints', endpoints.length, MAX.endpoints)]
  return each(endpoints, 'endpoints', (endpoint, path) => validateEndpoint(endpoint, type, path))
}

function validateEndpoint(endpoint: Endpoint, type: string, path: string): FieldError[] {
  const faults: FieldError[] = []
  const addresses = endpoint.addresses ?? []
  const at = child(path, 'addresses')
  if (addresses.length === 0) faults.push(required(at, 'must contain at least 1 address'))
  else if (addresses.length > MAX.addresses) faults.push(tooMany(at, addresses.length, MAX.addresses))
  faults.push(...each(addresses, at, (address, p) => validateAddress(address, type, { list: at, path: p })))
  if (endpoint.nodeName !== undefined)
    faults.push(...invalidEach(child(path, 'nodeName'), endpoint.nodeName, dns1123Subdomain(endpoint.nodeName)))
  const topology = child(path, 'deprecatedTopology')
  const labels = endpoint.deprecatedTopology ?? {}
  if (Object.keys(labels).length > MAX.topology) faults.push(tooMany(topology, Object.keys(labels).length, MAX.topology))
  faults.push(...validateLabels(labels, topology))
  if (endpoint.hostname !== undefined)
    faults.push(...invalidEach(child(path, 'hostname'), endpoint.hostname, dns1123Label(endpoint.hostname)))
  return [...faults, ...validateHints(endpoint, child(path, 'hints'))]
}

function validateAddress(address: string, type: string, { list, path }: { readonly list: string; readonly path: string }): FieldError[] {
  if (type === 'FQDN') return validateFullyQualifiedDomainName(path, address)
  if (type !== 'IPv4' && type !== 'IPv6') return []
  const faults = invalidEach(path, address, canonicalIp(address))
  if (faults.length > 0) return faults
  const ip = parseIp(address)
  if (ip && isIpv4(ip) !== (type === 'IPv4')) faults.push(invalid(list, address, `must be an ${type} address`))
  return [...faults, ...validateOrdinaryIp(address, path)]
}

function validateHints(endpoint: Endpoint, path: string): FieldError[] {
  if (!endpoint.hints) return []
  const list = (name: 'forZones' | 'forNodes', check: (value: string) => readonly string[]) => {
    const hints = endpoint.hints?.[name] ?? []
    const at = child(path, name)
    if (hints.length > MAX.hints) return [tooMany(at, hints.length, MAX.hints)]
    const seen = new Set<string>()
    return each(hints, at, (hint, p) => {
      const value = hint.name ?? ''
      const faults: FieldError[] = seen.has(value) ? [duplicate(child(p, 'name'), value)] : []
      seen.add(value)
      return [...faults, ...invalidEach(child(p, 'name'), value, check(value))]
    })
  }
  return [...list('forZones', labelValue), ...list('forNodes', dns1123Subdomain)]
}

function validatePorts(ports: readonly EndpointPort[]): FieldError[] {
  if (ports.length > MAX.ports) return [tooMany('ports', ports.length, MAX.ports)]
  const names = new Set<string>()
  return each(ports, 'ports', (port, path) => {
    const faults: FieldError[] = []
    const name = port.name ?? ''
    if (name !== '') faults.push(...invalidEach(child(path, 'name'), name, dns1123Label(name)))
    if (names.has(name)) faults.push(duplicateNamed(child(path, 'name'), name))
    names.add(name)
    if (port.protocol === undefined) faults.push(required(child(path, 'protocol')))
    faults.push(...validateEnum(port.protocol, 'core_v1.Protocol', child(path, 'protocol')))
    if (port.appProtocol !== undefined) faults.push(...validateQualifiedName(port.appProtocol, child(path, 'appProtocol')))
    return faults
  })
}
