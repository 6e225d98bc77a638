import { child, type FieldError, invalid, notSupportedText, required } from '../../machinery/field-error.ts'
import { dns1123Subdomain, pathSegmentName } from '../../machinery/names.ts'
import { faultsThen } from '../../machinery/validation/faults-of-each.ts'
import { validateLabelSelector } from '../../machinery/validation/label-selector.ts'
import { each, invalidEach } from '../checks.ts'
import type * as rbac from '../types/rbac.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

export const RBAC_GROUP = 'rbac.authorization.k8s.io'

/** A rule of a role: verbs on resources, or on paths. */
export type PolicyRule = Unchecked<rbac.PolicyRule>
export type ClusterRole = UncheckedObject<rbac.ClusterRole>
/** A binding of either scope. */
export type Binding = UncheckedObject<rbac.RoleBinding | rbac.ClusterRoleBinding>
type Subject = Unchecked<rbac.Subject>

type RoleRef = Unchecked<rbac.RoleRef>

export function validateRules(rules: readonly PolicyRule[] | undefined, namespaced: boolean): FieldError[] {
  return each(rules, 'rules', (rule, path) => validateRule(rule, namespaced, path))
}

/** Validates one rule. */
export function validateRule(rule: PolicyRule, namespaced: boolean, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (!rule.verbs?.length) faults.push(required(child(path, 'verbs'), 'verbs must contain at least one value'))
  if (rule.nonResourceURLs?.length) {
    if (namespaced)
      faults.push(invalid(child(path, 'nonResourceURLs'), rule.nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'))
    if (rule.apiGroups?.length || rule.resources?.length || rule.resourceNames?.length)
      faults.push(
        invalid(child(path, 'nonResourceURLs'), rule.nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'),
      )
    return faults
  }
  if (!rule.apiGroups?.length) faults.push(required(child(path, 'apiGroups'), 'resource rules must supply at least one api group'))
  if (!rule.resources?.length) faults.push(required(child(path, 'resources'), 'resource rules must supply at least one resource'))
  return faults
}

export function validateAggregation(object: ClusterRole): FieldError[] {
  if (!object.aggregationRule) return []
  const path = child('aggregationRule', 'clusterRoleSelectors')
  const selectors = object.aggregationRule.clusterRoleSelectors ?? []
  if (selectors.length === 0) return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
  // A selector that cannot be compiled is reported once more, as a whole.
  return each(selectors, path, (selector, at) =>
    faultsThen(validateLabelSelector(selector, at), (faults) =>
      faults.length > 0 ? [...faults, invalid(at, null, 'invalid label selector.')] : [],
    ),
  )
}

export function validateSubjects(subjects: readonly Subject[] | undefined, namespaced: boolean): FieldError[] {
  return each(subjects, 'subjects', (subject, path) => {
    const faults: FieldError[] = []
    const name = subject.name ?? ''
    const group = subject.apiGroup ?? ''
    if (name === '') faults.push(required(child(path, 'name')))
    if (subject.kind === 'ServiceAccount') {
      if (name !== '') faults.push(...invalidEach(child(path, 'name'), name, dns1123Subdomain(name)))
      if (group !== '') faults.push(notSupportedText(child(path, 'apiGroup'), group, ['']))
      if (!namespaced && !subject.namespace) faults.push(required(child(path, 'namespace')))
    } else if (subject.kind === 'User' || subject.kind === 'Group') {
      if (group !== RBAC_GROUP) faults.push(notSupportedText(child(path, 'apiGroup'), group, [RBAC_GROUP]))
    } else faults.push(notSupportedText(child(path, 'kind'), subject.kind ?? '', ['ServiceAccount', 'User', 'Group']))
    return faults
  })
}

export function validateRoleRef(ref: RoleRef, kinds: readonly string[]): FieldError[] {
  const faults: FieldError[] = []
  if ((ref.apiGroup ?? '') !== RBAC_GROUP) faults.push(notSupportedText(child('roleRef', 'apiGroup'), ref.apiGroup ?? '', [RBAC_GROUP]))
  if (!kinds.includes(ref.kind ?? '')) faults.push(notSupportedText(child('roleRef', 'kind'), ref.kind ?? '', kinds))
  const name = ref.name ?? ''
  if (name === '') faults.push(required(child('roleRef', 'name')))
  else faults.push(...invalidEach(child('roleRef', 'name'), name, pathSegmentName(name)))
  return faults
}

/** The subjects of a binding may change; its role may not. */
export function validateRoleRefKept(object: Binding, old: Binding): FieldError[] {
  const form = (ref: RoleRef | undefined) => ({ APIGroup: ref?.apiGroup ?? '', Kind: ref?.kind ?? '', Name: ref?.name ?? '' })
  const now = form(object.roleRef)
  return JSON.stringify(now) === JSON.stringify(form(old.roleRef)) ? [] : [invalid('roleRef', now, 'cannot change roleRef')]
}

export function defaultBinding(draft: Binding): void {
  draft.roleRef ??= {}
  draft.roleRef.apiGroup ||= RBAC_GROUP
  for (const subject of draft.subjects ?? [])
    if (subject && !subject.apiGroup && (subject.kind === 'User' || subject.kind === 'Group')) subject.apiGroup = RBAC_GROUP
}
