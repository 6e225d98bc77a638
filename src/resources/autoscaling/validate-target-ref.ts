import { child, type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { pathSegmentName } from '../../machinery/names.ts'
import { parseApiVersion } from '../../machinery/object.ts'
import type { TargetRef } from './hpa-types.ts'

/** Validates a reference to a scaled (`grouped`: all but ReplicationControllers have an API group) or measured object. */
export function validateTargetRef(ref: TargetRef, path: string, group: 'grouped' | 'any'): FieldError[] {
  const faults: FieldError[] = []
  for (const field of ['kind', 'name'] as const) {
    const value = ref[field]
    if (!value) faults.push(required(child(path, field)))
    else for (const text of pathSegmentName(value)) faults.push(invalid(child(path, field), value, text))
  }
  const version = ref.apiVersion ?? ''
  const parsed = parseApiVersion(version)
  if (!parsed) faults.push(invalid(child(path, 'apiVersion'), version, `unexpected GroupVersion string: ${version}`))
  else if (group === 'grouped' && parsed.group === '' && ref.kind !== 'ReplicationController')
    faults.push(invalid(child(path, 'apiVersion'), version, 'apiVersion must specify API group'))
  return faults
}
