import { once } from '../../base/once.ts'
import { createEnvironment } from '../../machinery/cel/environment.ts'
import { CelIssues } from '../../machinery/cel/issues.ts'
import { KUBERNETES_LIBRARIES } from '../../machinery/cel/kubernetes/libraries.ts'
import { compile } from '../../machinery/cel/program.ts'
import { BOOL, type CelType, DYN, mapOf, opaque, STRING, showType } from '../../machinery/cel/types.ts'
import { type FieldError, invalid, tooLong } from '../../machinery/field-error.ts'

const MAX_BYTES = 10 * 1024
const QUANTITY = opaque('kubernetes.Quantity')
const FIELDS: Readonly<Record<string, CelType>> = {
  driver: STRING,
  allowMultipleAllocations: BOOL,
  attributes: mapOf(STRING, mapOf(STRING, DYN)),
  capacity: mapOf(STRING, mapOf(STRING, QUANTITY)),
}
/** The type of the variable `device` in device selectors. */
export const DEVICE: CelType = {
  kind: 'object',
  name: 'kubernetes.DRADevice',
  field: (name) => (Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined),
}

/** What device selectors are compiled with. */
export const deviceEnvironment = once(() => createEnvironment(KUBERNETES_LIBRARIES))

/** Validates a device selector: an expression over `device` with a boolean result. */
export function validateDeviceExpression(expression: string, path: string): FieldError[] {
  if (Buffer.byteLength(expression) > MAX_BYTES) return [tooLong(path, MAX_BYTES)]
  try {
    const program = compile(expression, { env: deviceEnvironment(), variables: [{ name: 'device', type: DEVICE }] })
    return program.type.kind === 'bool' || program.type.kind === 'dyn'
      ? []
      : [invalid(path, expression, `must evaluate to bool or the unknown type, not ${showType(program.type)}`)]
  } catch (error) {
    if (error instanceof CelIssues) return [invalid(path, expression, `compilation failed: ${error.message}`)]
    throw error
  }
}
