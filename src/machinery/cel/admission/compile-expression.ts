import { createEnvironment, type Environment, type Variable } from '../environment.ts'
import { CelIssues } from '../issues.ts'
import { KUBERNETES_LIBRARIES } from '../kubernetes/libraries.ts'
import { compile, type Program } from '../program.ts'
import { type CelType, DYN, showType } from '../types.ts'
import { CelError } from '../values.ts'
import { AUTHORIZATION, AUTHORIZER, RESOURCE_CHECK } from './authorizer.ts'
import { JSON_PATCH_LIBRARY, patchObject } from './patch-objects.ts'
import { NAMESPACE_TYPE, REQUEST_TYPE } from './request-type.ts'

/** What an expression of a policy or a webhook must be: `any` of variables, `patch` and `configuration` of mutations. */
export type Wanted = 'bool' | 'string' | 'string-or-null' | 'any' | 'patch' | 'configuration'

/** Which variables an expression sees. */
export interface ExpressionScope {
  readonly params: boolean
  readonly authorizer: boolean
  /** `JSONPatch{}`, `Object{}` and `jsonpatch` are there. */
  readonly patches?: boolean
  /** Those of the policy that stand before the expression, with their types; undefined where there is no `variables`. */
  readonly variables?: ReadonlyMap<string, CelType>
  /** Types of `object`, `oldObject` and `params` where they are known (type checking). */
  readonly object?: CelType
  readonly paramsType?: CelType
}

/** An expression ready to run, or why it is not. */
export type Compiled = { readonly program: Program; readonly fault?: undefined } | { readonly program?: undefined; readonly fault: string }

const plain = createEnvironment([...KUBERNETES_LIBRARIES, AUTHORIZATION])
const patching = createEnvironment([...KUBERNETES_LIBRARIES, AUTHORIZATION, JSON_PATCH_LIBRARY], { object: patchObject })

const environmentOf = (scope: ExpressionScope): Environment => (scope.patches === true ? patching : plain)

/** Compiles an expression of a policy or of a webhook's match conditions. */
export function compileExpression(source: string, wanted: Wanted, scope: ExpressionScope): Compiled {
  try {
    const program = compile(source, { env: environmentOf(scope), variables: variablesOf(scope) })
    const fault = wrongType(program.type, wanted)
    return fault === undefined ? { program } : { fault }
  } catch (error) {
    if (error instanceof CelIssues) return { fault: `compilation failed: ${error.message}` }
    if (error instanceof CelError) return { fault: `program instantiation failed: ${error.message}` }
    throw error
  }
}

function variablesOf(scope: ExpressionScope): Variable[] {
  const object = scope.object ?? DYN
  const out: Variable[] = [
    { name: 'object', type: object },
    { name: 'oldObject', type: object },
    { name: 'request', type: REQUEST_TYPE },
    { name: 'namespaceObject', type: NAMESPACE_TYPE },
  ]
  if (scope.params) out.push({ name: 'params', type: scope.paramsType ?? DYN })
  if (scope.authorizer) out.push({ name: 'authorizer', type: AUTHORIZER }, { name: 'authorizer.requestResource', type: RESOURCE_CHECK })
  const { variables } = scope
  if (variables !== undefined)
    out.push({ name: 'variables', type: { kind: 'object', name: 'kubernetes.variables', field: (name) => variables.get(name) } })
  return out
}

const RESULTS: Readonly<Record<Exclude<Wanted, 'any'>, readonly string[]>> = {
  bool: ['bool'],
  string: ['string'],
  'string-or-null': ['string', 'null_type'],
  patch: ['list(JSONPatch)'],
  configuration: ['Object'],
}

function wrongType(type: CelType, wanted: Wanted): string | undefined {
  if (wanted === 'any') return undefined
  const results = RESULTS[wanted]
  const found = type.kind === 'null' ? 'null_type' : showType(type)
  if (results.includes(found)) return undefined
  return `must evaluate to ${results.length === 1 ? results[0] : `one of [${results.join(' ')}]`} but got ${found}`
}

/** The type of a variable as later expressions see it: structures and types of libraries become dynamic. */
export function variableType(program: Program | undefined): CelType {
  return program === undefined ? DYN : simplified(program.type)
}

function simplified(type: CelType): CelType {
  switch (type.kind) {
    case 'list':
      return { kind: 'list', element: simplified(type.element) }
    case 'map':
      return { kind: 'map', key: simplified(type.key), value: simplified(type.value) }
    case 'object':
    case 'opaque':
    case 'type':
    case 'param':
    case 'error':
      return DYN
    default:
      return type
  }
}
