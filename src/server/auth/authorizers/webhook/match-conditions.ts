import { AUTHORIZATION } from '../../../../machinery/cel/admission/authorizer.ts'
import { structType } from '../../../../machinery/cel/admission/request-type.ts'
import { PER_CALL_LIMIT } from '../../../../machinery/cel/cost-limits.ts'
import { createEnvironment } from '../../../../machinery/cel/environment.ts'
import { CelIssues } from '../../../../machinery/cel/issues.ts'
import { KUBERNETES_LIBRARIES } from '../../../../machinery/cel/kubernetes/libraries.ts'
import { CostError } from '../../../../machinery/cel/plan/meter.ts'
import { compile, type Program } from '../../../../machinery/cel/program.ts'
import { celDynamic } from '../../../../machinery/cel/schema/cel-value.ts'
import { listOf, mapOf, STRING, showType } from '../../../../machinery/cel/types.ts'
import { CelError } from '../../../../machinery/cel/values.ts'
import { joinErrors } from '../../../../machinery/join-errors.ts'
import { isObject, type JsonObject } from '../../../../machinery/object.ts'

const REQUIREMENT = structType('kubernetes.SelectorRequirement', { key: STRING, operator: STRING, values: listOf(STRING) })
const selector = (name: string) => structType(name, { rawSelector: STRING, requirements: listOf(REQUIREMENT) })

/** `authorization.k8s.io/v1 SubjectAccessReviewSpec` as a CEL type. */
const REQUEST = structType('kubernetes.SubjectAccessReviewSpec', {
  resourceAttributes: structType('kubernetes.ResourceAttributes', {
    namespace: STRING,
    verb: STRING,
    group: STRING,
    version: STRING,
    resource: STRING,
    subresource: STRING,
    name: STRING,
    fieldSelector: selector('kubernetes.FieldSelectorAttributes'),
    labelSelector: selector('kubernetes.LabelSelectorAttributes'),
  }),
  nonResourceAttributes: structType('kubernetes.NonResourceAttributes', { path: STRING, verb: STRING }),
  user: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
  uid: STRING,
})

const environment = createEnvironment([...KUBERNETES_LIBRARIES, AUTHORIZATION])

/** A match condition of a webhook. */
export interface MatchCondition {
  readonly expression: string
  readonly program: Program
}

/** The compiled condition, or its fault. */
export function compileCondition(expression: string): MatchCondition | { readonly fault: string } {
  try {
    const program = compile(expression, { env: environment, variables: [{ name: 'request', type: REQUEST }] })
    const type = showType(program.type)
    return type === 'bool' ? { expression, program } : { fault: `must evaluate to bool but got ${type}` }
  } catch (error) {
    if (error instanceof CelIssues) return { fault: `compilation failed: ${error.message}` }
    if (error instanceof CelError) return { fault: `program instantiation failed: ${error.message}` }
    throw error
  }
}

export type ConditionsMatch =
  | { readonly kind: 'matches' }
  | { readonly kind: 'excluded' }
  | { readonly kind: 'failed'; readonly error: string }

const MATCHES: ConditionsMatch = { kind: 'matches' }
const EXCLUDED: ConditionsMatch = { kind: 'excluded' }

/** Whether all conditions hold. A false condition decides, even if an earlier one failed. */
export function matchConditions(conditions: readonly MatchCondition[], spec: JsonObject): ConditionsMatch {
  if (conditions.length === 0) return MATCHES
  const request = celDynamic(withEmpty(spec))
  const errors: string[] = []
  for (const { expression, program } of conditions) {
    try {
      if (program.run({ request }, { spent: 0, limit: PER_CALL_LIMIT }) === false) return EXCLUDED
    } catch (error) {
      if (!(error instanceof CelError || error instanceof CostError)) throw error
      errors.push(`cel evaluation error: expression '${expression}' resulted in error: ${error.message}`)
    }
  }
  return errors.length === 0 ? MATCHES : { kind: 'failed', error: joinErrors(errors) }
}

const NAMED = { namespace: '', verb: '', group: '', version: '', resource: '', subresource: '', name: '' }

/** Conditions see empty fields, but not the attributes of the other kind (resource or non-resource). */
function withEmpty(spec: JsonObject): JsonObject {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec
  return {
    user: '',
    uid: '',
    groups: [],
    extra: {},
    ...spec,
    ...(isObject(resource) ? { resourceAttributes: { ...NAMED, ...resource } } : {}),
    ...(isObject(path) ? { nonResourceAttributes: { path: '', verb: '', ...path } } : {}),
  }
}
