import { child, duplicate, type FieldError, forbidden, index, invalid, required, tooMany } from '../../machinery/field-error.ts'
import type { Quantity } from '../../machinery/quantity.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { quantityOf } from '../core/quota-resources.ts'
import type * as resource from '../types/resource.ts'
import type { Unchecked } from '../unchecked.ts'

/** The permitted requests of a device's capacity. */
export type RequestPolicy = Unchecked<resource.CapacityRequestPolicy>

const MAX_VALUES = 10

export function validateRequestPolicy(capacity: string, policy: RequestPolicy, path: string): FieldError[] {
  const values = policy.validValues ?? []
  if (values.length > 0 && policy.validRange)
    return [forbidden(path, 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time')]
  const kind = values.length > 0 ? 'validValues' : 'validRange'
  if (values.length === 0 && !policy.validRange) return []
  // The decoder writes out an absent amount as null.
  if (policy.default == null) return [required(child(path, 'default'), `required when ${kind} is defined`)]
  const standard = quantityOf(policy.default)
  const all = quantityOf(capacity)
  if (values.length > 0) return validateValues(values.map(quantityOf), standard, all, child(path, kind))
  return validateRange(policy.validRange ?? {}, standard, all, child(path, kind))
}

function validateValues(values: readonly Quantity[], standard: Quantity, capacity: Quantity, path: string): FieldError[] {
  const faults = faultsOfEach(values, (value, i) => {
    const found: FieldError[] = []
    const before = values[i - 1]
    if (before && before.compare(value) > 0) found.push(invalid(index(path, i), `${value}`, 'values must be sorted in ascending order'))
    return found
  })
  if (values.length > MAX_VALUES) faults.push(tooMany(path, values.length, MAX_VALUES))
  else
    faults.push(
      ...faultsOfEach(values, (value, i) => {
        const found: FieldError[] = []
        if (value.compare(capacity) > 0)
          found.push(invalid(index(path, i), `${value}`, `option is larger than capacity value: ${capacity}`))
        if (values.findIndex((v) => v.value() === value.value()) < i) found.push(duplicate(index(path, i), `${value.value()}`))
        return found
      }),
    )
  if (!values.some((v) => v.compare(standard) === 0))
    faults.push(invalid(path, `${standard}`, 'default value is not valid according to the requestPolicy'))
  return faults
}

function validateRange(
  range: NonNullable<RequestPolicy['validRange']>,
  standard: Quantity,
  capacity: Quantity,
  path: string,
): FieldError[] {
  if (range.min == null) return [required(child(path, 'min'), 'required when validRange is defined')]
  const min = quantityOf(range.min)
  const max = range.max == null ? undefined : quantityOf(range.max)
  const faults: FieldError[] = []
  const say = (field: string, value: Quantity, text: string) => faults.push(invalid(child(path, field), `${value}`, text))
  if (min.compare(capacity) > 0) say('min', min, `min is larger than capacity value: ${capacity}`)
  if (standard.compare(min) < 0) say('min', standard, `default is less than min: ${min}`)
  if (max) {
    if (min.compare(max) > 0) say('max', min, `min is larger than max: ${max}`)
    if (max.compare(capacity) > 0) say('max', max, `max is larger than capacity value: ${capacity}`)
    if (standard.compare(max) > 0) say('max', standard, `default is more than max: ${max}`)
  }
  if (range.step == null) return faults
  const step = quantityOf(range.step)
  // Kubernetes divides by it, and answers with an internal error.
  if (step.isZero()) {
    say('step', step, 'must be greater than zero')
    return faults
  }
  const next = min.add(step)
  if (next.compare(capacity) > 0) say('step', step, `one step ${next} is larger than capacity value: ${capacity}`)
  for (const value of max ? [standard, max] : [standard])
    if ((value.scaledValue(0) - min.scaledValue(0)) % step.scaledValue(0) !== 0n)
      say('step', value, `value is not a multiple of a given step (${step}) from (${min})`)
  return faults
}
