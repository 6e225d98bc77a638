import { child, type FieldError, invalid, invalidNamed, key, required } from '../../machinery/field-error.ts'
import { givenEmpty } from '../../machinery/schema/given-empty.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { AGE, define, NAME } from '../define.ts'
import { enumOf } from '../enumerations.ts'
import { fieldSchema, goForm } from '../go-form.ts'
import { roundResources } from '../pod/defaults.ts'
import { isQuotaResource } from '../pod/resource-names.ts'
import { builtinSchema } from '../schema.ts'
import type * as core from '../types/core.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { isScopeValidFor, quantityOf, validateQuotaAmount, validateQuotaResourceName } from './quota-resources.ts'

type ResourceQuota = UncheckedObject<core.ResourceQuota>
type QuotaSpec = Unchecked<core.ResourceQuotaSpec>
type ScopeRequirement = Unchecked<core.ScopedResourceSelectorRequirement>

const schema = builtinSchema('', 'v1', 'ResourceQuota')

export const resourceQuotas = define<ResourceQuota>({
  group: '',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  singular: 'resourcequota',
  metadataChecks: 'as-update',
  shortNames: ['quota'],
  columns: [
    NAME,
    { name: 'Request', description: 'What is used of what may be requested.', cell: (o) => usage(o, false) },
    { name: 'Limit', description: 'What is used of what limits may add up to.', cell: (o) => usage(o, true) },
    AGE,
  ],
  rules: {
    returnsDeleted: true,
    defaults: (draft) => {
      roundResources(draft.spec?.hard)
      roundResources(draft.status?.hard)
      roundResources(draft.status?.used)
    },
    prepareForCreate: (draft) => {
      draft.status = {}
    },
    validateCreate: (object) => validate(object.spec ?? {}),
    validateUpdate: (object, old) => [...validate(object.spec ?? {}), ...validateScopesKept(object, old)],
    warnings: (object, old) => (old === undefined ? requestsAboveLimits(object.spec?.hard ?? {}) : []),
  },
  subresources: { status: { kind: 'status', rules: { validateUpdate: validateStatus } } },
})

/** CPU and memory also have names without `requests.`. */
function requestsAboveLimits(hard: Record<string, string>): string[] {
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const names = name === 'cpu' || name === 'memory' ? [`requests.${name}`, name] : [`requests.${name}`]
    const requests = names.find((each) => hard[each] !== undefined)
    const [request, limit] = [hard[requests ?? ''], hard[`limits.${name}`]].map((text) => (text === undefined ? text : quantityOf(text)))
    return request && limit && request.compare(limit) > 0
      ? [`ResourceQuota ${requests} (${request}) should be less than limits.${name} (${limit})`]
      : []
  })
}

function usage(quota: ResourceQuota, limits: boolean): string {
  const hard: Record<string, string> = quota.status?.hard ?? {}
  const names = Object.keys(hard).filter((name) => name.startsWith('limits') === limits)
  return names
    .sort()
    .map((name) => `${name}: ${quota.status?.used?.[name] ?? '0'}/${hard[name] ?? '0'}`)
    .join(', ')
}

function validate(spec: QuotaSpec): FieldError[] {
  return [...validateAmounts(spec.hard, child('spec', 'hard')), ...validateScopes(spec), ...validateScopeSelector(spec)]
}

function validateAmounts(list: Record<string, string> | undefined, path: string): FieldError[] {
  return faultsOfEach(Object.keys(list ?? {}), (name) => [
    ...validateQuotaResourceName(name, key(path, name)),
    ...validateQuotaAmount(name, list?.[name], key(path, name)),
  ])
}

const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
]
const conflicting = (scopes: readonly string[]) => CONFLICTS.filter((pair) => pair.every((s) => scopes.includes(s)))

/** The names in a quota to which a scope does not apply; computed once per scope. */
function misapplied(spec: QuotaSpec): (scope: string) => readonly string[] {
  let native: readonly string[] | undefined
  const found = new Map<string, readonly string[]>()
  return (scope) => {
    let wrong = found.get(scope)
    if (wrong === undefined) {
      native ??= Object.keys(spec.hard ?? {}).filter(isQuotaResource)
      wrong = native.filter((resource) => !isScopeValidFor(scope, resource))
      found.set(scope, wrong)
    }
    return wrong
  }
}

function validateScopes(spec: QuotaSpec): FieldError[] {
  const scopes = spec.scopes ?? []
  const path = child('spec', 'scopes')

  const wrong = misapplied(spec)
  const faults = faultsOfEach(scopes, (scope) => {
    const found: FieldError[] = []
    if (!enumOf('core_v1.ResourceQuotaScope').includes(scope)) found.push(invalid(path, scopes, 'unsupported scope'))
    found.push(...faultsOfEach(wrong(scope), () => [invalid(path, scopes, 'unsupported scope applied to resource')]))
    return found
  })
  for (const _ of conflicting(scopes)) faults.push(invalid(path, scopes, 'conflicting scopes'))
  return faults
}

function validateScopeSelector(spec: QuotaSpec): FieldError[] {
  const path = child('spec', 'scopeSelector', 'matchExpressions')

  const requirements = spec.scopeSelector?.matchExpressions ?? []
  let shown: unknown
  const wrong = misapplied(spec)
  const faults = faultsOfEach(requirements, (requirement) => {
    const found: FieldError[] = []
    const scope = requirement.scopeName ?? ''
    if (!enumOf('core_v1.ResourceQuotaScope').includes(scope))
      found.push(invalidNamed(child(path, 'scopeName'), scope, 'unsupported scope'))
    const misused = wrong(scope)
    if (misused.length > 0) shown ??= goForm(spec.scopeSelector, fieldSchema(schema(), 'spec', 'scopeSelector'))
    found.push(...faultsOfEach(misused, () => [invalid(path, shown, 'unsupported scope applied to resource')]))
    found.push(...validateOperator(requirement, path))
    return found
  })
  for (const _ of conflicting(requirements.map((r) => r.scopeName ?? '')))
    faults.push(invalid(path, shownScopes(spec), 'conflicting scopes'))
  return faults
}

const shownScopes = (spec: QuotaSpec): unknown => spec.scopes ?? givenEmpty(spec, 'scopes') ?? null

const VALUELESS = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity']
const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

function validateOperator(requirement: ScopeRequirement, path: string): FieldError[] {
  const operator = requirement.operator ?? ''
  const values = requirement.values ?? []
  const faults: FieldError[] = []
  if (VALUELESS.includes(requirement.scopeName ?? '') && operator !== 'Exists')
    faults.push(invalidNamed(child(path, 'operator'), operator, ONLY_EXISTS))
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      faults.push(required(child(path, 'values'), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      faults.push(
        invalid(child(path, 'values'), values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"),
      )
  } else faults.push(invalidNamed(child(path, 'operator'), operator, 'not a valid selector operator'))
  return faults
}

function validateScopesKept(object: ResourceQuota, old: ResourceQuota): FieldError[] {
  const scopes = (o: ResourceQuota) => [...new Set<string>(o.spec?.scopes ?? [])].sort().join()
  return scopes(object) === scopes(old) ? [] : [invalid(child('spec', 'scopes'), shownScopes(object.spec ?? {}), 'field is immutable')]
}

function validateStatus(object: ResourceQuota): FieldError[] {
  return [
    ...validateAmounts(object.status?.hard, child('status', 'hard')),
    ...validateAmounts(object.status?.used, child('status', 'used')),
  ]
}
