import { type FieldError, invalid, invalidNamed } from '../../machinery/field-error.ts'
import { parseQuantity, type Quantity } from '../../machinery/quantity.ts'
import { isIntegerResource, isQuotaResource } from '../pod/resource-names.ts'
import { validateResourceName } from '../pod/validation/validate-resources.ts'

const SCOPED = new Set(['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'])

/** True if a quota scope applies to a resource. */
export function isScopeValidFor(scope: string, resource: string): boolean {
  switch (scope) {
    case 'Terminating':
    case 'NotTerminating':
    case 'NotBestEffort':
    case 'PriorityClass':
    case 'CrossNamespacePodAffinity':
      return SCOPED.has(resource)
    case 'BestEffort':
      return resource === 'pods'
    case 'VolumeAttributesClass':
      return resource === 'persistentvolumeclaims' || resource === 'requests.storage'
    default:
      return true
  }
}

export function validateQuotaResourceName(name: string, path: string): FieldError[] {
  const faults = [...validateResourceName(name, path)]
  if (!name.includes('/') && !isQuotaResource(name)) faults.push(invalidNamed(path, name, 'must be a standard resource for quota'))
  return faults
}

/** A quantity in a decoded object. */
export const quantityOf = (value: unknown): Quantity => parseQuantity(typeof value === 'string' || typeof value === 'number' ? value : '0')

/** Non-negative, and an integer for countable resources. */
export function validateQuotaAmount(name: string, value: unknown, path: string): FieldError[] {
  const amount = quantityOf(value)
  const faults: FieldError[] = []
  if (amount.sign() < 0) faults.push(invalid(path, amount.toString(), 'must be greater than or equal to 0'))
  if (isIntegerResource(name) && !amount.isWhole()) faults.push(invalid(path, amount.toString(), 'must be an integer'))
  return faults
}

export function validatePositiveAmount(value: unknown, path: string): FieldError[] {
  const amount = quantityOf(value)
  return amount.sign() > 0 ? [] : [invalid(path, amount.toString(), 'must be greater than zero')]
}
