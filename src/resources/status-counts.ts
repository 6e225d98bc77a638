import { child, type FieldError, invalid } from '../machinery/field-error.ts'
import { faultsOfEach } from '../machinery/validation/faults-of-each.ts'
import { validateNonNegative } from './checks.ts'

/** Counts in a status: none is negative, and parts do not exceed the whole. `ready`: what a fault calls the ready replicas. */
export function validateCounts(
  status: Record<string, unknown>,
  counts: readonly string[],
  parts: readonly string[],
  ready = 'readyReplicas',
): FieldError[] {
  const number = (field: string): number => {
    const value = status[field]
    return typeof value === 'number' ? value : 0
  }
  const faults = faultsOfEach(counts, (field) => validateNonNegative(number(field), child('status', field)))
  for (const field of parts)
    if (number(field) > number('replicas'))
      faults.push(invalid(child('status', field), number(field), 'cannot be greater than status.replicas'))
  if (parts.includes('availableReplicas') && number('availableReplicas') > number('readyReplicas'))
    faults.push(invalid('status.availableReplicas', number('availableReplicas'), `cannot be greater than ${ready}`))
  return faults
}
