import { type FieldError, internalFault, invalid } from '../field-error.ts'

/** The fault of an expression's field: a program that fails before it has run, with constants only, is an internal error. */
export const compileFault = (path: string, expression: string, fault: string): FieldError =>
  fault.startsWith('program instantiation failed') ? internalFault(path, fault) : invalid(path, expression, fault)
