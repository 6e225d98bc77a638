import { child, type FieldError, invalid, key, notSupported } from '../../../machinery/field-error.ts'
import { qualifiedName } from '../../../machinery/names.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { enumOf } from '../../enumerations.ts'
import { isNativeResource } from '../../pod/resource-names.ts'
import { validateResourceQuantity } from '../../pod/validation/validate-resources.ts'
import type { PersistentVolumeClaimStatus } from '../../types/core.ts'
import type { Unchecked } from '../../unchecked.ts'
import { quantityOf } from '../quota-resources.ts'

const CAPACITY = child('status', 'capacity')
const STATUSES = child('status', 'allocatedResourceStatuses')
const ALLOCATED = child('status', 'allocatedResources')
const RESIZE_STATUS = 'core_v1.ClaimResourceStatus'

/** What a claim has, and how far its growth is. */
export function validateClaimStatus(status: Unchecked<PersistentVolumeClaimStatus>): FieldError[] {
  return [
    ...faultsOfEach(Object.entries(status.capacity ?? {}), ([name, amount]) => validateAmount(amount, key(CAPACITY, name))),
    ...faultsOfEach(Object.entries(status.allocatedResourceStatuses ?? {}), ([name, value]) => [
      ...validateName(name, STATUSES),
      // Kubernetes shows the resource's name in place of its status.
      ...(enumOf(RESIZE_STATUS).includes(value ?? '') ? [] : [notSupported(STATUSES, name, enumOf(RESIZE_STATUS))]),
    ]),
    ...faultsOfEach(Object.entries(status.allocatedResources ?? {}), ([name, amount]) => validateAllocated(name, amount, ALLOCATED)),
  ]
}

function validateAllocated(name: string, amount: unknown, path: string): FieldError[] {
  const wrong = validateName(name, path)
  if (wrong.length > 0) return wrong
  const negative = validateAmount(amount, key(path, name))
  return negative.length > 0 ? negative : validateResourceQuantity('storage', quantityOf(amount), key(path, name))
}

function validateAmount(amount: unknown, path: string): FieldError[] {
  const value = quantityOf(amount).value()
  return value < 0 ? [invalid(path, value, 'must be a valid resource quantity')] : []
}

/** Of Kubernetes' own resources, a claim has storage only. */
function validateName(name: string, path: string): FieldError[] {
  const wrong = qualifiedName(name).map((text) => invalid(path, name, text))
  if (wrong.length > 0) return wrong
  return isNativeResource(name) && name !== 'storage' ? [notSupported(path, name, ['storage'])] : []
}
