import { createEnvironment, type Environment, type ObjectConstructor, type Variable } from '../../machinery/cel/environment.ts'
import { CelIssues } from '../../machinery/cel/issues.ts'
import { KUBERNETES_LIBRARIES } from '../../machinery/cel/kubernetes/libraries.ts'
import { parse } from '../../machinery/cel/parser.ts'
import { compile } from '../../machinery/cel/program.ts'
import { BOOL, type CelType, DYN, listOf, mapOf, STRING, showType } from '../../machinery/cel/types.ts'
import { CelError } from '../../machinery/cel/values.ts'
import { type FieldError, invalid } from '../../machinery/field-error.ts'

/** What an expression must be, and which variables it may use. */
export interface ExpressionContext {
  readonly result: 'bool' | 'string' | 'text-or-null' | 'any' | 'patch' | 'configuration'
  readonly params: boolean
  readonly authorizer: boolean
  /** Of policies, not of webhooks: these see the namespace, too. */
  readonly variables?: readonly { readonly name: string; readonly expression: string }[]
}

const struct = (name: string, fields: Readonly<Record<string, CelType>>): CelType & { kind: 'object' } => ({
  kind: 'object',
  name,
  field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined),
})
const KIND = struct('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING })
const RESOURCE = struct('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING })
const USER = struct('kubernetes.UserInfo', { username: STRING, uid: STRING, groups: listOf(STRING), extra: mapOf(STRING, listOf(STRING)) })
const REQUEST = struct('kubernetes.AdmissionRequest', {
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER,
  dryRun: BOOL,
  options: DYN,
})
const PATCH = struct('JSONPatch', { op: STRING, from: STRING, path: STRING, value: DYN })
const MAKE_PATCH: ObjectConstructor = {
  type: PATCH,
  make: () => {
    throw new CelError('expressions are only checked here')
  },
}

let environment: Environment | undefined

/** Compiles an expression of a policy or a webhook, and says what is wrong with it. */
export function checkExpression(expression: string, path: string, context: ExpressionContext): FieldError[] {
  environment ??= createEnvironment(KUBERNETES_LIBRARIES, { objects: [MAKE_PATCH] })
  try {
    // The authorizer's functions and the types of objects to apply are known only where expressions run.
    if (/\bauthorizer\b|\bObject\b|\bjsonpatch\b/.test(expression)) {
      parse(expression, { macros: environment.macros, optionals: true })
      return []
    }
    const { type } = compile(expression, { env: environment, variables: variablesOf(context) })
    return wrongResult(type, context.result).map((text) => invalid(path, expression, text))
  } catch (error) {
    if (error instanceof CelIssues) return [invalid(path, expression, `compilation failed: ${error.message}`)]
    throw error
  }
}

function variablesOf(context: ExpressionContext): Variable[] {
  const out: Variable[] = ['object', 'oldObject'].map((name) => ({ name, type: DYN }))
  out.push({ name: 'request', type: REQUEST })
  if (context.params) out.push({ name: 'params', type: DYN })
  if (!context.variables) return out
  out.push({ name: 'namespaceObject', type: DYN })
  if (context.variables.length > 0) {
    const fields = Object.fromEntries(context.variables.map((v) => [v.name, DYN]))
    out.push({ name: 'variables', type: struct('kubernetes.variables', fields) })
  }
  return out
}

function wrongResult(type: CelType, wanted: ExpressionContext['result']): string[] {
  switch (wanted) {
    case 'bool':
      return type.kind === 'bool' ? [] : ['must evaluate to bool']
    case 'string':
      return type.kind === 'string' ? [] : ['must evaluate to string']
    case 'text-or-null':
      return type.kind === 'string' || type.kind === 'null' ? [] : ['must evaluate to one of [string null_type]']
    case 'patch':
      return showType(type) === 'list(JSONPatch)' ? [] : ['must evaluate to list(JSONPatch)']
    default:
      return []
  }
}
