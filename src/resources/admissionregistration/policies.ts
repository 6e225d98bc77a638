import type { ExpressionScope } from '../../machinery/cel/admission/compile-expression.ts'
import type { CelType } from '../../machinery/cel/types.ts'
import { child, duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../../machinery/field-error.ts'
import { dns1035Label, dns1123Subdomain, qualifiedName } from '../../machinery/names.ts'
import { parseApiVersion } from '../../machinery/object.ts'
import { faultsThen } from '../../machinery/validation/faults-of-each.ts'
import { each, invalidEach } from '../checks.ts'
import { validateEnum, validateNeededEnum } from '../enumerations.ts'
import type * as admissionregistration from '../types/admissionregistration.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { checkExpression, checkVariable } from './expressions.ts'
import { validateMatchConditions, validateMatchResources } from './rules.ts'

/** A validating or a mutating policy. */
export type Policy = UncheckedObject<admissionregistration.ValidatingAdmissionPolicy> &
  UncheckedObject<admissionregistration.MutatingAdmissionPolicy>
type PolicySpec = NonNullable<Policy['spec']>
type Validation = Unchecked<admissionregistration.Validation>
type Mutation = Unchecked<admissionregistration.Mutation>
type Annotation = { readonly key?: string; readonly valueExpression?: string }

const SPEC = 'spec'
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const MAX_ANNOTATIONS = 20
const MAX_VALUE_BYTES = 5 * 1024
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const RESERVED = new Set(
  'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(' '),
)

/** What the expressions of a policy may use. `variables` gets its types while those are checked. */
interface PolicyContext extends ExpressionScope {
  readonly variables?: Map<string, CelType>
}

function contextOf(spec: PolicySpec): PolicyContext {
  const scope = { params: spec.paramKind !== undefined, authorizer: true }
  return spec.variables?.length ? { ...scope, variables: new Map() } : scope
}

/** The parts that both kinds of policies have: parameters, match constraints, conditions, variables. Then those that use the variables. */
function validatePolicyFrame(spec: PolicySpec, context: PolicyContext, rest: () => FieldError[]): FieldError[] {
  const faults: FieldError[] = []
  const at = (name: string) => child(SPEC, name)
  if (spec.failurePolicy === undefined) faults.push(required(at('failurePolicy')))
  faults.push(...validateEnum(spec.failurePolicy, 'admissionregistration_v1.FailurePolicyType', at('failurePolicy')))
  if (spec.paramKind) faults.push(...validateParamKind(spec.paramKind, at('paramKind')))
  const match = at('matchConstraints')
  if (!spec.matchConstraints) faults.push(required(match))
  else {
    faults.push(...validateMatchResources(spec.matchConstraints, match))
    if (!spec.matchConstraints.resourceRules?.length) faults.push(required(child(match, 'resourceRules')))
  }
  // Conditions are evaluated before variables exist.
  const { variables: _, ...before } = context
  faults.push(...validateMatchConditions(spec.matchConditions, at('matchConditions'), { ...before, result: 'bool' }))
  return [...faults, ...faultsThen(validateVariables(spec, context), (found) => [...found, ...rest()])]
}

/** Each variable may use those before it. */
function validateVariables(spec: PolicySpec, { variables = new Map(), ...scope }: PolicyContext): FieldError[] {
  return each(spec.variables, child(SPEC, 'variables'), (variable, path) => {
    const faults: FieldError[] = []
    const name = variable.name ?? ''
    if (name.trim() === '') faults.push(required(child(path, 'name'), 'name is not specified'))
    else if (!IDENTIFIER.test(name) || RESERVED.has(name)) faults.push(invalid(child(path, 'name'), name, 'must be a valid CEL identifier'))
    const at = child(path, 'expression')
    if ((variable.expression ?? '').trim() === '') return [...faults, required(at, 'expression is not specified')]
    return [...faults, ...checkVariable(variable, at, { ...scope, variables })]
  })
}

function validateParamKind(kind: { apiVersion?: string; kind?: string }, path: string): FieldError[] {
  const faults: FieldError[] = []
  const version = child(path, 'apiVersion')
  const text = kind.apiVersion ?? ''
  const parsed = parseApiVersion(text)
  if (text === '') faults.push(required(version))
  else if (!parsed) faults.push(invalid(version, text, `unexpected GroupVersion string: ${text}`))
  else {
    const group = parsed.group === '' ? [] : dns1123Subdomain(parsed.group)
    if (group.length > 0) faults.push(invalid(version, parsed.group, group.join(',')))
    const wrong = parsed.version === '' ? ['version must be specified'] : dns1035Label(parsed.version)
    if (wrong.length > 0) faults.push(invalid(version, parsed.version, wrong.join(',')))
  }
  const name = kind.kind ?? ''
  if (name === '') faults.push(required(child(path, 'kind')))
  else {
    const wrong = dns1035Label(name.toLowerCase())
    if (wrong.length > 0)
      faults.push(invalid(child(path, 'kind'), name, `may have mixed case, but should otherwise match: ${wrong.join(',')}`))
  }
  return faults
}

export function validateValidatingPolicy(object: Policy): FieldError[] {
  const spec: PolicySpec = object.spec ?? {}
  const context = contextOf(spec)
  return validatePolicyFrame(spec, context, () => {
    const annotations = spec.auditAnnotations ?? []
    if (!spec.validations?.length && annotations.length === 0) {
      const why = 'validations or auditAnnotations must contain at least one item'
      return [required(child(SPEC, 'validations'), why), required(child(SPEC, 'auditAnnotations'), why)]
    }
    const faults = each(spec.validations, child(SPEC, 'validations'), (v, path) => validateValidation(v, path, context))
    return [...faults, ...validateAnnotations(annotations, object.metadata.name ?? '', context)]
  })
}

function validateAnnotations(annotations: readonly Annotation[], policy: string, context: PolicyContext): FieldError[] {
  const at = child(SPEC, 'auditAnnotations')
  const faults = annotations.length > MAX_ANNOTATIONS ? [tooMany(at, annotations.length, MAX_ANNOTATIONS)] : []
  const keys = new Set<string>()
  const ofEach = each(annotations, at, (annotation, path) => {
    const found = validateAnnotation(annotation, path, policy, context)
    const name = annotation.key ?? ''
    if (keys.has(name)) found.push(duplicate(child(path, 'key'), name))
    keys.add(name)
    return found
  })
  return [...faults, ...ofEach]
}

const hasNewlines = (text: string) => /[\n\r]/.test(text)

function validateValidation(v: Validation, path: string, context: ExpressionScope): FieldError[] {
  const faults: FieldError[] = []
  const expression = v.expression ?? ''
  const message = (v.message ?? '').trim()
  if (expression.trim() === '') faults.push(required(child(path, 'expression'), 'expression is not specified'))
  else faults.push(...checkExpression(expression, child(path, 'expression'), { ...context, result: 'bool' }))
  const messageExpression = v.messageExpression ?? ''
  const at = child(path, 'messageExpression')
  if (messageExpression !== '' && messageExpression.trim() === '')
    faults.push(invalid(at, messageExpression, 'must be non-empty if specified'))
  else if (messageExpression !== '')
    faults.push(...checkExpression(messageExpression, at, { ...context, authorizer: false, result: 'string' }))
  const text = child(path, 'message')
  if (v.message && message === '') faults.push(invalid(text, v.message, 'must be non-empty if specified'))
  else if (hasNewlines(message)) faults.push(invalid(text, v.message, 'must not contain line breaks'))
  if (v.reason !== undefined && !REASONS.includes(v.reason)) faults.push(notSupported(child(path, 'reason'), v.reason, REASONS))
  return faults
}

function validateAnnotation(annotation: Annotation, path: string, policy: string, context: ExpressionScope): FieldError[] {
  const key = annotation.key ?? ''
  const at = child(path, 'key')
  const faults =
    policy === ''
      ? [invalid(at, key, 'requires metadata.name be non-empty')]
      : invalidEach(at, `${policy}/${key}`, qualifiedName(`${policy}/${key}`))
  const expression = annotation.valueExpression ?? ''
  const value = child(path, 'valueExpression')
  if (expression.trim() === '') faults.push(required(value, 'valueExpression is not specified'))
  else if (Buffer.byteLength(expression) > MAX_VALUE_BYTES)
    faults.push(required(value, `must not exceed ${MAX_VALUE_BYTES} bytes in length`))
  else faults.push(...checkExpression(expression, value, { ...context, result: 'string-or-null' }))
  return faults
}

export function validateMutatingPolicy(object: Policy): FieldError[] {
  const spec: PolicySpec = object.spec ?? {}
  const context = contextOf(spec)
  // Mutations have `variables` even where the policy has none.
  const within = { variables: new Map(), ...context }
  return validatePolicyFrame(spec, context, () => {
    const faults: FieldError[] = []
    // A DELETE cannot be mutated.
    for (const rule of spec.matchConstraints?.resourceRules ?? [])
      for (const operation of rule?.operations ?? [])
        if (!MUTABLE_OPERATIONS.includes(operation))
          faults.push(notSupported(child(SPEC, 'matchConstraints', 'resourceRules', 'operations'), operation, MUTABLE_OPERATIONS))
    const at = child(SPEC, 'mutations')
    if (!spec.mutations?.length) faults.push(required(at, 'mutations must contain at least one item'))
    faults.push(...each(spec.mutations, at, (m, path) => validateMutation(m, path, within)))
    const policy = child(SPEC, 'reinvocationPolicy')
    return [...faults, ...validateNeededEnum(spec.reinvocationPolicy, 'admissionregistration_v1.ReinvocationPolicyType', policy)]
  })
}

const MUTABLE_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE']
const PATCHES = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const

function validateMutation(mutation: Mutation, path: string, context: ExpressionScope): FieldError[] {
  const type = mutation.patchType ?? ''
  if (type === '') return [required(child(path, 'patchType'))]
  if (type !== 'ApplyConfiguration' && type !== 'JSONPatch') return [notSupported(child(path, 'patchType'), type, Object.keys(PATCHES))]
  return Object.entries(PATCHES).flatMap(([name, field]) => {
    const at = child(path, field)
    const patch = mutation[field]
    if (name !== type) return patch ? [invalid(at, `{${field}}`, `must not be specified when patchType is ${type}`)] : []
    if (!patch) return [required(at, `must be specified when patchType is ${type}`)]
    const expression = patch.expression ?? ''
    if (expression.trim() === '') return [required(child(at, 'expression'))]
    const result = type === 'JSONPatch' ? 'patch' : 'configuration'
    return checkExpression(expression, child(at, 'expression'), { ...context, patches: true, result })
  })
}
