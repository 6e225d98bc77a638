import { createEnvironment, type Environment, type Variable } from '../environment.ts'
import { CelIssues } from '../issues.ts'
import { KUBERNETES_LIBRARIES } from '../kubernetes/libraries.ts'
import { compile, type Program } from '../program.ts'
import { type CelType, DYN, showType } from '../types.ts'
import { CelError } from '../values.ts'
import { AUTHORIZATION, AUTHORIZER, RESOURCE_CHECK } from './authorizer.ts'
import { JSON_PATCH_LIBRARY, patchObject } from './patch-objects.ts'
import { NAMESPACE_TYPE, REQUEST_TYPE } from './request-type.ts'

/** The required result type of an expression of a policy or a webhook: `any` for variables, `patch` and `configuration` for mutations. */
export type Wanted = 'bool' | 'string' | 'string-or-null' | 'any' | 'patch' | 'configuration'

/** The variables of an expression. */
export interface ExpressionScope {
  readonly params: boolean
  readonly authorizer: boolean
  /** Whether there is `authorizer.requestResource`; default: if there is `authorizer`. */
  readonly requestResource?: boolean
  /** Declares `JSONPatch{}`, `Object{}` and `jsonpatch`. */
  readonly patches?: boolean
  /** The types of the policy's variables before this expression; undefined where there is no `variables`. */
  readonly variables?: ReadonlyMap<string, CelType>
  /** Types of `object`, `oldObject` and `params`, if known (type checking). */
  readonly object?: CelType
  readonly paramsType?: CelType
}

/** A compiled expression, or its fault. */
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
  if (scope.authorizer) out.push({ name: 'authorizer', type: AUTHORIZER })
  if (scope.requestResource ?? scope.authorizer) out.push({ name: 'authorizer.requestResource', type: RESOURCE_CHECK })
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
  const found = showType(type)
  if (results.includes(found)) return undefined
  return `must evaluate to ${results.length === 1 ? results[0] : `one of [${results.join(' ')}]`} but got ${found}`
}

/** The type of a variable in later expressions: structures and types of libraries become dynamic. */
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
