import { compileExpression, type ExpressionScope, variableType } from '../../machinery/cel/admission/compile-expression.ts'
import type { CelType } from '../../machinery/cel/types.ts'
import { apiVersionOf, type GroupVersionKind, parseApiVersion } from '../../machinery/object.ts'
import type {
  ExpressionWarning,
  ParamKind,
  ValidatingAdmissionPolicySpec as Spec,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyStatus,
} from '../../resources/types/admissionregistration.ts'

/** The types that expressions are checked against: those of the server, as far as they have a schema. */
export interface PolicyTypes {
  kindOf(group: string, version: string, resource: string): GroupVersionKind | undefined
  typeOf(gvk: GroupVersionKind): CelType | undefined
}

/** More types are not checked, as upstream: a policy that matches everything would take long. */
const MAX_TYPES = 10

/** The status that a policy should have; undefined if this generation was checked already. Pure. */
export function planStatus(policy: ValidatingAdmissionPolicy, types: PolicyTypes): ValidatingAdmissionPolicyStatus | undefined {
  const generation = policy.metadata.generation ?? 0
  if (generation <= (policy.status?.observedGeneration ?? 0)) return undefined
  const expressionWarnings = typeWarnings(policy.spec ?? {}, types)
  return {
    ...policy.status,
    observedGeneration: generation,
    typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings },
  }
}

/** What is wrong with the validations of a policy for the types that it matches. The policy is in force all the same. */
export function typeWarnings(spec: Spec, types: PolicyTypes): ExpressionWarning[] {
  const checks = typesToCheck(spec, types).flatMap((gvk) => {
    const object = types.typeOf(gvk)
    return object === undefined ? [] : [{ shown: showKind(gvk), scope: scopeFor(spec, object, types) }]
  })
  const check = (fieldRef: string, expression: string): ExpressionWarning[] => {
    const faults = checks.flatMap(({ shown, scope }) => {
      const { fault } = compileExpression(expression, 'any', scope)
      return fault === undefined ? [] : [`${shown}: ${issues(fault)}\n`]
    })
    return faults.length === 0 ? [] : [{ fieldRef, warning: faults.join('\n') }]
  }
  return (spec.validations ?? []).flatMap((v, i) => [
    ...check(`spec.validations[${i}].expression`, v.expression),
    ...(v.messageExpression ? check(`spec.validations[${i}].messageExpression`, v.messageExpression) : []),
  ])
}

const COMPILATION = 'compilation failed: '
const issues = (fault: string) => (fault.startsWith(COMPILATION) ? fault.slice(COMPILATION.length) : `type checking error: ${fault}`)
const showKind = (gvk: GroupVersionKind) => `${gvk.group}/${gvk.version}, Kind=${gvk.kind}`

function scopeFor(spec: Spec, object: CelType, types: PolicyTypes): ExpressionScope {
  const paramsType = spec.paramKind && paramType(spec.paramKind, types)
  // As in Kubernetes, the types are checked without `authorizer.requestResource`: policies in which it stands have a warning.
  const authorization = { authorizer: true, requestResource: false }
  const scope = { params: spec.paramKind !== undefined, ...authorization, object, ...(paramsType && { paramsType }) }
  if (!spec.variables?.length) return scope
  const variables = new Map<string, CelType>()
  for (const { name, expression } of spec.variables)
    variables.set(name, variableType(compileExpression(expression, 'any', { ...scope, variables }).program))
  return { ...scope, variables }
}

function paramType(kind: ParamKind, types: PolicyTypes): CelType | undefined {
  const gv = parseApiVersion(kind.apiVersion ?? '')
  return gv && types.typeOf({ ...gv, kind: kind.kind ?? '' })
}

/** The kinds that the rules name; wildcards are not expanded. */
function typesToCheck(spec: Spec, types: PolicyTypes): GroupVersionKind[] {
  const found = new Map<string, GroupVersionKind>()
  const named = (names: readonly string[] | undefined, wildcard: RegExp) => (names ?? []).filter((n) => !wildcard.test(n)).toSorted()
  for (const rule of spec.matchConstraints?.resourceRules ?? [])
    for (const group of named(rule.apiGroups, /\*/))
      for (const version of named(rule.apiVersions, /\*/))
        for (const resource of named(rule.resources, /[*/]/)) {
          const gvk = found.size < MAX_TYPES ? types.kindOf(group, version, resource) : undefined
          if (gvk !== undefined) found.set(`${apiVersionOf(gvk)} ${gvk.kind}`, gvk)
        }
  const text = (gvk: GroupVersionKind) => [gvk.group, gvk.version, gvk.kind].join('\u0000')
  return [...found.values()].sort((a, b) => (text(a) < text(b) ? -1 : 1))
}
