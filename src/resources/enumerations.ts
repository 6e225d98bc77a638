import { type FieldError, notSupported, required } from '../machinery/field-error.ts'
import { enumValues } from './schema.ts'

const known = new Map<string, readonly string[]>()

/** The values of an enumeration, by its name in the facts (`core_v1.Protocol`); sorted, as faults list them. */
export function enumOf(name: string): readonly string[] {
  const values = known.get(name) ?? enumValues(name)
  known.set(name, values)
  return values
}

/** An optional enumeration value. */
export const validateEnum = (value: string | undefined, name: string, path: string): FieldError[] =>
  value === undefined || enumOf(name).includes(value) ? [] : [notSupported(path, value, enumOf(name))]

/** A required enumeration value. */
export const validateNeededEnum = (value: string | undefined, name: string, path: string): FieldError[] =>
  value ? validateEnum(value, name, path) : [required(path)]
