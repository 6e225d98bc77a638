import { child, duplicate, type FieldError, index, invalid, required, tooMany } from '../../machinery/field-error.ts'
import { pathSegmentName, qualifiedName } from '../../machinery/names.ts'
import { faultsOfEach, faultsThen } from '../../machinery/validation/faults-of-each.ts'
import { validateLabelSelector } from '../../machinery/validation/label-selector.ts'
import { each, invalidEach, repeats } from '../checks.ts'
import { validateEnum } from '../enumerations.ts'
import type * as admissionregistration from '../types/admissionregistration.ts'
import type { Unchecked } from '../unchecked.ts'
import { checkExpression, type ExpressionContext } from './expressions.ts'

/** The operations and resources that a webhook or a policy matches. */
export type OperationsRule = Unchecked<admissionregistration.NamedRuleWithOperations>
export type MatchResources = Unchecked<admissionregistration.MatchResources>

export type MatchCondition = Unchecked<admissionregistration.MatchCondition>

const MAX_CONDITIONS = 64

export function defaultRule(rule: OperationsRule | null): void {
  if (rule) rule.scope ??= '*'
}

export function defaultMatchResources(match: MatchResources | undefined): void {
  if (!match) return
  match.matchPolicy ??= 'Equivalent'
  match.namespaceSelector ??= {}
  match.objectSelector ??= {}
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) defaultRule(rule)
}

export function validateOperationsRule(rule: OperationsRule, path: string): FieldError[] {
  const faults: FieldError[] = []
  const operations = rule.operations ?? []
  const at = child(path, 'operations')
  if (operations.length === 0) faults.push(required(at))
  if (operations.length > 1 && operations.includes('*'))
    faults.push(invalid(at, operations, "if '*' is present, must not specify other operations"))
  faults.push(
    ...faultsOfEach(operations, (operation, i) => validateEnum(operation, 'admissionregistration_v1.OperationType', index(at, i))),
  )
  faults.push(...validateList(rule.apiGroups ?? [], child(path, 'apiGroups'), 'API groups'))
  const versions = rule.apiVersions ?? []
  faults.push(...validateList(versions, child(path, 'apiVersions'), 'API versions'))
  faults.push(...faultsOfEach(versions, (version, i) => (version === '' ? [required(index(child(path, 'apiVersions'), i))] : [])))
  if (!rule.resources?.length) faults.push(required(child(path, 'resources')))
  faults.push(...validateResources(rule.resources ?? [], child(path, 'resources')))
  return [...faults, ...validateEnum(rule.scope, 'admissionregistration_v1.ScopeType', child(path, 'scope'))]
}

function validateList(values: readonly string[], path: string, what: string): FieldError[] {
  if (values.length === 0) return [required(path)]
  return values.length > 1 && values.includes('*') ? [invalid(path, values, `if '*' is present, must not specify other ${what}`)] : []
}

/** `pods`, `pods/status`, `*`, `pods/*`, `*` of one subresource, or everything: an entry that covers others must be the only one. */
function validateResources(resources: readonly string[], path: string): FieldError[] {
  const allOf = new Set<string>()
  const everywhere = new Set<string>()
  let plain = false
  const faults = faultsOfEach(resources, (text, i) => {
    const at = index(path, i)
    if (text === '') return [required(at)]
    const slash = text.indexOf('/')
    if (slash < 0) {
      plain = text !== '*'
      return []
    }
    const found: FieldError[] = []
    const resource = text.slice(0, slash)
    const sub = text.slice(slash + 1)
    if (allOf.has(resource)) found.push(invalid(at, text, `if '${resource}/*' is present, must not specify ${text}`))
    if (everywhere.has(sub)) found.push(invalid(at, text, `if '*/${sub}' is present, must not specify ${text}`))
    if (sub === '*') allOf.add(resource)
    if (resource === '*') everywhere.add(sub)
    return found
  })
  return faultsThen(faults, (found) => [
    ...found,
    ...(resources.length > 1 && resources.includes('*/*')
      ? [invalid(path, resources, "if '*/*' is present, must not specify other resources")]
      : []),
    ...(resources.includes('*') && plain
      ? [invalid(path, resources, "if '*' is present, must not specify other resources without subresources")]
      : []),
  ])
}

function validateNamedRule(rule: OperationsRule, path: string): FieldError[] {
  const names = rule.resourceNames ?? []
  const at = child(path, 'resourceNames')
  const isRepeated = repeats()
  const faults = faultsOfEach(names, (name, i) => [
    ...invalidEach(index(at, i), name, pathSegmentName(name)),
    ...(isRepeated(name) ? [duplicate(index(at, i), name)] : []),
  ])
  return [...faults, ...validateOperationsRule(rule, path)]
}

export function validateMatchResources(match: MatchResources, path: string): FieldError[] {
  const faults: FieldError[] = []
  for (const name of ['namespaceSelector', 'objectSelector'] as const) {
    if (!match[name]) faults.push(required(child(path, name)))
    else faults.push(...validateLabelSelector(match[name], child(path, name)))
  }
  if (match.matchPolicy === undefined) faults.push(required(child(path, 'matchPolicy')))
  faults.push(...validateEnum(match.matchPolicy, 'admissionregistration_v1.MatchPolicyType', child(path, 'matchPolicy')))
  for (const name of ['resourceRules', 'excludeResourceRules'] as const)
    faults.push(...each(match[name], child(path, name), (rule, at) => validateNamedRule(rule ?? {}, at)))
  return faults
}

export function validateMatchConditions(
  conditions: readonly MatchCondition[] | undefined,
  path: string,
  context: ExpressionContext,
): FieldError[] {
  const list = conditions ?? []
  const faults: FieldError[] = list.length > MAX_CONDITIONS ? [tooMany(path, list.length, MAX_CONDITIONS)] : []
  const names = new Set<string>()
  return [
    ...faults,
    ...each(list, path, (condition, at) => {
      const found: FieldError[] = []
      const name = condition.name ?? ''
      const expression = condition.expression ?? ''
      if (expression.trim() === '') found.push(required(child(at, 'expression')))
      else found.push(...checkExpression(expression, child(at, 'expression'), context))
      if (name === '') return [...found, required(child(at, 'name'))]
      found.push(...invalidEach(child(at, 'name'), name, qualifiedName(name)))
      if (names.has(name)) found.push(duplicate(child(at, 'name'), name))
      names.add(name)
      return found
    }),
  ]
}
