import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, required } from '../../machinery/field-error.ts'
import { ipWarnings } from '../../machinery/ip-address.ts'
import { dns1123Label, dns1123Subdomain } from '../../machinery/names.ts'
import { each, invalidEach, validateIp, validateOrdinaryIp, validatePort, validateQualifiedName } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { validateNeededEnum } from '../enumerations.ts'
import type * as core from '../types/core.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

type Endpoints = UncheckedObject<core.Endpoints>
type Subset = Unchecked<core.EndpointSubset>
type SubsetAddress = Unchecked<core.EndpointAddress>
type SubsetPort = Unchecked<core.EndpointPort>

export const endpoints = define<Endpoints>({
  group: '',
  kind: 'Endpoints',
  plural: 'endpoints',
  singular: 'endpoints',
  shortNames: ['ep'],
  deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  columns: [NAME, { name: 'Endpoints', describes: 'subsets', cell: (o) => addressText(o.subsets ?? []) }, AGE],
  rules: {
    allowCreateOnUpdate: true,
    defaults: (draft) => {
      for (const subset of draft.subsets ?? []) for (const port of subset?.ports ?? []) if (port && !port.protocol) port.protocol = 'TCP'
    },
    validateCreate: validate,
    validateUpdate: (object, old) => (semanticEqual(object.subsets ?? [], old.subsets ?? []) ? [] : validate(object)),
    warnings: addressWarnings,
  },
})

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by'

function addressWarnings(object: Endpoints): string[] {
  if (object.metadata.labels?.[MANAGED_BY] === 'endpoint-controller') return []
  const subsets: readonly Subset[] = object.subsets ?? []
  return subsets.flatMap((subset, i) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((field) =>
      (subset[field] ?? []).flatMap((address, j) => ipWarnings(`subsets[${i}].${field}[${j}].ip`, address.ip ?? '')),
    ),
  )
}

function validate(object: Endpoints): FieldError[] {
  return each<Subset>(object.subsets, 'subsets', (subset, path) => {
    const faults: FieldError[] = []
    if (!subset.addresses?.length && !subset.notReadyAddresses?.length)
      faults.push(required(path, 'must specify `addresses` or `notReadyAddresses`'))
    return [
      ...faults,
      ...each(subset.addresses, child(path, 'addresses'), validateAddress),
      ...each(subset.notReadyAddresses, child(path, 'notReadyAddresses'), validateAddress),
      ...each(subset.ports, child(path, 'ports'), (port, at) => validateSubsetPort(port, at, (subset.ports?.length ?? 0) > 1)),
    ]
  })
}

function validateAddress(address: SubsetAddress, path: string): FieldError[] {
  const ip = address.ip ?? ''
  const faults = validateIp(ip, child(path, 'ip'))
  if (address.hostname) faults.push(...invalidEach(child(path, 'hostname'), address.hostname, dns1123Label(address.hostname)))
  if (address.nodeName !== undefined)
    faults.push(...invalidEach(child(path, 'nodeName'), address.nodeName, dns1123Subdomain(address.nodeName)))
  return [...faults, ...validateOrdinaryIp(ip, child(path, 'ip'))]
}

function validateSubsetPort(port: SubsetPort, path: string, needsName: boolean): FieldError[] {
  const faults: FieldError[] = []
  const name = port.name ?? ''
  if (needsName && name === '') faults.push(required(child(path, 'name')))
  else if (name !== '') faults.push(...invalidEach(child(path, 'name'), name, dns1123Label(name)))
  faults.push(...validatePort(port.port, child(path, 'port')))
  faults.push(...validateNeededEnum(port.protocol, 'core_v1.Protocol', child(path, 'protocol')))
  if (port.appProtocol !== undefined) faults.push(...validateQualifiedName(port.appProtocol, child(path, 'appProtocol')))
  return faults
}

const MAX_SHOWN = 3

function addressText(subsets: readonly Subset[]): string {
  if (subsets.length === 0) return '<none>'
  let total = 0
  const shown: string[] = []
  for (const { addresses = [], ports = [] } of subsets) {
    // All pairs of an address and a port may be too many to make them.
    total += addresses.length * Math.max(1, ports.length)
    for (const port of ports.length > 0 ? ports.slice(0, MAX_SHOWN) : [undefined])
      for (const { ip = '' } of addresses.slice(0, MAX_SHOWN - shown.length)) shown.push(port === undefined ? ip : withPort(ip, port.port))
  }
  return total > MAX_SHOWN ? `${shown.join(',')} + ${total - MAX_SHOWN} more...` : shown.join(',')
}

const withPort = (ip: string, port = 0) => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`
