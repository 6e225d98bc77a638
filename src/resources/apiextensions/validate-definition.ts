import type { Steps } from '../../base/steps.ts'
import { equalJson } from '../../machinery/equal.ts'
import {
  type FieldError,
  forbidden,
  index,
  invalid,
  invalidNamed,
  MAX_FAULTS,
  notSupportedText,
  required,
} from '../../machinery/field-error.ts'
import { dns1035Label, dns1123Subdomain } from '../../machinery/names.ts'
import { anyInside } from '../../machinery/structural/any-inside.ts'
import { faultsInSteps, faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { subdomainName } from '../../machinery/validation/object-name.ts'
import { validateClientConfig } from '../admissionregistration/client-config.ts'
import { each } from '../checks.ts'
import { checkApproval } from './api-approval.ts'
import { checkSchemaOfVersion } from './check-schema-of-version.ts'
import { checkColumns, checkDeprecation, checkSelectableFields, checkSubresources } from './check-version.ts'
import { internalSpec, shownVersions } from './internal-spec.ts'
import {
  type Conversion,
  type CustomResourceDefinition,
  type DefinitionNames,
  type DefinitionSpec,
  type DefinitionVersion,
  isTrue,
} from './types.ts'

/** The name, and a prefix of it, is the plural and the group. */
export function definitionName(name: string, generated: boolean, { spec }: CustomResourceDefinition): readonly string[] {
  const wanted = `${spec?.names?.plural ?? ''}.${spec?.group ?? ''}`
  return [...subdomainName(name, generated), ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group'])]
}

/** All faults of a new definition except its metadata. */
export function* validateDefinition(crd: CustomResourceDefinition): Steps<FieldError[]> {
  return [
    ...(yield* checkSpec(crd.spec, undefined)),
    ...checkStoredVersions(crd),
    ...checkApproval(crd, undefined),
    ...checkPreserve(crd, undefined),
  ]
}

/** All faults of a change of a definition. */
export function* validateDefinitionUpdate(crd: CustomResourceDefinition, old: CustomResourceDefinition): Steps<FieldError[]> {
  const fixed = isTrue(old, 'Established')
  return [
    ...(yield* checkSpec(crd.spec, old.spec)),
    ...(fixed ? immutable(crd.spec.scope, old.spec.scope, 'spec.scope') : []),
    ...(fixed ? immutable(crd.spec.names.kind, old.spec.names.kind, 'spec.names.kind') : []),
    ...immutable(crd.spec.group, old.spec.group, 'spec.group'),
    ...immutable(crd.spec.names.plural, old.spec.names.plural, 'spec.names.plural'),
    ...checkStoredVersions(crd),
    ...checkApproval(crd, old),
    ...checkPreserve(crd, old),
  ]
}

const immutable = (value: unknown, old: unknown, path: string): FieldError[] =>
  equalJson(value ?? null, old ?? null) ? [] : [invalid(path, value, 'field is immutable')]

function* checkSpec(spec: DefinitionSpec, old: DefinitionSpec | undefined): Steps<FieldError[]> {
  const faults: FieldError[] = []
  const group = spec.group ?? ''
  const groupFaults = dns1123Subdomain(group)
  if (group === '') faults.push(required('spec.group'))
  else if (groupFaults.length > 0) faults.push(invalid('spec.group', group, groupFaults.join(',')))
  else if (!group.includes('.')) faults.push(invalid('spec.group', group, 'should be a domain with at least one dot'))
  faults.push(...oneOf(spec.scope, ['Cluster', 'Namespaced'], 'spec.scope'))
  faults.push(...(yield* checkVersions(spec)).slice(0, MAX_FAULTS))
  faults.push(...checkNames(spec.names ?? { plural: '', kind: '' }))
  faults.push(...(yield* checkTop(spec)).slice(0, MAX_FAULTS))
  if (spec.conversion?.strategy === 'Webhook' && spec.preserveUnknownFields === true)
    faults.push(invalidNamed('spec.conversion.strategy', spec.conversion.strategy, 'must be None if spec.preserveUnknownFields is true'))
  faults.push(...checkConversion(spec.conversion, old?.conversion))
  if (spec.preserveUnknownFields === true && (spec.versions ?? []).some(hasDefaults))
    faults.push(invalid('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema'))
  return faults
}

const hasDefault = anyInside((schema) => schema.default !== undefined)
const hasDefaults = ({ schema }: DefinitionVersion) => schema?.openAPIV3Schema !== undefined && hasDefault(schema.openAPIV3Schema)

function oneOf(value: string | undefined, values: readonly string[], path: string): FieldError[] {
  if (!value) return [required(path)]
  return values.includes(value) ? [] : [notSupportedText(path, value, values)]
}

/** The parts that are at the top level because all versions share them. */
function* checkTop(spec: DefinitionSpec): Steps<FieldError[]> {
  const top = internalSpec(spec)
  const status = (spec.versions ?? []).some((v) => v.subresources?.status !== undefined)
  const faults: FieldError[] = []
  if (top.validation !== undefined)
    faults.push(...(yield* checkSchemaOfVersion(top.validation, 'spec.validation.openAPIV3Schema', status)).slice(0, MAX_FAULTS))
  const lists = faultsInSteps(() => [
    ...checkSubresources(top.subresources, 'spec.subresources'),
    ...checkColumns(top.columns, 'spec.additionalPrinterColumns'),
    ...checkSelectableFields(top.selectableFields, top.validation, 'spec', 'when validations.schema is included'),
  ])
  return [...faults, ...(yield* lists)]
}

function* checkVersions(spec: DefinitionSpec): Steps<FieldError[]> {
  const internal = internalSpec(spec)
  const faults: FieldError[] = []
  const names = new Set<string>()
  if (internal.validation === undefined)
    for (const [i, { schema }] of internal.versions.entries())
      if (schema?.openAPIV3Schema === undefined) faults.push(required(`${index('spec.versions', i)}.schema.openAPIV3Schema`))
  for (const [i, { version, subresources, columns, selectableFields, ...own }] of internal.versions.entries()) {
    const path = index('spec.versions', i)
    const schema = own.schema?.openAPIV3Schema
    names.add(version.name)
    const wrong = dns1035Label(version.name ?? '')
    if (wrong.length > 0) faults.push(invalid(`${path}.name`, version.name ?? '', wrong.join(',')))
    faults.push(...checkDeprecation(version, path))
    const status = (subresources ?? internal.subresources)?.status !== undefined
    if (schema !== undefined)
      faults.push(...(yield* checkSchemaOfVersion(schema, `${path}.schema.openAPIV3Schema`, status)).slice(0, MAX_FAULTS))
    const lists = faultsInSteps(() => [
      ...checkSubresources(subresources, `${path}.subresources`),
      ...checkColumns(columns, `${path}.additionalPrinterColumns`),
      ...checkSelectableFields(selectableFields, schema, path, 'when `version.schema.openAPIV3Schema` is not included'),
    ])
    faults.push(...(yield* lists))
  }
  const first = spec.versions?.[0]?.name ?? ''
  const storage = (spec.versions ?? []).filter((v) => v.storage === true).length
  if (names.size < (spec.versions ?? []).length)
    faults.push(invalid('spec.versions', shownVersions(spec), 'must contain unique version names'))
  if (storage !== 1) faults.push(invalid('spec.versions', shownVersions(spec), 'must have exactly one version marked as storage version'))
  const wrong = first === '' ? [] : dns1035Label(first)
  if (wrong.length > 0) faults.push(invalid('spec.version', first, wrong.join(',')))
  return faults
}

function checkNames(names: DefinitionNames): FieldError[] {
  const faults: FieldError[] = []
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) if (!names[name]) faults.push(required(`spec.names.${name}`))
  for (const name of ['plural', 'singular'] as const) if (names[name]) faults.push(...checkLabel(names[name], `spec.names.${name}`))
  for (const name of ['kind', 'listKind'] as const) if (names[name]) faults.push(...checkKind(names[name], `spec.names.${name}`))
  faults.push(...each(names.shortNames, 'spec.names.shortNames', checkLabel))
  if (names.kind && names.kind === names.listKind)
    faults.push(invalid('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'))
  return [...faults, ...each(names.categories, 'spec.names.categories', checkLabel)]
}

function checkLabel(value: string, path: string): FieldError[] {
  const wrong = dns1035Label(value)
  return wrong.length > 0 ? [invalid(path, value, wrong.join(','))] : []
}

function checkKind(value: string, path: string): FieldError[] {
  const wrong = dns1035Label(value.toLowerCase())
  return wrong.length > 0 ? [invalid(path, value, `may have mixed case, but should otherwise match: ${wrong.join(',')}`)] : []
}

const REVIEW_VERSIONS = ['v1', 'v1beta1']

function checkConversion(conversion: Conversion | undefined, old: Conversion | undefined): FieldError[] {
  if (conversion === undefined || conversion === null) return []
  const path = 'spec.conversion'
  const faults = oneOf(conversion.strategy, ['None', 'Webhook'], `${path}.strategy`)
  const config = conversion.webhook?.clientConfig ?? undefined
  const versions = conversion.webhook?.conversionReviewVersions ?? []
  if (conversion.strategy === 'Webhook') {
    if (config === undefined) faults.push(required(`${path}.webhookClientConfig`, 'required when strategy is set to Webhook'))
    else faults.push(...validateClientConfig(config, `${path}.webhookClientConfig`))
    const before = old?.webhook?.conversionReviewVersions ?? []
    const recognized = old === undefined || before.length === 0 || before.some((v) => REVIEW_VERSIONS.includes(v))
    return [...faults, ...checkReviewVersions(versions, recognized, `${path}.conversionReviewVersions`)]
  }
  const why = 'should not be set when strategy is not set to Webhook'
  if (config !== undefined) faults.push(forbidden(`${path}.webhookClientConfig`, why))
  if (versions.length > 0) faults.push(forbidden(`${path}.conversionReviewVersions`, why))
  return faults
}

function checkReviewVersions(versions: readonly string[], recognized: boolean, path: string): FieldError[] {
  if (versions.length === 0) return [required(path)]

  const seen = new Set<string>()
  const faults = faultsOfEach(versions, (version, i) => {
    const found: FieldError[] = []
    if (seen.has(version)) {
      found.push(invalid(index(path, i), version, 'duplicate version'))
      return found
    }
    seen.add(version)
    const wrong = dns1035Label(version)
    if (wrong.length > 0) found.push(invalid(index(path, i), version, wrong.join(',')))
    return found
  })
  if (recognized && !versions.some((v) => REVIEW_VERSIONS.includes(v)))
    faults.push(invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`))
  return faults
}

/** `storedVersions` must contain the storage version, and only versions of the spec. */
function checkStoredVersions(crd: CustomResourceDefinition): FieldError[] {
  const path = 'status.storedVersions'
  const stored = crd.status?.storedVersions ?? []
  if (stored.length === 0) return [invalid(path, null, 'must have at least one stored version')]
  const faults: FieldError[] = []
  const missing = new Set(stored)
  for (const v of crd.spec.versions ?? []) {
    // A version that is listed twice is found once.
    if (!missing.delete(v.name) && v.storage) faults.push(invalid(path, stored, `must have the storage version ${v.name}`))
  }
  return [
    ...faults,
    ...faultsOfEach(stored, (v, i) => {
      const found: FieldError[] = []
      if (!missing.has(v)) return found
      const why = `missing from spec.versions; ${v} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${v} and removes ${v} from status.storedVersions`
      found.push(invalid(index(path, i), v, why))
      return found
    }),
  ]
}

function checkPreserve(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  if (crd.spec.preserveUnknownFields !== true || old?.spec.preserveUnknownFields === true) return []
  const why = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  return [invalid('spec.preserveUnknownFields', true, why)]
}
