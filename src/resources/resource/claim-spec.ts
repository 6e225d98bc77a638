import { child, type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { dns1123Subdomain } from '../../machinery/names.ts'
import { each, invalidEach } from '../checks.ts'
import { enumOf } from '../enumerations.ts'
import type * as resource from '../types/resource.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { limited, limitedSet, validateConfiguration, validateFullAttributeName, validateLabel, validateToleration } from './common.ts'
import { validateDeviceExpression } from './device-expressions.ts'

export type Selector = Unchecked<resource.DeviceSelector>

/** A device request, or one of its alternatives. */
export type ExactRequest = Unchecked<resource.ExactDeviceRequest>
export type DeviceRequest = Unchecked<resource.DeviceRequest>

type Constraint = Unchecked<resource.DeviceConstraint>
export type ResourceClaim = UncheckedObject<resource.ResourceClaim>
export type ClaimSpec = Unchecked<resource.ResourceClaimSpec>

const MAX = { requests: 32, constraints: 32, config: 32, alternatives: 8, selectors: 32 }

export function defaultClaim(spec: ClaimSpec | undefined): void {
  for (const request of spec?.devices?.requests ?? []) {
    if (request?.exactly) defaultRequest(request.exactly)
    for (const alternative of request?.firstAvailable ?? []) if (alternative) defaultRequest(alternative)
  }
}

function defaultRequest(request: ExactRequest): void {
  request.allocationMode ||= 'ExactCount'
  if (request.allocationMode === 'ExactCount') request.count ||= 1
  for (const toleration of request.tolerations ?? []) if (toleration) toleration.operator ||= 'Equal'
}

/** The names of requests in constraints and results: `r`, `r/alternative`. */
export function requestNames(spec: ClaimSpec): ReadonlySet<string> {
  const names = new Set<string>()
  for (const request of spec.devices?.requests ?? []) {
    names.add(request.name ?? '')
    for (const alternative of request.firstAvailable ?? []) names.add(`${request.name ?? ''}/${alternative.name ?? ''}`)
  }
  return names
}

export function validateClaim(spec: ClaimSpec, path: string): FieldError[] {
  const names = requestNames(spec)
  const at = (name: string) => child(path, 'devices', name)
  return [
    ...limitedSet(spec.devices?.requests, MAX.requests, at('requests'), { key: (r) => r.name ?? '', check: validateRequest }),
    ...limited(spec.devices?.constraints, MAX.constraints, at('constraints'), (c, p) => validateConstraint(c, names, p)),
    ...limited(spec.devices?.config, MAX.config, at('config'), (config, p) => [
      ...validateReferences(config.requests, names, child(p, 'requests')),
      ...validateConfiguration(config, p),
    ]),
  ]
}

function validateRequest(request: DeviceRequest, path: string): FieldError[] {
  const faults = validateLabel(request.name ?? '', child(path, 'name'))
  const alternatives = request.firstAvailable ?? []
  const either = 'exactly one of `exactly` or `firstAvailable` is required'
  if (!request.exactly && alternatives.length === 0) return [...faults, required(path, either)]
  if (request.exactly && alternatives.length > 0) return [...faults, invalid(path, null, `${either}, but multiple fields are set`)]
  if (request.exactly) return [...faults, ...validateExact(request.exactly, child(path, 'exactly'))]
  return [
    ...faults,
    ...limitedSet(alternatives, MAX.alternatives, child(path, 'firstAvailable'), {
      key: (a) => a.name ?? '',
      check: (a, p) => [...validateLabel(a.name ?? '', child(p, 'name')), ...validateExact(a, p)],
    }),
  ]
}

function validateExact(request: ExactRequest, path: string): FieldError[] {
  const name = request.deviceClassName ?? ''
  const at = child(path, 'deviceClassName')
  return [
    ...(name === '' ? [required(at)] : invalidEach(at, name, dns1123Subdomain(name))),
    ...validateSelectors(request.selectors, child(path, 'selectors')),
    ...validateCount(request, path),
    ...each(request.tolerations, child(path, 'tolerations'), validateToleration),
  ]
}

export function validateSelectors(selectors: readonly Selector[] | undefined, path: string): FieldError[] {
  return limited(selectors, MAX.selectors, path, (selector, at) => {
    const cel = child(at, 'cel')
    return selector.cel ? validateDeviceExpression(selector.cel.expression ?? '', child(cel, 'expression')) : [required(cel)]
  })
}

function validateCount(request: ExactRequest, path: string): FieldError[] {
  const count = request.count ?? 0
  const mode = request.allocationMode ?? ''
  if (mode === 'All') return count === 0 ? [] : [invalid(child(path, 'count'), count, "must not be specified when allocationMode is 'All'")]
  if (mode === 'ExactCount') return count > 0 ? [] : [invalid(child(path, 'count'), count, 'must be greater than zero')]
  return [notSupported(child(path, 'allocationMode'), mode, enumOf('resource_v1.DeviceAllocationMode'))]
}

function validateConstraint(constraint: Constraint, names: ReadonlySet<string>, path: string): FieldError[] {
  const faults = validateReferences(constraint.requests, names, child(path, 'requests'))
  for (const field of ['matchAttribute', 'distinctAttribute'] as const) {
    const name = constraint[field]
    if (name !== undefined) return [...faults, ...validateFullAttributeName(name, child(path, field))]
  }
  const why = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
  return [...faults, required(path, why)]
}

export function validateReferences(references: readonly string[] | undefined, names: ReadonlySet<string>, path: string): FieldError[] {
  return limitedSet(references, MAX.requests, path, { key: (name) => name, check: (name, at) => validateReference(name, names, at) })
}

export function validateReference(name: string, names: ReadonlySet<string>, path: string): FieldError[] {
  const unknown = invalid(
    path,
    name,
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
  )
  const parts = name.split('/')
  if (parts.length > 2) return [unknown]
  return [...parts.flatMap((part) => validateLabel(part, path)), ...(names.has(name) ? [] : [unknown])]
}
