import { type FieldError, invalid } from '../../../machinery/field-error.ts'

/** A path must not contain `..`. */
export function validateNoBacksteps(text: string, path: string): FieldError[] {
  return text.split('/').includes('..') ? [invalid(path, text, "must not contain '..'")] : []
}

/** Relative, without `..`. */
export function validateLocalDescendingPath(text: string, path: string): FieldError[] {
  const absolute = text.startsWith('/') ? [invalid(path, text, 'must be a relative path')] : []
  return [...absolute, ...validateNoBacksteps(text, path)]
}

/** Relative, without `..`, and not one of the names that volumes reserve. */
export function validateLocalNonReservedPath(text: string, path: string): FieldError[] {
  const reserved = text.startsWith('..') && !text.startsWith('../')
  return [...validateLocalDescendingPath(text, path), ...(reserved ? [invalid(path, text, "must not start with '..'")] : [])]
}
