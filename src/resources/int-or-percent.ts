import { type FieldError, invalid } from '../machinery/field-error.ts'
import { percent } from '../machinery/names.ts'

export type IntOrPercent = number | string | undefined

/** A non-negative integer, or a percentage. */
export function validateIntOrPercent(value: IntOrPercent, path: string): FieldError[] {
  if (typeof value === 'string') return percent(value).map((text) => invalid(path, value, text))
  return (value ?? 0) < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : []
}

/** A percentage of at most 100. */
export function validateNotMoreThanAll(value: IntOrPercent, path: string): FieldError[] {
  return typeof value === 'string' && percent(value).length === 0 && Number(value.slice(0, -1)) > 100
    ? [invalid(path, value, 'must not be greater than 100%')]
    : []
}

/** The number, or the number before the percent sign; 0 for other texts. */
export function plainValue(value: IntOrPercent): number {
  if (typeof value === 'string') return /^[+-]?[0-9]+%?$/.test(value) ? Number.parseInt(value, 10) : 0
  return value ?? 0
}
