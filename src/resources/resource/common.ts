import {
  child,
  duplicate,
  type FieldError,
  index,
  invalid,
  invalidNamed,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../machinery/field-error.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import { cIdentifier, dns1123Label, dns1123Subdomain, labelValue } from '../../machinery/names.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateLabelName } from '../../machinery/validation/object-meta.ts'
import { each, invalidEach } from '../checks.ts'
import { enumOf, validateEnum } from '../enumerations.ts'
import { validateCsiDriverName } from '../pod/validation/validate-volumes.ts'
import type * as resource from '../types/resource.ts'
import type { Unchecked } from '../unchecked.ts'

export type Toleration = Unchecked<resource.DeviceToleration>
export type Taint = Unchecked<resource.DeviceTaint>

export type DeviceConfiguration = Unchecked<resource.DeviceConfiguration>

export const GROUP = 'resource.k8s.io'
const MAX_ID_BYTES = 32
const MAX_POOL_BYTES = 253
const MAX_PARAMETER_BYTES = 10 * 1024

/** A list of limited length; a longer one has no other faults. */
export function limited<T>(
  items: readonly T[] | undefined | null,
  max: number,
  path: string,
  check: (item: T, path: string) => readonly FieldError[],
): FieldError[] {
  const list = items ?? []
  return list.length > max ? [tooMany(path, list.length, max)] : each(list, path, check)
}

/** A list of limited length, without duplicates; `shown`: how a fault names one, if not by its key. */
export function limitedSet<T>(
  items: readonly T[] | undefined | null,
  max: number,
  path: string,
  set: {
    readonly key: (item: T) => string
    readonly shown?: (item: T) => unknown
    readonly check: (item: T, path: string) => readonly FieldError[]
  },
): FieldError[] {
  const list = items ?? []
  if (list.length > max) return [tooMany(path, list.length, max)]
  const faults = each(list, path, set.check)
  const seen = new Set<string>()
  for (const [i, item] of list.entries()) {
    const key = set.key(item)
    if (seen.has(key)) faults.push(duplicate(index(path, i), set.shown?.(item) ?? key))
    seen.add(key)
  }
  return faults
}

export const validateDriver = (name: string, path: string): FieldError[] => [...validateCsiDriverName(name, path)]
export const validateLabel = (name: string, path: string): FieldError[] => invalidEach(path, name, dns1123Label(name))

export function validatePool(name: string, path: string): FieldError[] {
  if (name === '') return [required(path)]
  const faults = Buffer.byteLength(name) > MAX_POOL_BYTES ? [tooLong(path, MAX_POOL_BYTES)] : []
  return [...faults, ...name.split('/').flatMap((part) => invalidEach(path, part, dns1123Subdomain(part)))]
}

function validateIdentifier(id: string, path: string): FieldError[] {
  const faults = Buffer.byteLength(id) > MAX_ID_BYTES ? [tooLong(path, MAX_ID_BYTES)] : []
  return [...faults, ...invalidEach(path, id, cIdentifier(id))]
}

/** `model`, or `gpu.example.com/model`. What has more slashes is not looked at, as in Kubernetes. */
export function validateAttributeName(name: string, path: string): FieldError[] {
  const [first = '', second, ...rest] = name.split('/')
  if (rest.length > 0) return []
  if (second === undefined) return validateIdentifier(first, path)
  const domain = first === '' ? [invalid(path, '', 'the domain must not be empty')] : validateDriver(first, path)
  const id = second === '' ? [invalid(path, '', 'the name must not be empty')] : validateIdentifier(second, path)
  return [...domain, ...id]
}

export function validateFullAttributeName(name: string, path: string): FieldError[] {
  const faults = validateAttributeName(name, path)
  if (!name.includes('/')) faults.push(invalidNamed(path, name, 'a fully qualified name must be a domain and a name separated by a slash'))
  return faults
}

export function validateToleration(toleration: Toleration, path: string): FieldError[] {
  const faults = toleration.key ? validateLabelName(toleration.key, child(path, 'key')) : []
  const operator = toleration.operator ?? ''
  const value = toleration.value ?? ''
  if (operator === 'Exists') {
    if (value !== '') faults.push(invalid(child(path, 'value'), value, 'must be empty for operator `Exists`'))
  } else if (operator === 'Equal') faults.push(...invalidEach(child(path, 'value'), value, labelValue(value)))
  else if (operator === '') faults.push(required(child(path, 'operator')))
  else faults.push(notSupported(child(path, 'operator'), operator, enumOf('resource_v1.DeviceTolerationOperator')))
  const effect = toleration.effect ?? ''
  if (effect !== '') faults.push(...validateEnum(effect, 'resource_v1.DeviceTaintEffect', child(path, 'effect')))
  return faults
}

export function validateTaint(taint: Taint, path: string): FieldError[] {
  const faults = validateLabelName(taint.key ?? '', child(path, 'key'))
  if (taint.value) faults.push(...invalidEach(child(path, 'value'), taint.value, labelValue(taint.value)))
  if (!taint.effect) faults.push(required(child(path, 'effect')))
  else faults.push(...validateEnum(taint.effect, 'resource_v1.DeviceTaintEffect', child(path, 'effect')))
  return faults
}

export function validateConfiguration(config: DeviceConfiguration, path: string): FieldError[] {
  const at = child(path, 'opaque')
  if (!config.opaque) return [required(at)]
  return [
    ...validateDriver(config.opaque.driver ?? '', child(at, 'driver')),
    ...validateRaw(config.opaque.parameters, child(at, 'parameters'), MAX_PARAMETER_BYTES),
  ]
}

/** Any JSON object, up to a maximum size. */
export function validateRaw(value: unknown, path: string, maxBytes: number): FieldError[] {
  if (value === undefined || value === null) return [required(path)]
  if (Buffer.byteLength(encodeJson(value)) > maxBytes) return [tooLong(path, maxBytes)]
  return typeof value === 'object' && !Array.isArray(value) ? [] : [invalid(path, '<value omitted>', 'must be a valid JSON object')]
}

/** Binding conditions and binding failure conditions of a device: both or neither, and no name in both. */
export function validateBindingConditions(
  wanted: readonly string[] | undefined,
  failing: readonly string[] | undefined,
  path: string,
): FieldError[] {
  const good = wanted ?? []
  const bad = failing ?? []
  const name = (list: string) => child(path, list)
  const key = (text: string) => text
  const check = (text: string, at: string) => validateLabelName(text, at)
  const faults = [
    ...limitedSet(good, MAX_CONDITIONS, name('bindingConditions'), { key, check }),
    ...limitedSet(bad, MAX_CONDITIONS, name('bindingFailureConditions'), { key, check }),
  ]
  faults.push(
    ...faultsOfEach(bad, (text, i) =>
      good.includes(text)
        ? [invalid(index(name('bindingFailureConditions'), i), text, 'bindingFailureConditions must not overlap with bindingConditions')]
        : [],
    ),
  )
  if (good.length === 0 && bad.length > 0)
    faults.push(invalid(name('bindingConditions'), wanted ?? null, 'bindingConditions are required to use bindingFailureConditions'))
  if (bad.length === 0 && good.length > 0)
    faults.push(
      invalid(name('bindingFailureConditions'), failing ?? null, 'bindingFailureConditions are required to use bindingConditions'),
    )
  return faults
}

const MAX_CONDITIONS = 4
